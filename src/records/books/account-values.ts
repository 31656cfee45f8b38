import type { Knex } from 'knex';
import { bookedLines, exact } from './month-query.js';

/** What the lines of an account were worth at their own rates. */
export interface AccountValue {
  account: string;
  /** Exact; null: no line has a rate. */
  value: string | null;
  /** Lines without a rate of the currency; they are not in the value. */
  unpriced: number;
}

/** Of each account in a month of the books (YYYY-MM). Memos count nowhere. */
export async function accountValues(trx: Knex.Transaction, month: string, currency: string): Promise<AccountValue[]> {
  const { rows } = await trx.raw<{ rows: AccountValue[] }>(
    `SELECT account, ${exact('sum(amount * rate)')} AS value, (count(*) FILTER (WHERE rate IS NULL))::integer AS unpriced
     FROM (${bookedLines} AND NOT memo) AS lines GROUP BY account ORDER BY account COLLATE "C"`,
    { month, currency },
  );
  return rows;
}
