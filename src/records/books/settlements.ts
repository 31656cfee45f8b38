import type { Knex } from 'knex';
import type { MovementTable } from '../../domain/balances/movement-table.js';
import { accounts } from '../../domain/books/chart.js';
import { roundedValue } from '../../domain/books/fiat-report.js';
import { dayIn, isDay } from '../../domain/books/posting-month.js';
import type { JsonObject } from '../../domain/json.js';
import { isAmount, normalizeAmount } from '../../domain/money.js';
import {
  type Difference,
  missingOf,
  type Settlement,
  type SettlementFacts,
  settlementOf,
  whyRefused,
} from '../../domain/settlements/settlement.js';
import { type Approval, byWhom, recordAction } from '../actions/record-action.js';
import { autoResolveBreaks, type NewBreak, openBreaks, renewEvidence } from '../breaks/breaks.js';
import { textArray } from '../database/array-parameter.js';
import { type Page, type PageQuery, pageByTime } from '../database/paging.js';
import { columnOf, exact, raw, rowsOf, utc } from '../database/statements.js';
import { adoptedAtOf } from '../installation.js';

export interface SettlementBooks {
  /** What the service calls a payout that settles. */
  table: Pick<MovementTable, 'words'>;
  timeZone: string;
  currency: string;
  /** SETTLEMENT_DAYS */
  settlementDays: number;
}

interface PayoutRow {
  id: string;
  status: string | null;
  amount: string | null;
  asset_code: string | null;
  created_at: Date | null;
}

type Facts = Pick<SettlementFacts, 'settledOn' | 'arrival'> & { id: string; worth: string | null };

const settlementsIn = (db: Knex, { table: { words } }: SettlementBooks): Knex.QueryBuilder =>
  db('payouts')
    .select('id', 'status', 'asset_code', 'created_at', db.raw(`${exact('amount')} AS amount`))
    .whereRaw('lower(payout_type) = ANY (?::text[]) AND known AND absent_since IS NULL', [
      textArray(words.payoutType.settlement),
    ]);

/** The newest mark counts; one without an amount took back what was said before. */
const newestMark = (says: string) => `coalesce((
  SELECT ${says} FROM settlement_arrivals AS arrival WHERE payout_id = payouts.id ORDER BY arrival.id DESC LIMIT 1), false)`;
const ARRIVED = newestMark('arrival.amount IS NOT NULL');
const ARRIVED_WHOLE = newestMark(`arrival.amount IS NOT NULL AND difference IS DISTINCT FROM 'unexplained'`);

/**
 * Newest first. `arrived`: those of which finance said that the money came, or those of which it did not, or that a part is unexplained.
 * @throws {CursorError}
 */
export async function listSettlements(
  db: Knex,
  books: SettlementBooks,
  { arrived, ...query }: PageQuery & { arrived?: string | undefined },
  now: Date,
): Promise<Page<Settlement>> {
  const found = settlementsIn(db, books);
  if (arrived !== undefined) void found.whereRaw(`${arrived === 'yes' ? '' : 'NOT'} ${ARRIVED_WHOLE}`);
  const page = await pageByTime<PayoutRow>(found, query, (row) => row);
  return { ...page, items: await viewsOf(db, books, page.items, now) };
}

/** Null: no settlement of this id is known. */
export async function getSettlement(
  db: Knex,
  books: SettlementBooks,
  id: string,
  now: Date,
): Promise<Settlement | null> {
  const rows: PayoutRow[] = await settlementsIn(db, books).where({ id });
  return (await viewsOf(db, books, rows, now))[0] ?? null;
}

