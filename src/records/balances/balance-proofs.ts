import type { Knex } from 'knex';
import type { AlertFacts } from '../../domain/alerts/facts.js';
import type { FoundAtOpening } from '../../domain/balances/at-opening.js';
import type { BalanceVerdict } from '../../domain/balances/balance-proof.js';
import { isOfNewType } from '../../domain/balances/movements.js';
import type { HeldResidual } from '../../domain/balances/unnamed-payouts.js';
import { isJsonObject, type JsonObject, objectFromJsonText } from '../../domain/json.js';
import { addAmounts, compareAmounts } from '../../domain/money.js';
import { textField } from '../../domain/records.js';
import type { BalanceProofView } from '../../domain/views/balance-shapes.js';
import { autoResolveBreaks, openBreaks } from '../breaks/breaks.js';
import { verbatim } from '../database/database-text.js';
import { exact, firstOf, milliseconds, raw, rowsOf, run, sql, type Trx, utc } from '../database/statements.js';
import { asColumns } from '../database/view-of.js';
import { recordTables } from '../record-columns.js';
import { movingKinds } from './balance-records.js';

/** How an asset's balance was classified last; amounts are decimal strings without trailing zeros. */
export interface BalanceProof extends Omit<BalanceProofView, 'status' | 'agreedBalance' | 'agreedFrozen'> {
  assetCode: string;
  balance: string | null;
  frozen: string | null;
  /** A part that is left over while payouts are under way that could be it; without payouts: it was classified. */
  held: HeldResidual | null;
}

type ProofRow = Omit<BalanceProof, 'opening'> & { openingBalance: string | null; openingAt: string | null };

const COLUMNS = raw(`
  asset_code AS "assetCode", ${exact('opening_balance')} AS "openingBalance", ${utc('opening_at')} AS "openingAt",
  ${exact('balance')} AS balance, ${exact('frozen')} AS frozen, ${utc('agreed_at')} AS "agreedAt",
  ${exact('explained')} AS explained, ${exact('unobservable')} AS unobservable, ${exact('attributed')} AS attributed,
  ${exact('unknown_amount')} AS "unknownAmount", ${exact('unexplained')} AS unexplained, unproven,
  ${utc('asked_at')} AS "askedAt", held, at_opening AS "atOpening"`);
/** Not compared for so long nothing is proven any more. */
const STALE_MS = 86_400_000;

export async function readProofs(db: Knex, assets?: readonly string[]): Promise<Map<string, BalanceProof>> {
  const ofAssets = assets === undefined ? raw('') : sql`WHERE asset_code = ANY (${assets}::text[])`;
  const rows = await rowsOf<ProofRow>(db)`SELECT ${COLUMNS} FROM balance_proofs ${ofAssets} ORDER BY asset_code`;
  return new Map(rows.map((row) => [row.assetCode, proofOf(row)]));
}

/** Holds the row until the end of the transaction; null: the asset was never polled. */
export async function lockProof(trx: Trx, assetCode: string): Promise<BalanceProof | null> {
  const row = await firstOf<ProofRow>(trx)`
    SELECT ${COLUMNS} FROM balance_proofs WHERE asset_code = ${assetCode} FOR UPDATE`;
  return row === undefined ? null : proofOf(row);
}

/** Where what is classified of a balance begins; `at` in ms of the service's clock. */
export interface OpeningPosition {
  balance: string;
  at: number;
  /** By the clock that also says when a record was first seen; null: now. */
  openedAt: Date | null;
}

/**
 * What is classified from here on began with this balance: what the records show of before stood already. That of an asset that is new since
 * the books began is nothing, at their beginning.
 */
export async function openPosition(
  trx: Trx,
  assetCode: string,
  { opening: { balance, at, openedAt }, now }: { opening: OpeningPosition; now: Date },
): Promise<void> {
  const opening = { opening_balance: balance, opening_at: new Date(at), opened_at: openedAt ?? trx.fn.now() };
  await writeProof(trx, assetCode, opening, { asked_at: now });
  const stood = openedAt === null ? raw('true') : sql`at < to_timestamp(${at}::float8 / 1000)`;
  await run(trx)`UPDATE movements SET base = coalesce(delta, 0) WHERE asset_code = ${assetCode} AND ${stood}`;
}

const MADE = movingKinds
  .map((kind) => `SELECT created_at FROM ${recordTables[kind]} WHERE record_kind = '${kind}' AND id = record_id`)
  .join(' UNION ALL ');

/**
 * Of an asset without an opening: nothing, at the beginning of the books, if all that moved it since is shown whole and comes to its balance.
 * What came first is earned then, and is no opening. It came since if it says so, or if its record was made since. Null: it opens with what stands.
 */
