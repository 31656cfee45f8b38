import { stringify } from 'lossless-json';
import { fromJsonText, isJsonObject, type JsonObject } from '../../domain/json.js';
import { textField } from '../../domain/records.js';
import type { EventDetail } from '../../domain/views/webhook-shapes.js';
import { getEvent } from '../../records/inbox/events.js';
import { replayEvent } from '../actions/replay-event.js';
import type { Page, PageRequest } from '../page.js';
import { eventStatusMeans, eventStatusTone } from '../view/event-words.js';
import { entityHref, eventHref, orderHref } from '../view/links.js';
import { bodyFor, maskedEvent, mayKnowPeople } from '../view/personal.js';
import { kindWord } from '../view/record-words.js';
import type { Section } from '../view/sections.js';
import { badge, count, id, link, list, none, quiet, stack, text, time, type Value } from '../view/values.js';

export const event: Page = {
  path: '/events/:id',
  title: 'Event',
  load: async ({ db, now }, req) => {
    const found = await getEvent(db, req.params['id'] ?? '');
    if (found === null) return null;
    const { key } = mayKnowPeople(req.actor) ? found : maskedEvent(found);
    const { status, error } = found;
    const notice: Section[] =
      error === null || status === 'applied'
        ? []
        : [{ is: 'notice', tone: status === 'dead' ? 'bad' : 'warn', title: error, text: eventStatusMeans[status] }];
    return {
      title: found.eventType,
      badges: [badge(status, eventStatusTone(status)), ...(found.mark === null ? [] : [badge(found.mark, 'quiet')])],
      crumbs: [{ text: 'Events', href: '/events' }],
      actions: [found.body === null ? null : req.button(replayEvent, { id: found.id })],
      sections: [...markOf(found), ...notice, factsOf({ ...found, key }, now()), arrivalsOf(found), bodyOf(found, req)],
    };
  },
};

function markOf({ mark }: EventDetail): Section[] {
  if (mark === null) return [];
  const text = 'Its signed body says so. It makes no record, no order, no break and no callback.';
  return [{ is: 'notice', tone: 'quiet', title: 'A test by “tallyhook trigger”', text }];
}

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
          ['About', aboutOf(found)],
          ['Received', time(found.receivedAt, now)],
          ['Applied', time(found.appliedAt, now)],
          ['Came by', text(source === 'webhook' ? 'webhook' : 'recovered from the delivery history')],
          ['Attempts to apply', count(attempts)],
          [keyType === 'id' ? 'Known by the id' : 'Known by its content', id(eventId ?? key)],
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

/** Kinds whose events carry the record itself, with its id. */
const carried = ['payment_intent', 'payin', 'invoice', 'payout'] as const;

/** The record that it speaks of, and the order, as far as its body names them. */
function aboutOf({ eventType, body }: EventDetail): Value {
  const data = body === null ? null : dataOf(body);
  if (data === null) return none();
  const kind = carried.find((known) => eventType.startsWith(`${known}.`));
  const own = kind === undefined ? null : textField(data, 'id');
  const reference = kind === 'payout' ? null : textField(data, 'merchantReference');
  return stack([
    ...(kind === undefined || own === null ? [] : [list([quiet(kindWord(kind)), id(own, entityHref(kind, own))])]),
    ...(reference === null ? [] : [list([quiet('order'), id(reference, orderHref(reference))])]),
  ]);
}

function dataOf(body: string): JsonObject | null {
  try {
    const json = fromJsonText(body);
    const data = isJsonObject(json) ? (json['data'] ?? null) : null;
    return isJsonObject(data) ? data : null;
  } catch {
    return null;
  }
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
    const text = 'It is no JSON, so what identifies a person can not be masked for the role viewer.';
    return { is: 'notice', tone: 'quiet', title: 'The body is not shown', text };
  }
  const title = mayKnowPeople(actor) ? 'Body' : 'Body, personal data masked';
  return { is: 'code', title, text: 'text' in seen ? seen.text : (stringify(seen.json, null, 2) ?? '') };
}
