import type { Command } from 'commander';
import { asOfMoment } from '../domain/books/as-of.js';
import type { RecordAsOf } from '../domain/views/order-shapes.js';
import { UsageError } from '../errors.js';
import { type OrderAsOf, orderAsOf } from '../records/orders/order-as-of.js';
import { type OrderDetails, orderDetails } from '../records/orders/order-details.js';
import { oneLine, printJson } from './print.js';
import { printMadeOf, printOrder, printStep, statusOf } from './print-order.js';
import { withStore } from './with-store.js';

export function define(command: Command): void {
  command.description('orders by their merchantReference');
  command
    .command('show <reference>')
    .description('the timeline of one order, in time order, with sources')
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
  else process.stdout.write(`${printResult(details).map(oneLine).join('\n')}\n`);
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
    ...printMadeOf(order, records, { print: printRecord, unread: 'not read then' }),
    '',
    ...timeline.map(printStep),
  ];
}

function laterLine({ changes, firstKnownAt }: OrderAsOf['toldLater']): string {
  if (changes === 0) return 'later      nothing that the service had said by then became known later';
  return `later      ${changes} changes that the service had said by then became known later, the first at ${firstKnownAt}`;
}

function printRecord({ fields, verified, absent, knownAt, knownBy }: RecordAsOf): string {
  const how = absent ? 'not at the service any more' : verified ? 'verified' : 'not verified';
  const verb = knownBy.type === 'poll' ? 'showed' : 'said';
  return `${statusOf(fields['status'])}, ${how}, as ${knownBy.type} ${knownBy.ref} ${verb} at ${knownAt}`;
}
