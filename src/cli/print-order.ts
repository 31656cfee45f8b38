import { type Json, toJsonText } from '../domain/json.js';
import { ownCallWords, passedOverWords, reasonWords, unlinkedWords } from '../domain/orders/reason-words.js';
import { referenceDifference } from '../domain/reference-difference.js';
import type { RecordView } from '../domain/views/record-shape.js';
import type { OrderDetails, TimelineEntry } from '../records/orders/order-details.js';

const SOURCE_WIDTH = 44;
const LONGEST_VALUE = 60;

export function printOrder({ order, timeline, reported, unlinked, openCalls, ...records }: OrderDetails): string[] {
  const { safe, reason, provenAt } = order.release;
  return [
    `order      ${order.reference}`,
    `status     ${order.status}`,
    `expected   ${order.expected ? `${order.expected.amount} ${order.expected.currency}` : 'not registered by the store'}`,
    `release    ${safe ? `safe since ${provenAt}` : 'not safe'} (${reason})`,
    ...(safe ? [] : [`why        ${reasonWords(reason)}`]),
    ...(order.sharedBy === null ? [] : [`ambiguous  ${printShared(order.sharedBy)}`]),
    ...order.similarReferences.map((similar) => printSimilar(order.reference, similar)),
    '',
    ...printMadeOf(order, records, { print: printRecord, unread: 'not read yet' }),
    ...openCalls.filter(({ key }) => unlinked.every(({ call }) => call?.key !== key)).map(printCall),
    ...unlinked.map(({ id, call }) => `unlinked   ${id}  ${unlinkedWords(id, call)}`),
    ...reported.paymentIntents.map(printReported),
    ...reported.refunds.map(printSaid),
    ...reported.passedOver.map((one) => `passed by  ${passedOverWords(one)}`),
    '',
    ...timeline.map(printStep),
  ];
}

function printCall(call: OrderDetails['openCalls'][number]): string {
  const about = `to give ${call.paymentIntentId} back, at ${call.begunAt.toISOString()}`;
  return `own call   ${call.key}  ${about}; ${ownCallWords(call, call.objectId)}`;
}

function printReported(record: RecordView): string {
  const said = `${statusOf(record.reported?.['status'])}, ${saidBy(record)}`;
  return `only said: payment ${record.id}  ${said}: it pays nothing, and holds the order at most`;
}

function printSaid({ id, said: { of, name, by, at } }: OrderDetails['reported']['refunds'][number]): string {
  const back = of === 'payment' ? `payment ${name}` : 'money of this order';
  return `only said: refund ${id}  gives ${back} back, as webhook ${by} said at ${at}: it holds the order at most`;
}

function printSimilar(reference: string, similar: string): string {
  const { here, there } = referenceDifference(reference, similar);
  return `not to be mistaken for  ${similar}  (here ${here}; there ${there})`;
}

function printShared({ paymentIntents, invoices }: NonNullable<OrderDetails['order']['sharedBy']>): string {
  return `${paymentIntents} payments and ${invoices} invoices share this reference: it does not say which of them is whose`;
}

type Parts<T> = Record<'paymentIntents' | 'payins' | 'invoices' | 'refunds', readonly T[]>;

/** What an order is made of, a line each; of an id that it names and that was not read, the word for that. */
export function printMadeOf<T extends { id: string }>(
  named: Pick<OrderDetails['order'], 'paymentIntents' | 'invoices' | 'refunds'>,
  records: Parts<T>,
  { print, unread }: { print: (record: T) => string; unread: string },
): string[] {
  const printAll = (title: string, ids: readonly string[], found: readonly T[]) => [
    ...found.map((record) => `${title.padEnd(10)} ${record.id}  ${print(record)}`),
    ...ids
      .filter((id) => found.every((record) => record.id !== id))
      .map((id) => `${title.padEnd(10)} ${id}  ${unread}`),
  ];
  return [
    ...printAll('payment', named.paymentIntents, records.paymentIntents),
    ...printAll('payin', [], records.payins),
    ...printAll('invoice', named.invoices, records.invoices),
    ...printAll('refund', named.refunds, records.refunds),
  ];
}

function printRecord(record: RecordView): string {
  return `${statusOf(record.status)}, ${howKnown(record)}`;
}

export function statusOf(status: unknown): string {
  return typeof status === 'string' ? status : 'state unknown';
}

function howKnown(record: RecordView): string {
  const { verified, verifiedAt, absentSince } = record;
  if (absentSince !== null) return `not at the service since ${absentSince}`;
  return verified ? `as the service's own list showed at ${verifiedAt}` : `${saidBy(record)}, not verified`;
}

function saidBy({ observedAt, observedBy: { type, ref } }: RecordView): string {
  return `as ${type} ${ref} ${type === 'poll' ? 'showed' : 'said'} at ${observedAt}`;
}

export function printStep({ changedAt, source, because, entity, field, from, to }: TimelineEntry): string {
  const origin = `${source.type} ${source.ref}${because === null ? '' : ` (${because.name})`}`;
  return `${changedAt}  ${origin.padEnd(SOURCE_WIDTH)} ${entity.kind} ${entity.id}: ${field} ${short(from)} → ${short(to)}`;
}

function short(value: Json): string {
  const text = typeof value === 'string' ? value : toJsonText(value);
  return text.length > LONGEST_VALUE ? `${text.slice(0, LONGEST_VALUE - 3)}…` : text;
}
