import type { Knex } from 'knex';
import { canonicalHash } from '../../domain/canonical-json.js';
import { defaultPayoutWords, type PayoutWords } from '../../domain/family/links.js';
import { defaultKytWords } from '../../domain/orders/kyt.js';
import type { ReleaseRules } from '../../domain/orders/order-facts.js';
import { autoResolveBreaks, openBreaks } from '../breaks/breaks.js';
import { appendChanges, type NewChange } from '../changes.js';
import { jsonbText } from '../database/database-text.js';
import { rowsOf, run, type Trx, tableOf } from '../database/statements.js';
import { lockLinks, membersOf } from '../family/lock.js';
import { showsKyt } from '../family/payins.js';
import { relatedOrders } from '../family/shown-records.js';
import { type DerivedRow, deriveOrders, type OrderRules } from './derive-orders.js';
import { orderBreaks, orderChanges } from './order-follow-up.js';

const WATERMARK = { kind: 'cross-check', name: 'kyt' };
const NOT_REGISTERED = 'not_registered';
const ORDERS_AT_ONCE = 200;
/** Another law of release than before: orders are derived anew. */
const LAW = 'what came in';

interface ShowProgress {
  /** Of the rules that releases are derived by. */
  hash: string;
  /** Derived are those with references up to here; null: all. */
  after: string | null;
}

/**
 * One slice of deriving anew the orders whose release hangs on the rules, where these are others than before: how the
 * contract reads compliance results and types of payouts, and whether an order must be registered. It goes on where an earlier one stopped.
 * False: there is nothing left to do.
 */
export async function rederiveSlice(trx: Trx, rules: OrderRules): Promise<boolean> {
  const hash = await hashOf(trx, rules);
  await run(trx)`
    INSERT INTO watermarks (kind, name, value) VALUES (${WATERMARK.kind}, ${WATERMARK.name}, '{}') ON CONFLICT DO NOTHING`;
  const row = await trx<{ value: Partial<ShowProgress> }>('watermarks').where(WATERMARK).forUpdate().first('value');
  const isBegun = row?.value.hash === hash;
  if (isBegun && row.value.after === null) return false;
  if (!isBegun) {
    await planScreened(trx, (rules.kytWords ?? defaultKytWords).passed);
    await planRefunds(trx, rules.payoutWords ?? defaultPayoutWords, rules.adoptedAt);
  }
  const after = isBegun ? (row.value.after ?? '') : '';
  const next = await deriveAfter(trx, after, rules);
  const value: ShowProgress = { hash, after: next };
  await trx('watermarks')
    .where(WATERMARK)
    .update({ value: jsonbText(value), updated_at: trx.fn.now() });
  return next !== null;
}

/** All orders are derived by these rules, not by those before an upgrade or another contract file. */
export async function areDerived(db: Knex, rules: ReleaseRules): Promise<boolean> {
  const row = await db<{ value: Partial<ShowProgress> }>('watermarks').where(WATERMARK).first('value');
  return row?.value.after === null && row.value.hash === (await hashOf(db, rules));
}

/** Derives orders anew, as their records stand; says what changed, and what is wrong with them. Returns all of them. */
export async function rederiveOrders(
  trx: Trx,
  references: readonly string[],
  rules: OrderRules,
  cause: Pick<NewChange, 'source' | 'serviceTime'> | ((order: DerivedRow) => Pick<NewChange, 'source' | 'serviceTime'>),
): Promise<DerivedRow[]> {
  const touched = references.map((reference) => ({ reference, since: null }));
  const derived = await deriveOrders(trx, touched, [], rules);
  const changes = derived
    .filter(({ changed }) => changed)
    .flatMap((order) => orderChanges(order, typeof cause === 'function' ? cause(order) : cause));
  await appendChanges(trx, changes);
  const findings = derived.map((order) => orderBreaks(order, rules));
  const gone = findings.flatMap(({ resolve }) => resolve);
  const found = findings.flatMap(({ open }) => open);
  await autoResolveBreaks(trx, gone);
  await openBreaks(trx, found);
  return derived;
}

async function hashOf(
  trx: Knex,
  { kytWords = defaultKytWords, payoutWords = defaultPayoutWords, requiresRegistration = false }: ReleaseRules,
): Promise<string> {
  const { passed, pending, rejected } = kytWords;
  const words = { passed: [...passed], pending: [...pending], rejected: [...rejected] };
  const { withdrawal, internal, refund, settlement } = payoutWords;
  const payouts = [withdrawal, internal, refund, settlement].map((list) => [...list]);
  return canonicalHash({ ...words, payouts, law: LAW, requiresRegistration, showsKyt: await showsKyt(trx) });
}