export async function openingSinceBooks(db: Knex, assetCode: string, balance: string): Promise<OpeningPosition | null> {
  const row = await firstOf<{ at: number; opened: Date; isNew: boolean }>(db)`
    WITH began AS (
      SELECT opening_at, opened_at FROM balance_proofs WHERE opening_at IS NOT NULL ORDER BY opening_at LIMIT 1
    ), moved AS (
      SELECT part, delta, account_id, at IS NOT NULL OR made >= opening_at AS dated, coalesce(at, made) >= opening_at AS since
      FROM began CROSS JOIN movements LEFT JOIN LATERAL (${raw(MADE)}) AS record (made) ON true
      WHERE asset_code = ${assetCode}
    )
    SELECT ${raw(milliseconds('opening_at'))} AS at, opened_at AS opened,
           (SELECT coalesce(bool_or(since) AND bool_and(part = 'explained' AND delta IS NOT NULL AND dated IS TRUE)
              AND coalesce(sum(delta) FILTER (WHERE since AND account_id IS NULL), 0) = ${balance}::numeric, false)
            FROM moved) AS "isNew"
    FROM began`;
  return row?.isNew ? { balance: '0', at: row.at, openedAt: row.opened } : null;
}

export interface ClassifiedBalance {
  assetCode: string;
  /** The one that was compared; `at` in ms of the service's clock. */
  poll: { balance: string; frozen: string | null; at: number };
  verdict: BalanceVerdict;
  /** What it found of payouts that were under way at the opening. Left out: what was found before stays. */
  atOpening?: FoundAtOpening;
  /** What is not held for payouts under way any more; null: nothing was left over. */
  held: HeldResidual | null;
}

export async function saveClassified(
  trx: Trx,
  { assetCode, poll, verdict, atOpening, held }: ClassifiedBalance,
  { now, runId }: { now: Date; runId: string | null },
): Promise<void> {
  const { explained, unobservable, attributed, unknownAmount, unexplained, unproven } = verdict;
  const values = {
    ...asColumns({ explained, unobservable, attributed, unknownAmount, unexplained, unproven, askedAt: now, runId }),
    balance: poll.balance,
    frozen: poll.frozen,
    agreed_at: new Date(poll.at),
    held: verbatim(held === null ? null : JSON.stringify(held)),
    ...(unexplained === '0' && unproven === null ? { proven_at: new Date(Math.min(poll.at, now.getTime())) } : {}),
    ...(atOpening === undefined ? {} : { at_opening: verbatim(JSON.stringify(atOpening)) }),
  };
  await writeProof(trx, assetCode, values);
}

/** What is not among the values stays as it was. */
async function writeProof(trx: Trx, assetCode: string, values: object, onlyNew: object = {}): Promise<void> {
  await trx('balance_proofs')
    .insert({ asset_code: assetCode, ...values, ...onlyNew })
    .onConflict('asset_code')
    .merge(values);
}

/** Asked for, and not classified: how it was classified before stays, with the reason why it is not proven now. */
export async function saveUnproven(
  trx: Trx,
  given: { assetCode: string; reason: string; held?: HeldResidual; now: Date; runId: string | null },
): Promise<void> {
  const { assetCode, reason, held, now, runId } = given;
  const values = { unproven: reason, asked_at: now, run_id: runId };
  const alsoHeld = held === undefined ? {} : { held: verbatim(JSON.stringify(held)) };
  await writeProof(trx, assetCode, { ...values, ...alsoHeld });
}

/** How balances are proven now, by asset. */
export async function proofsAsOf(db: Knex, now: Date, assets?: readonly string[]): Promise<Map<string, BalanceProof>> {
  return new Map([...(await readProofs(db, assets))].map(([asset, proof]) => [asset, withAge(proof, now)]));
}

/** Of one that is as of now: whether opening, movements and what was attributed are the balance. */
export function proofStatus({ unproven, unexplained }: BalanceProof): 'agrees' | 'unexplained' | 'unproven' {
  if (unexplained !== null && unexplained !== '0') return 'unexplained';
  return unproven === null ? 'agrees' : 'unproven';
}

/** `unproven` where it could not be compared for a day, whatever was said before. */
function withAge(proof: BalanceProof, now: Date): BalanceProof {
  const { agreedAt, unproven } = proof;
  if (agreedAt === null) return { ...proof, unproven: unproven ?? 'never compared with the records' };
  if (now.getTime() - Date.parse(agreedAt) < STALE_MS) return proof;
  return { ...proof, unproven: unproven ?? `not compared with the records since ${agreedAt}` };
}

export async function unprovenBalances(db: Knex, now = new Date()): Promise<{ assetCode: string; why: string }[]> {
  const { unproven } = await balanceFacts(db, now);
  return unproven.map(({ assetCode, why }) => ({ assetCode, why }));
}

