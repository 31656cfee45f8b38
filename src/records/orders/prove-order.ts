import type { Knex } from 'knex';
import type { ShownRecord } from '../../domain/family/links.js';
import type { ReleaseRules } from '../../domain/orders/order-facts.js';
import { textArray } from '../database/array-parameter.js';
import { rowsOf, type Trx } from '../database/statements.js';
import type { OrderRow } from '../order-row.js';
import { requestRefresh } from '../runs/refresh-requests.js';
import { type OrderRules } from './derive-orders.js';
import { areDerived, rederiveOrders } from './rederive-releases.js';

/** A record that the release of an order may rest on. */
export interface ProofRecord {
  kind: 'payment_intent' | 'payin';
  id: string;
}

const CAUSE = { source: { type: 'store', ref: 'provenWithin' }, serviceTime: null } as const;

/**
 * Nothing is left to prove: the order is not safe, or its proof is of `since` (service clock, ms) or later. What other rules
 * derived, those before an upgrade or another contract file, proves nothing. `rules` null: it was derived by these just now.
 */
export async function isDecided(
  db: Knex,
  reference: string,
  { since, rules }: { since: number; rules: ReleaseRules | null },
): Promise<boolean> {
  const row = await db<OrderRow>('orders').where({ reference }).first('release_safe', 'release_proven_at');
  if (row === undefined || !row.release_safe) return true;
  return isSince(row.release_proven_at?.getTime() ?? null, since) && (rules === null || areDerived(db, rules));
}

/**
 * Derives an order that is there anew: what was read again and shows the same moved no order. Returns its payments and
 * payins whose poll is older than `since`. What nobody but reports speaks of is no part of a proof.
 */
export async function deriveProof(
  trx: Trx,
  reference: string,
  since: number,
  rules: OrderRules,
): Promise<ProofRecord[]> {
  const [derived] = await rederiveOrders(trx, [reference], rules, CAUSE);
  if (derived === undefined) return [];
  const { intents, payins } = derived.records;
  const old = ({ verified, verifiedAt }: ShownRecord): boolean => verified && !isSince(verifiedAt, since);
  return [
    ...intents.filter(old).map(({ id }) => ({ kind: 'payment_intent' as const, id })),
    ...payins.filter(old).map(({ id }) => ({ kind: 'payin' as const, id })),
  ];
}

/** Those of which no poll that began at `since` or later was saved yet. */
export async function unreadSince(db: Knex, records: readonly ProofRecord[], since: number): Promise<ProofRecord[]> {
  if (records.length === 0) return [];
  const idsOf = (kind: ProofRecord['kind']): Buffer =>
    textArray(records.flatMap((record) => (record.kind === kind ? [record.id] : [])));
  const rows = await rowsOf<ProofRecord>(db)`
    SELECT 'payment_intent' AS kind, id FROM payment_intents WHERE id = ANY (${idsOf('payment_intent')}::text[]) AND coalesce(poll_from, 0) < ${since}
    UNION ALL SELECT 'payin', id FROM payins WHERE id = ANY (${idsOf('payin')}::text[]) AND coalesce(poll_from, 0) < ${since}`;
  return rows.map(({ kind, id }) => ({ kind, id }));
}

/** Asks for polls that begin at `since` or later, as polls ask: never behind what reports ask for. */
export async function askForProof(db: Knex, records: readonly ProofRecord[], since: number): Promise<void> {
  const asked = records.map((record) => ({ ...record, reason: 'proof', lane: 'poll' as const, askedAt: since }));
  await requestRefresh(db, asked);
}

const isSince = (at: number | null, since: number): boolean => at !== null && at >= since;
