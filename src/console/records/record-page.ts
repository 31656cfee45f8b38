import type { Knex } from 'knex';
import type { Actor } from '../../domain/console-roles.js';
import { defaultPayoutWords } from '../../domain/family/links.js';
import { capitalized, words } from '../../domain/in-words.js';
import { isJsonObject, type JsonObject } from '../../domain/json.js';
import type { Related } from '../../domain/kinds/kinds.js';
import { reasonWords, unlinkedWords } from '../../domain/orders/reason-words.js';
import type { RecordKind } from '../../domain/records.js';
import type { OrderView } from '../../domain/views/order-shapes.js';
import type { RecordView } from '../../domain/views/record-shape.js';
import { type OpenRefund, openRefundsAmong, ordersOfPayouts } from '../../records/orders/list-open-refunds.js';
import { getOrder } from '../../records/orders/orders.js';
import { type RecordDetails, recordDetails } from '../../records/orders/record-details.js';
import { getRecord, listRecords } from '../../records/rows.js';
import { assignRefundAction } from '../actions/assign-refund.js';
import type { Page, PageDeps } from '../page.js';
import { breaksOf } from '../view/break-rows.js';
import { entityHref, orderHref, withQuery } from '../view/links.js';
import { orderBadge, releaseBadge } from '../view/order-words.js';
import { mayKnowPeople, recordFor } from '../view/personal.js';
import { eventLink, howKnown, sourceLink } from '../view/record-words.js';
import { type Column, calm, type Facts, factsPanel, notice, type Section, table } from '../view/sections.js';
import { timelinePanel } from '../view/timeline-steps.js';
import { ago, count, id, link, none, text, time } from '../view/values.js';
import { ordersFor } from './list-page.js';
import { deepFields, fieldGroups, reportedPanel } from './record-fields.js';
import { columnsOf, noticesOf, type OrdersOf, orderValue, statesOf } from './record-rows.js';
import { type Sheet, sheetOf } from './sheet.js';

/** One record: what it is, how that is known, what it is linked with, and all that happened to it. */
export function recordPage(sheet: Sheet): Page {
  return {
    path: `${sheet.path}/:id`,
    title: sheet.title,
    load: async (deps, req) => {
      const details = await recordDetails(deps.db, sheet.kind, req.params['id'] ?? '');
      if (details === null) return null;
      const { record } = details;
      const fields = recordFor(req.actor, sheet.kind, record);
      const concerned = sheet.kind === 'payout' ? await payoutOrders(deps, record.id) : null;
      // Those of a payout stand in a table of their own.
      const groups = fieldGroups(sheet, fields, mayKnowPeople(req.actor));
      const orders = (concerned?.references ?? []).length > 0 ? null : await ordersFor(deps, sheet, [record]);
      return {
        title: record.id,
        badges: [...statesOf(record), howKnown(record)],
        actions: sheet.kind === 'payout' ? [req.button(assignRefundAction, { id: record.id })] : [],
        sections: [
          ...noticesOf(sheet, record),
          ...(concerned?.sections ?? []),
          ...breaksOf(details.breaks),
          knownPanel(sheet.kind, record, orders),
          ...groups.slice(0, 1),
          ...calm('the other fields', groups.slice(1)),
          ...reportedPanel(sheet, fields),
          ...(await relatedTables(deps, sheet, { record, actor: req.actor })),
          ...calm('what is kept as it came', deepFields(sheet, fields)),
          timelinePanel('What changed, oldest first', details.timeline, {
            actor: req.actor,
            intro: `What events said stands on the left, what the service’s own lists showed on the right.${details.hasOlder ? ' Older changes are in the changes feed.' : ''}`,
            empty: 'No change is kept of it.',
          }),
          ...calm('the deliveries', deliveriesOf(details)),
        ],
      };
    },
  };
}

function knownPanel(kind: RecordKind, record: RecordView, orders: OrdersOf): Section {
  const { id: own, verified, verifiedAt, observedAt, observedBy, absentSince } = record;
  const known: Facts = [['ID', id(own)]];
  if (orders !== null) known.push(['Order', orderValue(orders.get(own) ?? [])]);
  known.push(
    ['Verified', verified ? ago(verifiedAt) : none('not by the service’s own list')],
    ['Shown as of', ago(observedAt)],
    ['Shown by', sourceLink(observedBy) ?? text(`${words(observedBy.type)}: ${observedBy.ref.replaceAll('-', ' ')}`)],
  );
  if (absentSince !== null) known.push(['Not at the service since', ago(absentSince)]);
  if (booked.includes(kind)) {
    const entries = withQuery('/ledger', { recordKind: kind, recordId: own });
    known.push(['In the books', link('its entries', entries)]);
  }
  if (kind === 'payment_intent')
    known.push(['Events', link('that name it', withQuery('/events', { paymentIntentId: own }))]);
  return factsPanel('How it is known', known);
}

const booked: readonly RecordKind[] = ['payment_intent', 'payout', 'transaction'];

