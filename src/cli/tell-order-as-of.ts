import type { OrderAsOf, RecordAsOf } from '../records/orders/order-as-of.js';
import { tellStep } from './tell-order.js';

/** An order as it was known at a time, line by line, and what that does not say. */
export function tellOrderAsOf({ reference, asOf, order, timeline, toldLater, ...records }: OrderAsOf): string[] {
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
    ...tellRecords('payment', order.paymentIntents, records.paymentIntents),
    ...tellRecords('deposit', [], records.payins),
    ...tellRecords('invoice', order.invoices, records.invoices),
    ...tellRecords('refund', order.refunds, records.refunds),
    '',
    ...timeline.map(tellStep),
  ];
}

function toldLaterLine({ changes, firstKnownAt }: OrderAsOf['toldLater']): string {
  if (changes === 0) return 'later      nothing that the service had said by then became known later';
  return `later      ${changes} changes that the service had said by then became known later, the first at ${firstKnownAt}`;
}

function tellRecords(title: string, named: readonly string[], records: readonly RecordAsOf[]): string[] {
  const unread = named.filter((id) => records.every((record) => record.id !== id));
  return [
    ...records.map(({ id, fields, verified, absent, knownAt, knownBy }) => {
      const status = typeof fields['status'] === 'string' ? fields['status'] : 'state unknown';
      const how = absent ? 'not at the service any more' : verified ? 'verified' : 'not verified';
      return `${title.padEnd(10)} ${id}  ${status}, ${how}, as ${knownBy.type} ${knownBy.ref} said at ${knownAt}`;
    }),
    ...unread.map((id) => `${title.padEnd(10)} ${id}  not read then`),
  ];
}