/** How many balances there are, and those that are not proven now. `taken`: by asset, what payouts of new types took at most. */
export async function balanceFacts(
  db: Knex,
  now: Date,
  taken: ReadonlyMap<string, string> = new Map(),
): Promise<AlertFacts['balances']> {
  const proofs = [...(await proofsAsOf(db, now)).values()];
  const open = proofs.filter((proof) => proofStatus(proof) !== 'agrees');
  return {
    total: proofs.length,
    unproven: open.map((proof) => ({
      assetCode: proof.assetCode,
      why: proof.unproven ?? `${proof.unexplained} is unexplained`,
      isUnexplained: proofStatus(proof) === 'unexplained',
      isOfNewType:
        isOfNewType(`${proof.assetCode}: ${proof.unproven}`, [...taken.keys()]) &&
        isTaken(proof.unexplained ?? '0', taken.get(proof.assetCode)),
    })),
  };
}

/** Whether it is missing, and no more than that. */
function isTaken(unexplained: string, most = '0'): boolean {
  return compareAmounts(unexplained, '0') <= 0 && compareAmounts(addAmounts(unexplained, most), '0') >= 0;
}

function proofOf({ assetCode, openingBalance, openingAt, ...row }: ProofRow): BalanceProof {
  const opening = openingBalance === null || openingAt === null ? null : { balance: openingBalance, at: openingAt };
  return { assetCode, opening, ...row };
}

/**
 * Opens, renews or resolves the break of an asset's residual. A part that a person has closed is not opened again while it
 * stays what it was: only a new unexplained part is a break, and one that was gone in between is new. `before`: what was
 * unexplained when the asset was classified last; null: it never was. Returns how many were opened.
 */
export async function followResidual(
  trx: Trx,
  assetCode: string,
  { verdict, before }: { verdict: BalanceVerdict; before: string | null },
  evidence: JsonObject,
): Promise<number> {
  const entity = { kind: 'balance', id: assetCode } as const;
  const last = await newestResidual(trx, assetCode);
  const isOpen = last !== null && (last.status === 'open' || last.status === 'acknowledged');
  if (verdict.unexplained === '0') {
    if (isOpen) await autoResolveBreaks(trx, [{ kind: 'balance_residual', entity }]);
    return 0;
  }
  const stood = isOpen || before === verdict.unexplained;
  const isSame = stood && last?.unexplained === verdict.unexplained && last.status !== 'auto_resolved';
  if (isSame) return 0;
  if (isOpen) await autoResolveBreaks(trx, [{ kind: 'balance_residual', entity }]);
  return openBreaks(trx, [{ kind: 'balance_residual', entity, evidence }]);
}

/**
 * When what is unexplained of an asset appeared: after `clean`, when nothing was, and by the poll of `seen`. A residual whose amount changed
 * is the same one; so is one whose break a person had closed when it was attributed, until a poll shows that nothing is left. Null: nothing
 * is unexplained.
 */
export async function residualAppeared(db: Knex, assetCode: string): Promise<{ clean: string; seen: string } | null> {
  const found = await firstOf<{ clean: string; opened: string; evidence: string }>(db)`
    WITH residuals AS (
      SELECT id, status, opened_at AS opened, resolved_at, evidence FROM breaks
      WHERE kind = 'balance_residual' AND entity_kind = 'balance' AND entity_id = ${assetCode}
    )
    SELECT ${raw(utc('clean'))} AS clean, ${raw(utc('opened'))} AS opened, evidence::varchar AS evidence
    FROM balance_proofs CROSS JOIN LATERAL (SELECT greatest(proven_at, opening_at, (
      SELECT max(resolved_at) FROM residuals AS gone
      WHERE status = 'auto_resolved' AND NOT EXISTS (SELECT FROM residuals AS next WHERE next.opened = gone.resolved_at)
    )) AS clean) AS before JOIN residuals ON opened >= clean
    WHERE asset_code = ${assetCode} AND unexplained <> 0 ORDER BY residuals.id LIMIT 1`;
  if (found === undefined) return null;
  const { theirs } = objectFromJsonText(found.evidence);
  return { clean: found.clean, seen: (isJsonObject(theirs) ? textField(theirs, 'readAt') : null) ?? found.opened };
}

/** Whether the newest break of the asset's residual says just this. */
export async function isKnownResidual(db: Knex, assetCode: string, unexplained: string): Promise<boolean> {
  const last = await newestResidual(db, assetCode);
  return last !== null && last.status !== 'auto_resolved' && last.unexplained === unexplained;
}

async function newestResidual(db: Knex, assetCode: string): Promise<{ status: string; unexplained: unknown } | null> {
  const row = await db<{ status: string; evidence: string }>('breaks')
    .where({ kind: 'balance_residual', entity_kind: 'balance', entity_id: assetCode } as never)
    .orderBy('id', 'desc')
    .first('status', 'evidence');
  return row === undefined
    ? null
    : { status: row.status, unexplained: objectFromJsonText(row.evidence)['unexplained'] };
}
