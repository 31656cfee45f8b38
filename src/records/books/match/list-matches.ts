import type { Knex } from 'knex';
import type { AgeBucket } from '../../../domain/age-buckets.js';
import { ageOn, openedBetween } from '../../../domain/books/match/ageing.js';
import type { MatchKind } from '../../../domain/books/match/match-facts.js';
import { type MatchAmount, type MatchView, matchShape } from '../../../domain/books/match/match-shapes.js';
import { type MatchReason, type MatchState, matchedReasons, matchStates } from '../../../domain/books/match/reasons.js';
import {
  atMicroseconds,
  cut,
  microseconds,
  type Page,
  type PageQuery,
  takeOf,
  timeKeyOf,
} from '../../database/paging.js';
import { rowsOf, tableOf } from '../../database/statements.js';
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
  const part = conditionsOf(query, { today, timeZone });
  const table = query.assetCode === undefined ? 'matches' : 'match_amounts JOIN matches USING (kind, id)';
  const from = query.assetCode === undefined ? 'matches' : 'match_amounts';
  const each = `(SELECT kind, id, ${from}.state, matches.reasons, ${from}.opened_at, matches.opened_on::text AS opened_on
      FROM ${table} WHERE ${from}.state = ? ${part.where(from)}
      ORDER BY ${from}.opened_at DESC, kind DESC, id DESC LIMIT ?)`;
  const { rows } = await db.raw<{ rows: Row[] }>(
    `SELECT *, ${microseconds('opened_at')} AS opened_us
     FROM (${states.map(() => each).join(' UNION ALL ')}) AS found
     ORDER BY opened_at DESC, kind DESC, id DESC LIMIT ?`,
    [...states.flatMap((state) => [state, ...part.values, take + 1]), take + 1],
  );
  const { items, nextCursor } = cut(rows, take, (row) => [row.opened_us, row.kind, row.id]);
  return { items: await viewsOf(db, items, today), nextCursor };
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
  { assetCode, reason, age, id, cursor }: PageQuery & MatchFilters,
  { today, timeZone }: AgeingDay,
): { where: (from: string) => string; values: string[] } {
  const terms: ((from: string) => string)[] = [];
  const values: string[] = [];
  if (assetCode !== undefined) {
    terms.push(() => 'code = ?');
    values.push(assetCode);
  }
  if (reason !== undefined) {
    terms.push(() => 'reason = ?');
    values.push(reason);
  }
  if (id !== undefined) {
    // By the primary key.
    terms.push(() => "(kind, id) IN (('order', ?), ('invoice', ?), ('payment_intent', ?))");
    values.push(id, id, id);
  }
  if (age !== undefined) {
    const { from, before } = openedBetween(age, today, timeZone);
    terms.push((table) => `${table}.opened_at >= ?::timestamptz AND ${table}.opened_at < ?::timestamptz`);
    values.push(new Date(from).toISOString(), new Date(Math.min(before, LAST)).toISOString());
  }
  const after = timeKeyOf({ cursor }, 3);
  if (after !== null) {
    terms.push((table) => `(${table}.opened_at, kind, id) < (${atMicroseconds('?')}, ?, ?)`);
    values.push(...after);
  }
  return { where: (table) => terms.map((term) => ` AND ${term(table)}`).join(''), values };
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
 * Those that had begun by a day of the books' zone, in the order of their names, some at a time: for a report that reckons each
 * of them anew.
 */
export async function* unitsOpenedBy(
  trx: Knex.Transaction,
  day: string,
): AsyncGenerator<{ kind: MatchKind; id: string }[]> {
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