async function viewsOf(db: Knex, books: SettlementBooks, rows: readonly PayoutRow[], now: Date): Promise<Settlement[]> {
  const { currency, timeZone, settlementDays: lateDays } = books;
  const adoptedAt = await adoptedAtOf(db);
  const ids = rows.map(({ id }) => id);
  const facts = await rowsOf<Facts>(db)`
    SELECT id, "settledOn", worth, arrival FROM unnest(${ids}::text[]) AS asked (id)
    CROSS JOIN LATERAL (
      SELECT max(day)::text AS "settledOn",
             CASE WHEN count(*) = count(rate) THEN trim_scale(sum(amount * rate))::text END AS worth
      FROM entries JOIN entry_lines ON entry_id = entries.id LEFT JOIN LATERAL (
        SELECT CASE WHEN currency = ${currency} THEN rate END AS rate FROM entry_rates
        WHERE entry_rates.entry_id = entries.id AND entry_rates.asset_code = entry_lines.asset_code ORDER BY id DESC LIMIT 1
      ) AS valued ON true
      WHERE record_kind = 'payout' AND record_id = asked.id AND key = 'payout' AND account = ${accounts.conversion}
    ) AS booked
    LEFT JOIN LATERAL (
      SELECT CASE WHEN amount IS NOT NULL THEN jsonb_build_object('amount', ${raw(exact('amount'))}, 'currency', currency,
        'on', arrived_on::text, 'reference', bank_reference, 'difference', difference, 'note', note, 'by', actor, 'at', ${raw(utc('at'))}) END AS arrival
      FROM settlement_arrivals WHERE payout_id = asked.id ORDER BY settlement_arrivals.id DESC LIMIT 1
    ) AS said ON true`;
  const known = new Map(facts.map((one) => [one.id, one]));
  const today = dayIn(timeZone, now.getTime());
  return rows.map(({ id, status, amount, asset_code: assetCode, created_at: made }) => {
    const { settledOn: bookedOn = null, worth = null, arrival = null } = known.get(id) ?? {};
    // One that is not booked yet is late all the same.
    const settledOn = bookedOn ?? (made === null ? null : dayIn(timeZone, made.getTime()));
    const expected = worth === null ? null : roundedValue(worth, currency);
    const shown = { payoutId: id, status, amount, assetCode, settledOn, expected, currency, arrival };
    return settlementOf(shown, { today, lateDays, isHistory: made !== null && made < adoptedAt });
  });
}

/** What finance says of a settlement; an `amount` of null takes back what was said before. */
export interface SettlementMark {
  payoutId: string;
  amount: string | null;
  /** Left out: that of the books. */
  currency?: string | undefined;
  /** YYYY-MM-DD; left out: today. */
  on?: string | undefined;
  reference?: string | undefined;
  difference?: Difference | undefined;
  note: string;
  actor: string;
  approval?: Approval | undefined;
}

export type MarkResult =
  | { outcome: 'done'; settlement: Settlement }
  | { outcome: 'not_found' }
  /** `why` is a sentence. */
  | { outcome: 'refused'; why: string };

/** Keeps it, and opens or ends the breaks of the settlement. In one transaction. */
export async function markSettlement(
  db: Knex,
  mark: SettlementMark,
  books: SettlementBooks,
  now: Date,
): Promise<MarkResult> {
  return db.transaction(async (trx): Promise<MarkResult> => {
    const before = await getSettlement(trx, books, mark.payoutId, now);
    if (before === null) return { outcome: 'not_found' };
    const arrival = arrivalOf(mark, books, now);
    const why = whyNot(before, arrival, books, now) ?? (await whyNotOurs(trx, mark.payoutId, arrival));
    const { actor, note: reason, payoutId, approval } = mark;
    const about = { actor, action: 'mark settlement', target: `payout ${payoutId.slice(0, 200)}`, reason, approval };
    const details = { before: before.arrival?.amount ?? null, ...(arrival ?? { amount: null }) };
    await recordAction(trx, {
      ...about,
      details: { ...details, ...(why === null ? {} : { why }) },
      outcome: why === null ? 'done' : 'refused',
    });
    if (why !== null) return { outcome: 'refused', why };
    await trx('settlement_arrivals').insert({
      payout_id: payoutId,
      amount: arrival?.amount ?? null,
      currency: arrival?.currency ?? null,
      arrived_on: arrival?.on ?? null,
      bank_reference: arrival?.reference ?? null,
      difference: arrival?.difference ?? null,
      note: reason,
      actor,
    });
    const settlement = (await getSettlement(trx, books, payoutId, now)) ?? before;
    const entity = { kind: 'payout', id: payoutId } as const;
    const gone = [
      'settlement_short',
      'settlement_over',
      ...(arrival === null ? [] : ['settlement_late' as const]),
    ] as const;
    const told = arrival === null ? 'taken back' : `${arrival.amount} ${arrival.currency} of ${arrival.on}`;
    await autoResolveBreaks(
      trx,
      gone.map((kind) => ({ kind, entity })),
      `mark of the settlement (${told}) ${byWhom(actor, approval)}`,
    );
    if (settlement.state === 'short' || settlement.state === 'over')
      await openBreaks(trx, [{ kind: `settlement_${settlement.state}`, entity, evidence: evidenceOf(settlement) }]);
    return { outcome: 'done', settlement };
  });
}

/** Whether finance ever said that something of it arrived. */
export async function wasMarked(db: Knex, payoutId: string): Promise<boolean> {
  return (
    (await db('settlement_arrivals').where({ payout_id: payoutId }).whereNotNull('amount').first('id')) !== undefined
  );
}

type Said = Pick<NonNullable<Settlement['arrival']>, 'amount' | 'currency' | 'on' | 'reference' | 'difference'>;