/** Only of orders of which money came in does the release hang on the rules, or what is owed, or whether a payout gave it back. */
async function deriveAfter(trx: Trx, after: string, rules: OrderRules): Promise<string | null> {
  const references: string[] = await trx('orders')
    .whereIn('status', ['paid', 'underpaid', 'overpaid', 'partially_refunded', 'refunded'])
    .where('reference', '>', after)
    .orderBy('reference')
    .limit(ORDERS_AT_ONCE)
    .pluck('reference');
  await rederiveOrders(trx, references, rules, causeOf);
  return references.length < ORDERS_AT_ONCE ? null : (references.at(-1) ?? null);
}

function causeOf({ before, after }: DerivedRow): Pick<NewChange, 'source' | 'serviceTime'> {
  const isBySetting = [before?.release_reason, after.release_reason].includes(NOT_REGISTERED);
  const setting = { type: 'setting', ref: 'RELEASE_REQUIRES_REGISTRATION' } as const;
  return { source: isBySetting ? setting : { type: 'contract', ref: 'release' }, serviceTime: null };
}

/** Payins whose result has another meaning now are to be cross-checked: those that don't pass, and those held so far. */
async function planScreened(trx: Trx, passed: readonly string[]): Promise<void> {
  await run(trx)`
    INSERT INTO check_agenda (entity_kind, entity_id, due_at)
    SELECT 'payin', id, 'epoch' FROM (
      SELECT id FROM payins WHERE kyt_status IS NOT NULL
        AND lower(regexp_replace(btrim(kyt_status), '[\\s-]+', '_', 'g')) <> ALL (${passed}::text[])
      UNION
      SELECT entity_id FROM breaks
      WHERE kind = 'kyt_hold' AND entity_kind = 'payin' AND status IN ('open', 'acknowledged')
    ) AS screened
    ON CONFLICT (entity_kind, entity_id) DO UPDATE SET due_at = excluded.due_at`;
}

/**
 * Payouts of our time that are no withdrawals by these words are to be cross-checked, whether they are refunds of nobody; so
 * are those of which it was found, and one of each word that had no class.
 */
async function planRefunds(
  trx: Trx,
  { withdrawal, internal, settlement }: PayoutWords,
  adoptedAt: Date,
): Promise<void> {
  await run(trx)`
    INSERT INTO check_agenda (entity_kind, entity_id, due_at)
    SELECT 'payout', id, 'epoch' FROM (
      SELECT id FROM payouts WHERE known AND payment_intent_id IS NULL AND own_call IS DISTINCT FROM 'createPayout'
        AND lower(payout_type) <> ALL (${[...withdrawal, ...internal, ...settlement]}::text[]) AND created_at >= ${adoptedAt}
      UNION
      SELECT one.id FROM breaks CROSS JOIN LATERAL (
        SELECT payouts.id FROM payouts WHERE 'payoutType=' || lower(payout_type) = entity_id LIMIT 1) AS one (id)
      WHERE kind = 'contract_violation' AND entity_kind = 'payout' AND status IN ('open', 'acknowledged')
      UNION
      SELECT entity_id FROM breaks
      WHERE kind = 'refund_without_order' AND entity_kind = 'payout' AND status IN ('open', 'acknowledged')
    ) AS payout
    ON CONFLICT (entity_kind, entity_id) DO UPDATE SET due_at = excluded.due_at`;
}

interface Row {
  operation: string;
  key: string;
  payment_intent_id: string | null;
}

const CAUSE = { source: { type: 'api_response', ref: 'createRefund' }, serviceTime: null } as const;

/**
 * Derives anew the orders of refunds that were begun or settled since they were derived, whoever called. Returns
 * how many calls there were, `limit` at most; somebody else's are left to them.
 *
 * The payments' links are locked first, as by savers: an order that is being made meanwhile is waited for.
 */
export async function holdOrders(trx: Trx, { limit, rules }: { limit: number; rules: OrderRules }): Promise<number> {
  const rows = await rowsOf<Row>(trx)`
    SELECT operation, key, payment_intent_id FROM service_writes
    WHERE operation = 'createRefund' AND NOT derived ORDER BY begun_at LIMIT ${limit} FOR UPDATE SKIP LOCKED`;
  if (rows.length === 0) return 0;
  const intents = [...new Set(rows.flatMap(({ payment_intent_id: id }) => id ?? []))];
  await lockLinks(trx, membersOf([]), intents);
  const related = await relatedOrders(trx, 'payment_intent', intents);
  const references = [...new Set([...related.values()].flat())];
  await rederiveOrders(trx, references, rules, CAUSE);
  await run(trx)`
    UPDATE service_writes AS call SET derived = true
    FROM ${tableOf('done', rows, { operation: 'text', key: 'text' })}
    WHERE call.operation = done.operation AND call.key = done.key`;
  return rows.length;
}
