import { listEvents } from '../../records/inbox/events.js';
import type { Page } from '../page.js';
import { eventBadge, eventStatuses } from '../view/event-words.js';
import { eventHref } from '../view/links.js';
import { filters, listTable } from '../view/sections.js';
import { badge, count, id, list, none, quiet, text, time } from '../view/values.js';

const sources = [
  { value: 'webhook', text: 'webhook' },
  { value: 'delivery_history', text: 'recovered from the history' },
];

export const events: Page = {
  path: '/events',
  title: 'Events',
  group: 'Webhooks',
  filters: ['status', 'eventType', 'source', 'secretLabel'],
  load: async ({ db, now }, req) => ({
    intro: 'Every authentic event that the service sent, once, however often it came.',
    sections: [
      filters(req, [
        { name: 'status', label: 'Status', options: eventStatuses },
        { name: 'eventType', label: 'Type', hint: 'payout.confirmed' },
        { name: 'source', label: 'Came by', options: sources },
        { name: 'secretLabel', label: 'Secret', hint: 'its label' },
      ]),
      listTable(req, await listEvents(db, { ...req.filters, cursor: req.cursor }), {
        caption: 'Events, newest first',
        columns: [
          ['Event', (event) => id(event.id, eventHref(event.id))],
          ['Type', ({ eventType, mark }) => (mark === null ? text(eventType) : list([text(eventType), badge(mark)]))],
          ['Status', ({ status }) => eventBadge(status)],
          ['Arrivals', ({ arrivals }) => count(arrivals), 'end'],
          ['Secret', ({ secretLabel }) => (secretLabel === null ? none('recovered') : quiet(secretLabel))],
          ['Received', ({ receivedAt }) => time(receivedAt, now())],
        ],
        unfit: ['No event fits', 'Types count exactly as the service writes them.'],
        empty: [
          'No events yet',
          'The service sends none, or they are rejected: the rejections say why. “tallyhook doctor” checks both.',
        ],
      }),
    ],
  }),
};
