import { listEvents } from '../../records/inbox/events.js';
import type { Page } from '../page.js';
import { eventStatuses, eventStatusTone } from '../view/event-words.js';
import { eventHref, paging } from '../view/links.js';
import { badge, count, id, list, none, quiet, text, time } from '../view/values.js';

export const events: Page = {
  path: '/events',
  title: 'Events',
  group: 'Webhooks',
  filters: ['status', 'eventType', 'source', 'secretLabel'],
  load: async ({ db, now }, req) => {
    const { status, eventType, source, secretLabel } = req.filters;
    const { items, nextCursor } = await listEvents(db, { ...req.filters, cursor: req.cursor });
    const at = now();
    return {
      intro: 'Every authentic event that the service sent, once, however often it came.',
      sections: [
        {
          is: 'filters',
          path: req.path,
          active: Object.keys(req.filters).length > 0,
          fields: [
            { name: 'status', label: 'Status', value: status ?? '', options: eventStatuses },
            { name: 'eventType', label: 'Type', value: eventType ?? '', hint: 'payout.confirmed' },
            {
              name: 'source',
              label: 'Came by',
              value: source ?? '',
              options: [
                { value: 'webhook', text: 'webhook' },
                { value: 'delivery_history', text: 'recovered from the history' },
              ],
            },
            { name: 'secretLabel', label: 'Secret', value: secretLabel ?? '', hint: 'its label' },
          ],
        },
        {
          is: 'table',
          caption: 'Events, newest first',
          columns: [
            { label: 'Event' },
            { label: 'Type' },
            { label: 'Status' },
            { label: 'Arrivals', align: 'end' },
            { label: 'Secret' },
            { label: 'Received' },
          ],
          rows: items.map((event) => [
            id(event.id, eventHref(event.id)),
            event.mark === null ? text(event.eventType) : list([text(event.eventType), badge(event.mark, 'quiet')]),
            badge(event.status, eventStatusTone(event.status)),
            count(event.arrivals),
            event.secretLabel === null ? none('recovered') : quiet(event.secretLabel),
            time(event.receivedAt, at),
          ]),
          empty:
            Object.keys(req.filters).length > 0
              ? { title: 'No event fits', text: 'Types count exactly as the service writes them.' }
              : {
                  title: 'No events yet',
                  text: 'The service sends none, or they are rejected: the rejections say why. “tallyhook doctor” checks both.',
                },
          ...paging(req, nextCursor),
        },
      ],
    };
  },
};
