import type { Command } from 'commander';
import type { Knex } from 'knex';
import { asOfMoment } from '../domain/books/as-of.js';
import { rangeProblem } from '../domain/family/money.js';
import { ownCallWords, passedOverWords, reasonWords, unlinkedWords } from '../domain/orders/reason-words.js';
import { referenceDifference } from '../domain/reference-skeleton.js';
import { type OrderView, orderShape, type RecordAsOf } from '../domain/views/order-shapes.js';
import type { RecordView } from '../domain/views/record-shape.js';
import { type ShownChange, type Step, shownChanges, shownValue, stepsOf } from '../domain/views/shown-changes.js';
import { UsageError } from '../errors.js';
import type { PageQuery } from '../records/database/paging.js';
import { type OrderAsOf, orderAsOf } from '../records/orders/order-as-of.js';
import { type OrderDetails, orderDetails, type TimelineEntry } from '../records/orders/order-details.js';
import { listOrders, type OrderFilters } from '../records/orders/orders.js';
import { listVerb, wordOption } from './list-verb.js';
import { type Columns, printJson, printLines } from './print.js';
import { withStore } from './with-store.js';

const columns: Columns<OrderView> = {
  reference: 'reference',
  status: 'status',
  release: ({ release: { safe, reason } }) => (safe ? 'safe' : reason),
  expected: ({ expected }) => moneyWords(expected),
  received: ({ received }) => moneyWords(received),
  'last change': 'updatedAt',
};

const moneyWords = (money: OrderView['received']): string =>
  money === null ? '' : `${money.amount} ${money.currency}`;

export function define(command: Command): void {
  command.description('orders by their merchantReference');
  const list = (db: Knex, { asset, ...query }: PageQuery & OrderFilters & { asset?: string }) => {
    const asked = { ...query, assetCode: asset };
    const wrong = rangeProblem(asked);
    if (wrong !== null) throw new UsageError(`${wrong.field} ${wrong.problem}.`);
    return listOrders(db, asked);
  };
  listVerb(command, 'all of them, newest first', { columns, list })
    .addOption(wordOption(orderShape, 'status', 'only in this state; docs/orders.md explains each'))
    .option('--asset <code>', 'only those of which all that came in is of this asset')
    .option('--received-from <amount>', 'only those for which so much came in, or more; beside --asset')
    .option('--received-to <amount>', 'only those for which no more came in; beside --asset');
  command
    .command('show <reference>')
    .description('the timeline of one order, in the order in which it was saved, with sources')
    .option('--as-of <time>', 'as it was known at the end of a day (in BOOKS_TIMEZONE) or at a moment')
    .option('--json', 'print JSON')
    .action((reference: string, { json = false, asOf }: { json?: boolean; asOf?: string }) =>
      asOf === undefined ? show(reference, json) : showAsOf(reference, { given: asOf, json }),
    );
}

async function show(reference: string, json: boolean): Promise<void> {
  await withStore(async ({ db, contract }) => {
    const { words } = (await contract()).movements;
    const details = await orderDetails(db, reference, { payoutWords: words.payoutType });
    if (!details) throw unknownOrder(reference);
    print(details, json, printOrder);
  });
}

async function showAsOf(reference: string, { given, json }: { given: string; json: boolean }): Promise<void> {
  await withStore(async ({ db, zone }) => {
    const asOf = asOfMoment(given, zone.timeZone);
    if (asOf === null)
      throw new UsageError('Accepted is a day such as 2026-10-31, or a moment such as 2026-10-31T18:00Z.');
    const result = await orderAsOf(db, reference, asOf);
    if (result.outcome === 'not_found') throw unknownOrder(reference);
    if (result.outcome === 'not_yet_known')
      throw new UsageError(`The order "${reference}" was first known here at ${result.firstKnownAt}.`);
    print(result.details, json, printOrderAsOf);
  });
}

function print<Details extends OrderDetails | OrderAsOf>(
  details: Details,
  json: boolean,
  printResult: (details: Details) => string[],
): void {
  if (json) printJson(details);
  else printLines(printResult(details), indentOf);
}

function unknownOrder(reference: string): UsageError {
  return new UsageError(`There is no order "${reference}". References count byte for byte.`);
}

