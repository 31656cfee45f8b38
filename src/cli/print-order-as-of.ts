import type { OrderAsOf, RecordAsOf } from '../records/orders/order-as-of.js';
import { printMadeOf, printStep, statusOf } from './print-order.js';

/** An order as it was known at a time, line by line, and what that does not say. */
export function printOrderAsOf({ reference, asOf, order, timeline, toldLater, ...records }: OrderAsOf): string[] {
  const { status, expected, release } = order;
  return [
    `order      ${reference}`,
    `as of      ${asOf}: what was known here then, not what had happened at the service by then`,
    `status     ${status ?? 'unknown'}`,
    `expected   ${expected ? `${expected.amount} ${expected.currency}` : 'not registered by the store'}`,
    `release    ${release.safe ? 'safe' : 'not safe'} (${release.reason})`,
    toldLaterLine(toldLater),
    'not kept   personal data (digests stand in its place), and whether a break was open',
    '',
    ...printMadeOf(order, records, { print: printRecord, unread: 'not read then' }),
    '',
    ...timeline.map(printStep),
  ];
}

function toldLaterLine({ changes, firstKnownAt }: OrderAsOf['toldLater']): string {
  if (changes === 0) return 'later      nothing that the service had said by then became known later';
  return `later      ${changes} changes that the service had said by then became known later, the first at ${firstKnownAt}`;
}

function printRecord({ fields, verified, absent, knownAt, knownBy }: RecordAsOf): string {
  const how = absent ? 'not at the service any more' : verified ? 'verified' : 'not verified';
  const verb = knownBy.type === 'poll' ? 'showed' : 'said';
  return `${statusOf(fields['status'])}, ${how}, as ${knownBy.type} ${knownBy.ref} ${verb} at ${knownAt}`;
}
