import type { Match } from '../../../domain/books/match/match-order.js';
import { jsonbText } from '../../database/database-text.js';
import { raw, rowsOf, run, type Trx, tableOf } from '../../database/statements.js';
import { type MatchUnit, unitKey } from './match-owners.js';

/** A unit as it stands now; `match` null: it is not matched by itself (any more). */
export interface NewMatch {
  unit: MatchUnit;
  match: Match | null;
  /** Milliseconds, and the day of the books' zone. */
  openedAt: number;
  openedOn: string;
  /** Payments that are counted with it. */
  payments: readonly string[];
}

/** Keeps them in place of what was kept of the same, and the sums by day with them. Returns how many are others than before. */
export async function saveMatches(trx: Trx, given: readonly NewMatch[]): Promise<number> {
  const known = await readKept(
    trx,
    given.map(({ unit }) => unit),
  );
  const changed = given.filter(
    (one) => known.get(unitKey(one.unit)) !== (one.match === null ? undefined : keptAs(one)),
  );
  if (changed.length === 0) return 0;
  const units = changed.map(({ unit }) => unit);
  await countDays(trx, units, -1);
  await run(trx)`
    DELETE FROM matches USING ${named('old', units)} WHERE matches.kind = old.kind AND matches.id = old.id`;
  const made = changed.flatMap((one) => (one.match === null ? [] : [{ ...one, match: one.match }]));
  await insertMatches(trx, made);
  await insertAmounts(trx, made);
  await insertPayments(trx, made);
  await countDays(trx, units, 1);
  return changed.length;
}

type Made = NewMatch & { match: Match };

const nameColumns = {
  kind: ['text', ({ unit }: { unit: MatchUnit }) => unit.kind],
  id: ['text', ({ unit }: { unit: MatchUnit }) => unit.id],
} as const;

async function insertMatches(trx: Trx, made: readonly Made[]): Promise<void> {
  const given = tableOf('new', made, {
    ...nameColumns,
    state: ['text', ({ match }) => match.state],
    reason: ['text', ({ match }) => match.reasons[0].code],
    reasons: ['text', ({ match }) => jsonbText(match.reasons.map(({ code, told }) => ({ code, told })))],
    opened_at: ['text', ({ openedAt }) => new Date(openedAt).toISOString()],
    opened_on: ['text', ({ openedOn }) => openedOn],
  });
  await run(trx)`
    INSERT INTO matches (kind, id, state, reason, reasons, opened_at, opened_on)
    SELECT kind, id, state, reason, reasons::jsonb, opened_at::timestamptz, opened_on::date FROM ${given}`;
}

async function insertAmounts(trx: Trx, made: readonly Made[]): Promise<void> {
  const rows = made.flatMap(({ unit, match }) => match.amounts.map((amount) => ({ ...amount, unit })));
  const given = tableOf('new', rows, {
    ...nameColumns,
    code: 'text',
    asked: 'text',
    paid: 'text',
    returned: 'text',
    booked: 'text',
    value: 'text',
    unpriced: 'integer',
  });
  await run(trx)`
    INSERT INTO match_amounts (kind, id, code, state, opened_at, asked, paid, returned, booked, value, unpriced)
    SELECT kind, id, code, state, opened_at, asked::numeric, paid::numeric, returned::numeric, booked::numeric,
           value::numeric, unpriced
    FROM ${given} JOIN matches USING (kind, id)`;
}

async function insertPayments(trx: Trx, made: readonly Made[]): Promise<void> {
  const rows = made.flatMap(({ unit, payments }) => payments.map((payment) => ({ unit, payment })));
  await run(trx)`
    INSERT INTO match_payments (kind, id, payment_id)
    SELECT * FROM ${tableOf('new', rows, { ...nameColumns, payment: 'text' })}`;
}

/** Adds what is kept of them to the sums by day, or takes it off. */
async function countDays(trx: Trx, units: readonly MatchUnit[], sign: 1 | -1): Promise<void> {
  const times = raw(sign);
  await run(trx)`
    INSERT INTO match_days AS days (opened_on, code, state, matches, asked, paid, returned, booked, value, unpriced)
    SELECT opened_on, code, state, ${times} * count(*), ${times} * sum(asked), ${times} * sum(paid), ${times} * sum(returned),
           ${times} * sum(booked), ${times} * sum(value), ${times} * sum(unpriced)
    FROM (
      SELECT opened_on, '' AS code, matches.state, 0 AS asked, 0 AS paid, 0 AS returned, 0 AS booked, 0 AS value, 0 AS unpriced
      FROM ${named('named', units)} JOIN matches USING (kind, id)
      UNION ALL
      SELECT opened_on, code, matches.state, asked, paid, returned, booked, value, unpriced
      FROM ${named('named', units)} JOIN matches USING (kind, id) JOIN match_amounts USING (kind, id)
    ) AS counted GROUP BY opened_on, code, state
    ON CONFLICT (opened_on, code, state) DO UPDATE SET
      matches = days.matches + excluded.matches, asked = days.asked + excluded.asked, paid = days.paid + excluded.paid,
      returned = days.returned + excluded.returned, booked = days.booked + excluded.booked,
      value = days.value + excluded.value, unpriced = days.unpriced + excluded.unpriced`;
}

/** What is kept of units, in the words of `keptAs`. */
async function readKept(trx: Trx, units: readonly MatchUnit[]): Promise<Map<string, string>> {
  const rows = await rowsOf<MatchUnit & { parts: unknown[] }>(trx)`
    SELECT kind, id, jsonb_build_array(state, reasons, (extract(epoch FROM opened_at) * 1000)::bigint, opened_on::text,
      (SELECT coalesce(jsonb_agg(jsonb_build_array(code, trim_scale(asked)::text, trim_scale(paid)::text,
                trim_scale(returned)::text, trim_scale(booked)::text, trim_scale(value)::text, unpriced)), '[]')
       FROM match_amounts AS one WHERE one.kind = matches.kind AND one.id = matches.id),
      (SELECT coalesce(jsonb_agg(payment_id), '[]')
       FROM match_payments AS one WHERE one.kind = matches.kind AND one.id = matches.id)) AS parts
    FROM ${named('named', units)} JOIN matches USING (kind, id)`;
  return new Map(rows.map((row) => [unitKey(row), JSON.stringify(inOrder(row.parts))]));
}

function keptAs({ match, openedAt, openedOn, payments }: NewMatch): string | undefined {
  if (match === null) return undefined;
  const amounts = match.amounts.map(({ code, asked, paid, returned, booked, value, unpriced }) => {
    return [code, asked, paid, returned, booked, value, unpriced];
  });
  return JSON.stringify(inOrder([match.state, match.reasons, openedAt, openedOn, amounts, payments]));
}

/** jsonb keeps the keys of an object in an order of its own, and Postgres orders texts by another rule than we do. */
function inOrder([state, reasons, openedAt, openedOn, amounts, payments]: unknown[]): unknown[] {
  const words = (reasons as { code: string; told: string }[]).map((reason) => [reason.code, reason.told]);
  const byCode = (amounts as unknown[][]).toSorted(byFirst);
  return [state, words, openedAt, openedOn, byCode, (payments as string[]).toSorted()];
}

const byFirst = ([a]: readonly unknown[], [b]: readonly unknown[]): number => (String(a) < String(b) ? -1 : 1);

function named(name: string, units: readonly MatchUnit[]) {
  return tableOf(name, units, { kind: 'text', id: 'text' });
}
