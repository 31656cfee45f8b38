import type { Knex } from 'knex';
import { type AgeBucket, ageBuckets } from '../../../domain/age-buckets.js';
import { ageOn, openedBetween } from '../../../domain/books/match/ageing.js';
import type { MatchKind } from '../../../domain/books/match/match-facts.js';
import {
  type MatchAmount,
  type MatchReason,
  type MatchState,
  type MatchTotals,
  type MatchView,
  matchedReasons,
  matchShape,
  matchStates,
} from '../../../domain/books/match/match-shapes.js';
import { matchTotals } from '../../../domain/books/match/totals.js';
import {
  atMicroseconds,
  cut,
  markOf,
  microseconds,
  type Page,
  type PageQuery,
  takeOf,
  timeKeyOf,
} from '../../database/paging.js';
import { joined, raw, rowsOf, type Sql, sql, type Trx, tableOf } from '../../database/statements.js';
import { type RowOf, viewOf } from '../../database/view-of.js';

export interface MatchFilters {
  state?: MatchState | undefined;
  /** Not matched, or matched in part. */
  open?: boolean | undefined;
  age?: AgeBucket | undefined;
  assetCode?: string | undefined;
  reason?: MatchReason | undefined;
  /** The whole reference of an order, or the id of an invoice or payment. */
  id?: string | undefined;
}

/** The day (YYYY-MM-DD) of the books' zone on which ages are counted. */
export interface AgeingDay {
  today: string;
  timeZone: string;
}

type Row = RowOf<Omit<MatchView, 'amounts' | 'age'>> & { opened_us: string };

/** Newest first, paged by key. Throws `CursorError`. */
export async function listMatches(
  db: Knex,
  query: PageQuery & MatchFilters,
  { today, timeZone }: AgeingDay,
): Promise<Page<MatchView>> {
  const take = takeOf(query);
  const states = statesOf(query);
  if (states.length === 0) return { items: [], nextCursor: null };
  const from = query.assetCode === undefined ? 'matches' : 'match_amounts';
  const table = raw(from === 'matches' ? from : 'match_amounts JOIN matches USING (kind, id)');
  const own = (column: string) => raw(`${from}.${column}`);
  const terms = conditionsOf(query, { today, timeZone }, own);
  const found = states.map(
    (
      state,
    ) => sql`(SELECT kind, id, ${own('state')}, matches.reasons, ${own('opened_at')}, matches.opened_on::text AS opened_on
      FROM ${table} WHERE ${own('state')} = ${state} ${terms}
      ORDER BY ${own('opened_at')} DESC, kind DESC, id DESC LIMIT ${take + 1})`,
  );
  const rows = await rowsOf<Row>(db)`
    SELECT *, ${raw(microseconds('opened_at'))} AS opened_us FROM (${joined(found, ' UNION ALL ')}) AS found
    ORDER BY opened_at DESC, kind DESC, id DESC LIMIT ${take + 1}`;
  const keyOf = (row: Row) => [row.opened_us, row.kind, row.id];
  const { items, nextCursor } = cut(rows, take, keyOf);
  return { items: await viewsOf(db, items, today), nextCursor, ...markOf(query, rows, keyOf) };
}

/** Each reason is of one that is matched, or of one that is not: the others are not searched for it. */
function statesOf({ state, open, reason }: MatchFilters): MatchState[] {
  const ofMatched = reason === undefined ? null : matchedReasons.some((one) => one === reason);
  return matchStates.filter((one) => {
    const isMatched = one === 'matched';
    return (state === undefined || one === state) && !(open && isMatched) && (ofMatched ?? isMatched) === isMatched;
  });
}