/** An order as it was known at a time, line by line, and what that does not say. */
function printOrderAsOf({ reference, asOf, order, timeline, toldLater, ...records }: OrderAsOf): string[] {
  const { status, expected, release } = order;
  return [
    `order      ${reference}`,
    `as of      ${asOf}: what was known here then, not what had happened at the service by then`,
    `status     ${status ?? 'unknown'}`,
    `expected   ${expected ? `${expected.amount} ${expected.currency}` : 'not registered by the store'}`,
    `release    ${release.safe ? 'safe' : 'not safe'} (${release.reason})`,
    laterLine(toldLater),
    'not kept   personal data (digests stand in its place), and whether a break was open',
    '',
    ...printMadeOf(order, records, { print: printRecordAsOf, unread: 'not read then' }),
    '',
    ...stepsOf(timeline).map(printStep),
  ];
}

function laterLine({ changes, firstKnownAt }: OrderAsOf['toldLater']): string {
  if (changes === 0) return 'later      nothing that the service had said by then became known later';
  return `later      ${changes} changes that the service had said by then became known later, the first at ${firstKnownAt}`;
}

function printRecordAsOf({ fields, verified, absent, knownAt, knownBy }: RecordAsOf): string {
  const how = absent ? 'not at the service any more' : verified ? 'verified' : 'not verified';
  const verb = knownBy.type === 'poll' ? 'showed' : 'said';
  return `${statusOf(fields['status'])}, ${how}, as ${knownBy.type} ${knownBy.ref} ${verb} at ${knownAt}`;
}

/** What stands before the text of a line: its label, or the time of a step. */
const LABEL_WIDTH = 'release    '.length;
const TIME_WIDTH = '2026-10-31 18:00:00Z  '.length;
const indentOf = (line: string): number => (/^\d/.test(line) ? TIME_WIDTH : LABEL_WIDTH);

const SOURCE_WIDTH = 44;
const LONGEST_VALUE = 60;

export function printOrder({ order, timeline, reported, unlinked, openCalls, ...records }: OrderDetails): string[] {
  const { safe, reason, provenAt } = order.release;
  return [
    `order      ${order.reference}`,
    `status     ${order.status}`,
    `expected   ${order.expected ? `${order.expected.amount} ${order.expected.currency}` : 'not registered by the store'}`,
    ...(order.received === null ? [] : [`received   ${moneyWords(order.received)}`]),
    `release    ${safe ? `safe since ${provenAt}` : 'not safe'} (${reason})`,
    ...(safe ? [] : [`why        ${reasonWords(reason)}`]),
    ...(order.sharedBy === null ? [] : [`ambiguous  ${printShared(order.sharedBy)}`]),
    ...order.similarReferences.map((similar) => printSimilar(order.reference, similar)),
    '',
    ...printMadeOf(order, records, {
      print: (record) => `${statusOf(record.status)}, ${howKnown(record)}`,
      unread: 'not read yet',
    }),
    ...openCalls.filter(({ key }) => unlinked.every(({ call }) => call?.key !== key)).map(printCall),
    ...unlinked.map(({ id, call }) => `unlinked   ${id}  ${unlinkedWords(id, call)}`),
    ...reported.paymentIntents.map(printReported),
    ...reported.refunds.map(printSaid),
    ...reported.passedOver.map((one) => `passed by  ${passedOverWords(one)}`),
    '',
    ...stepsOf(timeline).map(printStep),
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
function printMadeOf<T extends { id: string }>(
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

const statusOf = (status: unknown): string => (typeof status === 'string' ? status : 'state unknown');

function howKnown(record: RecordView): string {
  const { verified, verifiedAt, absentSince } = record;
  if (absentSince !== null) return `not at the service since ${absentSince}`;
  return verified ? `as the service's own list showed at ${verifiedAt}` : `${saidBy(record)}, not verified`;
}

function saidBy({ observedAt, observedBy: { type, ref } }: RecordView): string {
  return `as ${type} ${ref} ${type === 'poll' ? 'showed' : 'said'} at ${observedAt}`;
}

function printStep({ first, said, changes }: Step<TimelineEntry>): string {
  const { changedAt, source, because, entity } = first;
  const origin = `${source.type} ${source.ref}${because === null ? '' : ` (${because.name})`}`;
  const about = `${entity.kind} ${entity.id}${said === null ? '' : ` ${said}`}`;
  const changed = changes.flatMap(shownChanges).map(printChange).join(', ');
  return `${changedAt}  ${origin.padEnd(SOURCE_WIDTH)} ${about}${changed === '' ? '' : `: ${changed}`}`;
}

function printChange({ field, from, to }: ShownChange): string {
  const before = from === null ? '' : `${shownValue(from, LONGEST_VALUE)} → `;
  return `${field} ${before}${shownValue(to, LONGEST_VALUE)}`;
}
