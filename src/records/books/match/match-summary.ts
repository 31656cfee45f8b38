import type { Knex } from 'knex';
import type { AgeBucket } from '../../../domain/age-buckets.js';
import { ageOn } from '../../../domain/books/match/ageing.js';
import type { MatchState } from '../../../domain/books/match/match-order.js';
import type { MatchAmount } from '../../../domain/books/match/match-sides.js';
import { type MatchTotals, matchTotals } from '../../../domain/books/match/totals.js';
import { fromDatabaseText } from '../../database/database-text.js';

/** What is matched and what is not, by age, and its sums by asset: of the orders as they stand. */
export async function matchSummary(db: Knex, { today }: { today: string }): Promise<MatchTotals> {
  const { rows } = await db.raw<{
    rows: (MatchAmount & { opened_on: string; state: MatchState; matches: string })[];
  }>(
    `SELECT opened_on::text AS opened_on, code, state, matches, trim_scale(asked)::text AS asked,
            trim_scale(paid)::text AS paid, trim_scale(returned)::text AS returned, trim_scale(booked)::text AS booked,
            trim_scale(value)::text AS value, unpriced::integer AS unpriced
     FROM match_days WHERE matches <> 0`,
  );
  const totals = matchTotals();
  for (const { opened_on, state, matches, ...amount } of rows) {
    const age: AgeBucket = ageOn(today, opened_on);
    if (amount.code === '') totals.count({ state, age, matches: Number(matches) });
    else
      totals.add({ state, age, matches: Number(matches), amount: { ...amount, code: fromDatabaseText(amount.code) } });
  }
  return totals.report();
}