/** What the service says it sent of the events that spoke of it. */
function deliveriesOf({ deliveries }: RecordDetails): Section[] {
  if (deliveries.length === 0) return [];
  return [
    table(deliveries, {
      caption: 'Deliveries that brought its events',
      columns: [
        ['Delivery', ({ id: own }) => id(own, entityHref('delivery', own))],
        ['Event', ({ eventId }) => eventLink(eventId)],
        ['Endpoint', ({ endpointUrl }) => text(endpointUrl)],
        ['Status', ({ status }) => text(status)],
        ['Attempts', ({ attempts }) => count(attempts), 'end'],
        ['Created', ({ createdAt }) => time(createdAt)],
      ],
    }),
  ];
}

const MOST_ORDERS = 20;

/** The orders that a payout concerns, and what ends that it holds them. */
async function payoutOrders(
  { db, payoutWords = defaultPayoutWords }: Pick<PageDeps, 'db' | 'payoutWords'>,
  payout: string,
): Promise<{ references: string[]; sections: Section[] }> {
  const references = (await ordersOfPayouts(db, [payout])).get(payout) ?? [];
  const found = await Promise.all(references.slice(0, MOST_ORDERS).map((reference) => getOrder(db, reference)));
  const orders = found.filter((order) => order !== null);
  const [open] = await openRefundsAmong(db, payoutWords, [payout]);
  return {
    references,
    sections: [
      ...(open === undefined ? [] : [noticeOf(payout, open)]),
      ...(orders.length === 0 ? [] : [orderTable(orders)]),
    ],
  };
}

function noticeOf(payout: string, { why, call }: Pick<OpenRefund, 'why' | 'call'>): Section {
  if (why === 'reported') {
    const text = 'It is polled at once. What stays, a person answers: say whose refund it is, above.';
    return notice('warn', 'Only webhooks say whose refund it is', text);
  }
  return notice('warn', 'Whose refund it is has to be said', `${capitalized(unlinkedWords(payout, call))}.`);
}

function orderTable(orders: readonly OrderView[]): Section {
  return table(orders, {
    caption: 'Orders that it concerns',
    columns: [
      ['Order', ({ reference }) => id(reference, orderHref(reference))],
      ['Status', ({ status }) => orderBadge(status)],
      ['Goods', ({ release }) => releaseBadge(release)],
      ['Why', ({ release }) => text(reasonWords(release.reason)), 'wide'],
    ],
  });
}

const MOST = 20;

/** A table for each sort of record that the record is linked with. */
async function relatedTables(
  { db }: PageDeps,
  { related }: Sheet,
  { record, actor }: { record: RecordView; actor: Actor },
): Promise<Section[]> {
  const sections: Section[] = [];
  for (const one of related) {
    const sheet = sheetOf(one.kind);
    if (sheet !== null) sections.push(await tableOf(db, sheet, { one, record, actor }));
  }
  return sections;
}

async function tableOf(
  db: Knex,
  sheet: Sheet,
  { one, record, actor }: { one: Related; record: RecordView; actor: Actor },
): Promise<Section> {
  const named = namedIds(record, one.named);
  const found = new Map<string, RecordView>();
  for (const id of named) {
    const read = await getRecord(db, sheet.kind, id);
    if (read !== null) found.set(id, read);
  }
  const filters = one.by === undefined ? null : { [one.by]: record.id };
  const naming = filters === null ? null : await listRecords(db, sheet.kind, { filters, take: MOST });
  for (const item of naming?.items ?? []) found.set(item.id, item);
  const rows = [...found.values(), ...named.filter((id) => !found.has(id))];
  const more = naming?.nextCursor && filters ? { next: withQuery(sheet.path, filters) } : {};
  const columns = columnsOf(sheet, actor, null).map((column, place) => orUnread(sheet.kind, column, place));
  return {
    ...table(rows, { caption: one.title, columns, onPhone: 'folded', empty: [`${one.title}: none`, one.none] }),
    ...more,
  };
}

/** The same column where some are named alone, by their id, and were not read yet. */
function orUnread(
  kind: RecordKind,
  [label, cell, ...how]: Column<RecordView>,
  place: number,
): Column<RecordView | string> {
  const unread = (own: string) =>
    place === 0 ? id(own, entityHref(kind, own)) : none(place === 1 ? 'not read yet' : undefined);
  return [label, (row) => (typeof row === 'string' ? unread(row) : cell(row)), ...how];
}

/** Of the summaries of payins their ids; of any other field its text. */
function namedIds(fields: JsonObject, name: string | undefined): string[] {
  const value = name === undefined ? null : (fields[name] ?? null);
  if (typeof value === 'string') return value === '' ? [] : [value];
  const ids = (Array.isArray(value) ? value : []).map((item) => (isJsonObject(item) ? item['id'] : null));
  return [...new Set(ids.filter((id) => typeof id === 'string'))].slice(0, MOST);
}
