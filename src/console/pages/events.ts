import { stringify } from 'lossless-json';
import { CANARY_MARK } from '../../domain/events/event-key.js';
import { fromJsonText, isJsonObject, type JsonObject } from '../../domain/json.js';
import { textField } from '../../domain/records.js';
import type { EventDetail, EventView } from '../../domain/views/webhook-shapes.js';
import { isRowId } from '../../records/database/paging.js';
import { getEvent, listEvents } from '../../records/inbox/events.js';
import { replayEvent } from '../actions/replay.js';
import { replayPicked } from '../actions/replay-picked.js';
import type { Page, PageDeps, PageRequest } from '../page.js';
import { badFilter } from '../problem.js';
import { eventBadge, eventColumns, eventStatuses, eventStatusMeans } from '../view/event-rows.js';
import { bodyFor, maskedEvent, mayKnowPeople } from '../view/personal.js';
import { entityValue, eventLink } from '../view/record-words.js';
import {
  type ActionButton,
  code,
  type Facts,
  factsPanel,
  filters,
  listTable,
  notice,
  pickColumn,
  type Section,
  type TableSection,
  table,
} from '../view/sections.js';
import { ago, badge, count, id, list, none, stack, text, time, type Value } from '../view/values.js';

const WAITING = 'waiting';
const sources = [
  { value: 'webhook', text: 'webhook' },
  { value: 'delivery_history', text: 'recovered from the history' },
];

export const events: Page = {
  path: '/events',
  title: 'Events',
  group: 'Webhooks',
  list: { rows: eventRows },
  filters: [
    { name: 'id', label: 'Events', hint: 'their numbers', onlyNamed: true },
    { name: 'reference', label: 'Order', hint: 'its reference' },
    { name: 'paymentIntentId', label: 'Payment', hint: 'the whole id' },
    {
      name: 'status',
      label: 'Status',
      options: [...eventStatuses, { value: WAITING, text: 'received, or tried again' }],
    },
    { name: 'eventType', label: 'Type', hint: 'payout.confirmed' },
    { name: 'source', label: 'Came by', options: sources },
    { name: 'secretLabel', label: 'Secret', hint: 'its label' },
  ],
  load: async (deps, req) => {
    const picked = req.button(replayPicked);
    return {
      intro: 'Every authentic event that the service sent, once, however often it came.',
      actions: [picked],
      sections: [
        filters(req, {
          views: {
            Waiting: { status: WAITING },
            'Tried again': { status: 'failed' },
            'Given up': { status: 'dead' },
            'Not kept': { status: 'unhandled' },
          },
        }),
        await eventRows(deps, req, picked),
      ],
    };
  },
};

async function eventRows(
  { db }: PageDeps,
  req: PageRequest,
  picked: ActionButton | null = null,
): Promise<TableSection> {
  const { id: ids, status, ...narrowed } = req.filters;
  const isWaiting = status === WAITING;
  const about = { isWaiting, status: isWaiting ? undefined : status, ids: ids === undefined ? undefined : idsOf(ids) };
  const query = { ...narrowed, ...req.slice, ...about };
  return listTable(req, await listEvents(db, query), {
    caption: 'Events, newest first',
    columns: [
      ...pickColumn<EventView>(picked, ({ id, eventType }) => ({ id, label: `Pick event ${id}, ${eventType}` })),
      ...eventColumns,
    ],
    unfit: [
      'No event fits',
      'Each field counts as a whole. Of which order and payment an event is shows once a worker took it.',
    ],
    empty: [
      'No events yet',
      'The service sends none, or they are rejected: the rejections say why. “tallyhook doctor” checks both.',
    ],
  });
}

const MOST_IDS = 100;

/** @throws {Problem} 400 */
function idsOf(given: string): string[] {
  const ids = given.split(',').map((one) => one.trim());
  if (ids.length <= MOST_IDS && ids.every(isRowId)) return ids;
  throw badFilter(
    'id',
    `is "${given.slice(0, 40)}"; it takes numbers of events, ${MOST_IDS} at most, with commas between`,
  );
}

export const event: Page = {
  path: '/events/:id',
  title: 'Event',
  load: async ({ db }, req) => {
    const found = await getEvent(db, req.params['id'] ?? '');
    if (found === null) return null;
    const { key } = mayKnowPeople(req.actor) ? found : maskedEvent(found);
    const { status, error } = found;
    const failure =
      error === null || status === 'applied'
        ? []
        : [notice(status === 'dead' ? 'bad' : 'warn', error, eventStatusMeans[status])];
    return {
      title: found.eventType,
      badges: [eventBadge(status), ...(found.mark === null ? [] : [badge(found.mark)])],
      actions: [found.body === null ? null : req.button(replayEvent, { id: found.id })],
      sections: [
        ...markOf(found),
        ...failure,
        factsOf({ ...found, key }),
        table(found.arrivalsBySecret, {
          caption: 'Arrivals by secret',
          columns: [
            ['Secret', ({ secretLabel }) => (secretLabel === '' ? none('none') : text(secretLabel))],
            ['Arrivals', ({ arrivals }) => count(arrivals), 'end'],
            ['First', ({ firstAt }) => time(firstAt)],
            ['Last', ({ lastAt }) => time(lastAt)],
          ],
          empty: ['It never came by webhook', 'It was recovered from the delivery history of the service.'],
        }),
        bodyOf(found, req),
      ],
    };
  },
};

function markOf({ mark }: EventDetail): Section[] {
  if (mark === null) return [];
  const [title, why] =
    mark === CANARY_MARK
      ? [
          'A canary',
          'We sent it ourselves through WEBHOOK_PUBLIC_URL (CANARY_MINUTES), and knew it again when it came back.',
        ]
      : ['A test by “tallyhook trigger”', 'Its signed body says so.'];
  return [notice('quiet', title, `${why} It makes no record, no order, no break and no callback.`)];
}

function factsOf(found: EventDetail): Section {
  const { id: own, status, source, key, keyType, eventId, attempts, sameContentAs } = found;
  const known: Facts = [
    ['Event', id(own)],
    ['About', aboutOf(found)],
    ['Received', ago(found.receivedAt)],
    ['Applied', ago(found.appliedAt)],
    ['Came by', text(source === 'webhook' ? 'webhook' : 'recovered from the delivery history')],
    ['Attempts to apply', count(attempts)],
    [keyType === 'id' ? 'Known by the id' : 'Known by its content', id(eventId ?? key)],
    ['Same content as', list(sameContentAs.map(eventLink), 'no other event')],
  ];
  return factsPanel('What is known of it', known, eventStatusMeans[status]);
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
    ...(kind === undefined || own === null ? [] : [entityValue({ kind, id: own })]),
    ...(reference === null ? [] : [entityValue({ kind: 'order', id: reference })]),
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

function bodyOf({ body }: EventDetail, { actor }: PageRequest): Section {
  if (body === null) {
    const text = 'Events that were dealt with keep their body for RETENTION_BODY_DAYS.';
    return notice('quiet', 'The body was deleted by its age', text);
  }
  const seen = bodyFor(actor, body);
  if (seen === null) {
    const text = 'It is no JSON, so what identifies a person can not be masked for the role viewer.';
    return notice('quiet', 'The body is not shown', text);
  }
  const title = mayKnowPeople(actor) ? 'Body' : 'Body, personal data masked';
  return code(title, 'text' in seen ? seen.text : (stringify(seen.json, null, 2) ?? ''));
}
