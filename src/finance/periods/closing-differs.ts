import type { Knex } from 'knex';
import { accounts } from '../../domain/books/chart.js';
import { sumAmounts } from '../../domain/money.js';
import { type BookedLater, bookedLater } from '../../records/books/booked-later.js';
import { monthTotals } from '../../records/books/month-totals.js';

export interface ClosingDiffers {
  assetCode: string;
  told: string;
}

/** So many of what is booked later are named of an asset. */
const NAMED = 5;

/**
 * Assets of which the books end the month with another balance than the service may have held: the balance is proven only with
 * what they date after the month, and nothing shows that it came after it. `end`: the month's, in ms; not a number: it has none.
 */
export async function closingDiffers(
  db: Knex,
  { month, end, timeZone }: { month: string; end: number; timeZone: string },
): Promise<ClosingDiffers[]> {
  if (Number.isNaN(end)) return [];
  const later = await bookedLater(db, { month, end: new Date(end), timeZone });
  const found: ClosingDiffers[] = [];
  // One after the other: a transaction has one connection.
  for (const assetCode of new Set(later.map((one) => one.assetCode))) {
    const own = later.filter((one) => one.assetCode === assetCode);
    const { totals } = await monthTotals(db, month, { account: accounts.operating, assetCode });
    const closing = totals[0]?.closing ?? '0';
    found.push({ assetCode, told: toldOf(own, { month, assetCode, closing }) });
  }
  return found;
}

function toldOf(
  own: readonly BookedLater[],
  { month, assetCode, closing }: { month: string; assetCode: string; closing: string },
): string {
  const held = sumAmounts([closing, ...own.map(({ amount }) => amount)]);
  const named = own
    .slice(0, NAMED)
    .map(({ recordKind, recordId, amount, day }) => `${amount} of it on ${day} (${recordKind} ${recordId})`);
  const others = own.length > NAMED ? [`${own.length - NAMED} more`] : [];
  return `the books end ${month} with ${closing} ${assetCode}, and the service may have held ${held}: booked later are ${[...named, ...others].join(', ')}; no proof of the balance shows that it came after the month`;
}
