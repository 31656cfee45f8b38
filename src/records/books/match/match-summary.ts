import type { Knex } from 'knex';
import { type AgeBucket, ageBuckets } from '../../../domain/age-buckets.js';
import type { MatchAmount, MatchTotals } from '../../../domain/books/match/match-shapes.js';
import type { MatchState } from '../../../domain/books/match/reasons.js';
import { matchTotals } from '../../../domain/books/match/totals.js';

const AGE = `CASE ${Object.entries(ageBuckets)
  .map(([age, [, oldest]]) => `WHEN ?::date - opened_on <= ${oldest} THEN '${age}'`)
  .join(' ')} ELSE '90+' END`;

/** What is matched and what is not, by age, and its sums by asset: of the orders as they stand. */
export async function matchSummary(db: Knex, { today }: { today: string }): Promise<MatchTotals> {
  const { rows } = await db.raw<{
    rows: (MatchAmount & { age: AgeBucket; state: MatchState; matches: string })[];
  }>(
    `SELECT code, state, age, sum(matches) AS matches, trim_scale(sum(asked))::text AS asked, trim_scale(sum(paid))::text AS paid,
            trim_scale(sum(returned))::text AS returned, trim_scale(sum(booked))::text AS booked,
            trim_scale(sum(value))::text AS value, sum(unpriced)::integer AS unpriced
     FROM (SELECT *, ${AGE} AS age FROM match_days WHERE matches <> 0) AS aged GROUP BY code, state, age`,
    Object.keys(ageBuckets).map(() => today),
  );
  const totals = matchTotals();
  for (const { age, state, matches: counted, ...amount } of rows) {
    const place = { state, age, matches: Number(counted) };
    if (amount.code === '') totals.count(place);
    else totals.add({ ...place, amount });
  }
  return totals.report();
}