function conditionsOf(
  { assetCode, reason, age, id, from, to, cursor, above }: PageQuery & MatchFilters,
  { today, timeZone }: AgeingDay,
  own: (column: string) => Sql,
): Sql {
  const terms: Sql[] = [];
  if (assetCode !== undefined) terms.push(sql` AND code = ${assetCode}`);
  if (reason !== undefined) terms.push(sql` AND reason = ${reason}`);
  // By the primary key.
  if (id !== undefined)
    terms.push(sql` AND (kind, id) IN (('order', ${id}), ('invoice', ${id}), ('payment_intent', ${id}))`);
  const opened = (begin: Date | undefined, end: Date | undefined): void => {
    if (begin !== undefined) terms.push(sql` AND ${own('opened_at')} >= ${begin.toISOString()}::timestamptz`);
    if (end !== undefined) terms.push(sql` AND ${own('opened_at')} < ${end.toISOString()}::timestamptz`);
  };
  opened(from, to);
  if (age !== undefined) {
    const between = openedBetween(age, today, timeZone);
    opened(new Date(between.from), new Date(Math.min(between.before, LAST)));
  }
  const [at, kind = '', last = ''] = timeKeyOf({ cursor }, 3) ?? [];
  if (at !== undefined)
    terms.push(sql` AND (${own('opened_at')}, kind, id) < (${atMicroseconds(at)}, ${kind}, ${last})`);
  const [since, first = '', newest = ''] = timeKeyOf({ cursor: above }, 3) ?? [];
  if (since !== undefined)
    terms.push(sql` AND (${own('opened_at')}, kind, id) > (${atMicroseconds(since)}, ${first}, ${newest})`);
  return joined(terms, '');
}

const LAST = Date.parse('9999-12-31T00:00:00Z');

async function viewsOf(db: Knex, rows: readonly Row[], today: string): Promise<MatchView[]> {
  const found = await rowsOf<MatchAmount & { kind: string; id: string }>(db)`
    SELECT own.kind, own.id, code, trim_scale(asked)::text AS asked, trim_scale(paid)::text AS paid,
           trim_scale(returned)::text AS returned, trim_scale(booked)::text AS booked,
           trim_scale(value)::text AS value, unpriced
    FROM ${tableOf('named', rows, { kind: 'text', id: 'text' })} CROSS JOIN LATERAL (
      SELECT * FROM match_amounts AS one WHERE one.kind = named.kind AND one.id = named.id OFFSET 0
    ) AS own ORDER BY code COLLATE "C"`;
  return rows.map((row) =>
    viewOf(matchShape, row, {
      amounts: found
        .filter(({ kind, id }) => kind === row.kind && id === row.id)
        .map(({ kind: _kind, id: _id, ...amount }) => amount),
      age: ageOn(today, row.opened_on),
    }),
  );
}

/**
 * Those that had begun by a day of the books' zone, in the order of their names, some at a time: for a report that computes each
 * of them anew.
 */
export async function* unitsOpenedBy(trx: Trx, day: string): AsyncGenerator<{ kind: MatchKind; id: string }[]> {
  let [kind, id] = ['', ''];
  for (;;) {
    const rows = await rowsOf<{ kind: MatchKind; id: string }>(trx)`
      SELECT kind, id FROM matches WHERE opened_on <= ${day}::date AND (kind, id) > (${kind}, ${id}) ORDER BY kind, id LIMIT ${AT_ONCE}`;
    if (rows.length > 0) yield rows.map((row) => ({ kind: row.kind, id: row.id }));
    const last = rows.at(-1);
    if (last === undefined || rows.length < AT_ONCE) return;
    [kind, id] = [last.kind, last.id];
  }
}

const AT_ONCE = 500;

const AGE = Object.entries(ageBuckets).map(([age, [, oldest]]) => `WHEN days <= ${oldest} THEN '${age}'`);

/** What is matched and what is not, by age, and its sums by asset: of the orders as they stand. */
export async function matchSummary(db: Knex, { today }: { today: string }): Promise<MatchTotals> {
  const rows = await rowsOf<MatchAmount & { age: AgeBucket; state: MatchState; matches: string }>(db)`
    SELECT code, state, age, sum(matches) AS matches, trim_scale(sum(asked))::text AS asked, trim_scale(sum(paid))::text AS paid,
           trim_scale(sum(returned))::text AS returned, trim_scale(sum(booked))::text AS booked,
           trim_scale(sum(value))::text AS value, sum(unpriced)::integer AS unpriced
    FROM (SELECT *, CASE ${raw(AGE.join(' '))} ELSE '90+' END AS age
      FROM (SELECT *, ${today}::date - opened_on AS days FROM match_days WHERE matches <> 0) AS counted) AS aged
    GROUP BY code, state, age`;
  const totals = matchTotals();
  for (const { age, state, matches: counted, ...amount } of rows) {
    const place = { state, age, matches: Number(counted) };
    if (amount.code === '') totals.count(place);
    else totals.add({ ...place, amount });
  }
  return totals.report();
}