function arrivalOf(
  { amount, currency, on, reference, difference }: SettlementMark,
  books: SettlementBooks,
  now: Date,
): Said | null {
  if (amount === null) return null;
  return {
    amount: isAmount(amount) ? normalizeAmount(amount) : amount,
    currency: currency ?? books.currency,
    on: on ?? dayIn(books.timeZone, now.getTime()),
    reference: reference ?? null,
    difference: difference ?? null,
  };
}

function whyNot(before: Settlement, said: Said | null, { timeZone }: SettlementBooks, now: Date): string | null {
  if (said === null)
    return before.arrival === null ? 'nothing was said to have arrived, so there is nothing to take back' : null;
  const { amount, currency, on, difference } = said;
  if (!isAmount(amount))
    return `${quoted(amount)} is no amount such as 912.40: a point stands before the cents, and nothing between thousands`;
  if (!/^[A-Z]{3}$/.test(currency)) return `${quoted(currency)} is no currency such as EUR`;
  if (!isDay(on)) return `${quoted(on)} is no day such as 2026-11-04`;
  if (on > dayIn(timeZone, now.getTime())) return `${on} is yet to come`;
  if (before.settledOn !== null && on < before.settledOn)
    return `${on} is before ${before.settledOn}, when it was settled`;
  if (before.state === 'under_way' || before.state === 'failed')
    return `the payout is ${before.status ?? 'in a state that is not shown'}, so nothing of it can have arrived`;
  return whyRefused({ ...before, missing: missingOf({ ...before, arrival: said }) }, difference);
}

/** A line of the statement is of one settlement: one that stands for another was read in the wrong row. */
async function whyNotOurs(trx: Knex, payoutId: string, said: Said | null): Promise<string | null> {
  if (said === null || said.reference === null) return null;
  const [other] = await columnOf<string>(trx)`
    SELECT payout_id FROM settlement_arrivals AS said
    WHERE bank_reference = ${said.reference} AND payout_id <> ${payoutId} AND amount IS NOT NULL
      AND NOT EXISTS (SELECT FROM settlement_arrivals AS newer WHERE newer.payout_id = said.payout_id AND newer.id > said.id)
    ORDER BY id LIMIT 1`;
  return other === undefined
    ? null
    : `the reference ${quoted(said.reference)} is that of settlement ${quoted(other)} already`;
}

const quoted = (given: string): string => `"${given.slice(0, 40)}"`;

const AT_ONCE = 500;

/** Opens a break of each settlement whose money is late, and says in one what it is worth once that is known; one that a person closed stays closed. Returns how many it opened. */
export async function followSettlements(db: Knex, books: SettlementBooks, now: Date): Promise<number> {
  const rows: PayoutRow[] = await settlementsIn(db, books)
    .where('status', 'confirmed')
    // History is never late: it is left out here, so that it is not read every minute.
    .where('created_at', '>=', await adoptedAtOf(db))
    .whereRaw(
      `created_at < ? AND NOT EXISTS (SELECT FROM breaks
        WHERE kind = 'settlement_late' AND entity_kind = 'payout' AND entity_id = payouts.id AND status <> 'auto_resolved')`,
      [new Date(now.getTime() - books.settlementDays * 86_400_000)],
    )
    .whereRaw(`NOT ${ARRIVED}`)
    .orderByRaw('created_at DESC, id DESC')
    .limit(AT_ONCE);
  const late = (await viewsOf(db, books, rows, now)).filter(({ state }) => state === 'late');
  const unvalued: PayoutRow[] = await settlementsIn(db, books)
    .whereRaw(
      `id IN (SELECT entity_id FROM breaks WHERE kind = 'settlement_late' AND entity_kind = 'payout'
        AND status IN ('open', 'acknowledged') AND evidence LIKE '%"expected":null%')`,
    )
    .limit(AT_ONCE);
  const valued = (await viewsOf(db, books, unvalued, now)).filter(({ expected }) => expected !== null);
  return db.transaction(async (trx) => {
    for (const one of valued) await renewEvidence(trx, lateBreak(one));
    return openBreaks(trx, late.map(lateBreak));
  });
}

const lateBreak = (one: Settlement): NewBreak => ({
  kind: 'settlement_late',
  entity: { kind: 'payout', id: one.payoutId },
  evidence: evidenceOf(one),
});

function evidenceOf({ expected, currency, settledOn, amount, assetCode, arrival, missing }: Settlement): JsonObject {
  const { amount: arrived = null, currency: paidIn = null, on = null, reference = null } = arrival ?? {};
  return {
    ours: { expected, currency, settledOn, crypto: `${amount ?? '?'} ${assetCode ?? '?'}` },
    theirs: { arrived, currency: paidIn, on, reference },
    missing,
  };
}
