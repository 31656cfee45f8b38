import { stringify } from 'lossless-json';
import { type EventDetail, getEvent } from '../../records/inbox/events.js';
import { replayEvent } from '../actions/replay-event.js';
import type { Page, PageRequest } from '../page.js';
import { eventStatusMeans, eventStatusTone } from '../view/event-words.js';
import { eventHref } from '../view/links.js';
import { bodyFor, mayKnowPeople } from '../view/personal.js';
import type { Section } from '../view/sections.js';
import { badge, count, id, link, list, none, text, time } from '../view/values.js';

export const event: Page = {
  path: '/events/:id',
  title: 'Event',
  load: async ({ db, now }, req) => {
    const found = await getEvent(db, req.params['id'] ?? '');
    if (found === null) return null;
    const { status, error } = found;
    const notice: Section[] =
      error === null || status === 'applied'
        ? []
        : [{ is: 'notice', tone: status === 'dead' ? 'bad' : 'warn', title: error, text: eventStatusMeans[status] }];
    return {
      title: found.eventType,
      badges: [badge(status, eventStatusTone(status))],
      crumbs: [{ text: 'Events', href: '/events' }],
      actions: [found.body === null ? null : req.button(replayEvent, { id: found.id })],
      sections: [...notice, factsOf(found, now()), arrivalsOf(found), bodyOf(found, req)],
    };
  },
};

function factsOf(found: EventDetail, now: Date): Section {
  const { id: own, status, source, key, keyType, eventId, attempts, sameContentAs } = found;
  return {
    is: 'panel',
    title: 'What is known of it',
    intro: eventStatusMeans[status],
    sections: [
      {
        is: 'facts',
        facts: [
          ['Event', id(own)],
          ['Received', time(found.receivedAt, now)],
          ['Applied', time(found.appliedAt, now)],
          ['Came by', text(source === 'webhook' ? 'webhook' : 'recovered from the delivery history')],
          ['Attempts to apply', count(attempts)],
          [keyType === 'id' ? 'Told apart by the id' : 'Told apart by its content', id(eventId ?? key)],
          [
            'Same content as',
            list(
              sameContentAs.map((other) => link(`event ${other}`, eventHref(other))),
              'no other event',
            ),
          ],
        ],
      },
    ],
  };
}

function arrivalsOf({ arrivalsBySecret }: EventDetail): Section {
  return {
    is: 'table',
    caption: 'Arrivals by secret',
    showCaption: true,
    columns: [{ label: 'Secret' }, { label: 'Arrivals', align: 'end' }, { label: 'First' }, { label: 'Last' }],
    rows: arrivalsBySecret.map((arrival) => [
      arrival.secretLabel === '' ? none('none') : text(arrival.secretLabel),
      count(arrival.arrivals),
      time(arrival.firstAt),
      time(arrival.lastAt),
    ]),
    empty: { title: 'It never came by webhook', text: 'It was recovered from the delivery history of the service.' },
  };
}

function bodyOf({ body }: EventDetail, { actor }: PageRequest): Section {
  if (body === null) {
    const text = 'Events that were dealt with keep their body for RETENTION_BODY_DAYS.';
    return { is: 'notice', tone: 'quiet', title: 'The body was deleted by its age', text };
  }
  const seen = bodyFor(actor, body);
  if (seen === null) {
    const text = 'It is no JSON, so what tells of a person can not be masked for the role viewer.';
    return { is: 'notice', tone: 'quiet', title: 'The body is not shown', text };
  }
  const title = mayKnowPeople(actor) ? 'Body' : 'Body, personal data masked';
  return { is: 'code', title, text: 'text' in seen ? seen.text : (stringify(seen.json, null, 2) ?? '') };
}
