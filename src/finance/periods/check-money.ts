import type { Knex } from 'knex';
import { rateDoubts } from '../../domain/books/rate-doubts.js';
import type { RateDoubt } from '../../domain/books/rate-means.js';
import { grouped } from '../../domain/grouped.js';
import { counted, shortened, words } from '../../domain/in-words.js';
import { objectFromJsonText } from '../../domain/json.js';
import { apart } from '../../domain/settlements/settlement.js';
import type { Missing } from '../../domain/views/books-shapes.js';
import { knownBeside, ratesInUse } from '../../records/books/given-rates.js';
import { farFromAsked, openSettlements } from '../../records/books/period-facts.js';

interface MoneyBooks {
  month: string;
  timeZone: string;
  currency: string;
}

/** What of a month may be worth something else than the books carry: each may be right, so a reason is enough. */
export async function moneyDoubts(db: Knex, { month, timeZone, currency }: MoneyBooks): Promise<Missing[]> {
  const rates = await ratesInUse(db, month, currency);
  const doubts = rateDoubts(rates, await knownBeside(db, rates, { timeZone }));
  return [
    ...(await openSettlements(db, month)).map(({ id, kind, status, entityId, evidence }) =>
      byReason(
        'settlement_open',
        id,
        `break ${id} is ${status}: ${words(kind)} of payout ${entityId}, ${owed(evidence, currency)}`,
      ),
    ),
    ...[...grouped(doubts, ({ assetCode }) => assetCode)].map(([asset, own]) =>
      byReason('rate_far', asset, doubtWords(asset, own)),
    ),
    ...(await farFromAsked(db, month)).map(({ kind, id, told }) =>
      byReason('value_differs', id, `${kind === 'order' ? `order ${id}: ` : ''}${told}`),
    ),
  ];
}

/** So many days of an asset are named. */
const MOST_DAYS = 10;

/** One sentence of an asset: what is wrong with many of its rates, then of how many single days. */
function doubtWords(asset: string | null, doubts: readonly RateDoubt[]): string {
  const days = doubts.filter(({ isOfDay }) => isOfDay);
  const [first] = days;
  const dates = [...new Set(days.map(({ date }) => date))];
  const listed = dates.length > 1 ? ` (${shortened(dates, MOST_DAYS).join(', ')})` : '';
  return [
    ...doubts.filter(({ isOfDay }) => !isOfDay).map(({ told }) => told),
    ...(first === undefined
      ? []
      : [
          `rates of ${asset} that were given for ${counted(dates.length, 'day')}${listed} are far from what else is known, such as of ${first.date}: ${first.told}`,
        ]),
  ].join('; ');
}

function owed(evidence: string, currency: string): string {
  const { missing, ours } = objectFromJsonText(evidence);
  if (typeof missing === 'string') {
    const { size, than } = apart(missing);
    return than === 'more' ? `${size} ${currency} too much arrived` : `${size} ${currency} did not arrive`;
  }
  const expected = typeof ours === 'object' && ours !== null && 'expected' in ours ? ours['expected'] : null;
  return typeof expected === 'string' ? `expected were ${expected} ${currency}` : 'what it is worth is not known';
}

/** What a month may be closed with all the same, by who says why. */
export function byReason(what: Missing['what'], of: string | null, told: string): Missing {
  return { what, of, told, byReason: true };
}
