import type { Knex } from 'knex';
import { canonicalHash } from '../../domain/canonical-json.js';
import { defaultKytWords } from '../../domain/orders/kyt.js';
import type { ReleaseRules } from '../../domain/orders/order-facts.js';
import { appendChanges, type ChangeSource } from '../changes.js';
import { textArray } from '../database/array-parameter.js';
import { type DerivedRow, deriveOrders } from './derive-orders.js';
import { orderChanges } from './order-follow-up.js';

const MARK = { kind: 'cross-check', name: 'kyt' };
const NOT_REGISTERED = 'not_registered';
const ORDERS_AT_ONCE = 200;

interface Mark {
  /** Of the rules that releases are derived by. */
  hash: string;
  /** Derived are those with references up to here; null: all. As the database holds it. */
  after: string | null;
}

/**
 * One slice of deriving anew the orders whose release hangs on the rules, where these are others than before: how the
 * contract reads compliance results, and whether an order must be registered. It goes on where an earlier one stopped.
 * False: there is nothing left to do.
 */
export async function rederiveSlice(trx: Knex.Transaction, rules: ReleaseRules): Promise<boolean> {
  const hash = hashOf(rules);
  await trx.raw(`INSERT INTO watermarks (kind, name, value) VALUES (?, ?, '{}') ON CONFLICT DO NOTHING`, [
    MARK.kind,
    MARK.name,
  ]);
  const row = await trx<{ value: Partial<Mark> }>('watermarks').where(MARK).forUpdate().first('value');
  const isBegun = row?.value.hash === hash;
  if (isBegun && row.value.after === null) return false;
  if (!isBegun) await planScreened(trx, (rules.kytWords ?? defaultKytWords).passed);
  const after = isBegun ? (row.value.after ?? '') : '';
  const next = await deriveAfter(trx, after, rules);
  const value: Mark = { hash, after: next };
  await trx('watermarks')
    .where(MARK)
    .update({ value: JSON.stringify(value), updated_at: trx.fn.now() });
  return next !== null;
}

/** Without the demand for a registration it is what it was before there was one: nothing is derived anew for that. */
function hashOf({ kytWords = defaultKytWords, requiresRegistration = false }: ReleaseRules): string {
  const { passed, pending, rejected } = kytWords;
  const words = { passed: [...passed], pending: [...pending], rejected: [...rejected] };
  return canonicalHash(requiresRegistration ? { ...words, requiresRegistration } : words);
}

/** Only of orders that are paid does the release hang on the rules. */
async function deriveAfter(trx: Knex.Transaction, after: string, rules: ReleaseRules): Promise<string | null> {
  const rows: { reference: string }[] = await trx('orders')
    .select('reference')
    .where({ status: 'paid' })
    .where('reference', '>', after)
    .orderBy('reference')
    .limit(ORDERS_AT_ONCE);
  const touched = rows.map(({ reference }) => ({ reference, since: null }));
  const derived = await deriveOrders(trx, touched, [], rules);
  await appendChanges(
    trx,
    derived.flatMap((order) => orderChanges(order, { source: causeOf(order), serviceTime: null })),
  );
  return rows.length < ORDERS_AT_ONCE ? null : (rows.at(-1)?.reference ?? null);
}

function causeOf({ before, after }: DerivedRow): ChangeSource {
  const isBySetting = [before?.release_reason, after.release_reason].includes(NOT_REGISTERED);
  return isBySetting ? { type: 'setting', ref: 'RELEASE_REQUIRES_REGISTRATION' } : { type: 'contract', ref: 'kyt' };
}

/** Deposits whose result has another meaning now are to be cross-checked: those that don't pass, and those held so far. */
async function planScreened(trx: Knex.Transaction, passed: readonly string[]): Promise<void> {
  await trx.raw(
    `INSERT INTO check_agenda (entity_kind, entity_id, due_at)
     SELECT 'payin', id, 'epoch' FROM (
       SELECT id FROM payins WHERE kyt_status IS NOT NULL
         AND lower(regexp_replace(btrim(kyt_status), '[\\s-]+', '_', 'g')) <> ALL (?::text[])
       UNION
       SELECT entity_id FROM breaks
       WHERE kind = 'kyt_hold' AND entity_kind = 'payin' AND status IN ('open', 'acknowledged')
     ) AS screened
     ON CONFLICT (entity_kind, entity_id) DO UPDATE SET due_at = excluded.due_at`,
    [textArray(passed)],
  );
}
