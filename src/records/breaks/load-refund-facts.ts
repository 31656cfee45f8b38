import type { Knex } from 'knex';
import type { CheckedRecord, RefundFacts } from '../../domain/breaks/check-facts.js';
import { isLost, lostAt } from '../../domain/breaks/lost-refunds.js';
import { type PayoutWords, referenceOf } from '../../domain/family/links.js';
import type { OpenCall } from '../../domain/family/own-refunds.js';
import { compareText } from '../../domain/record-state.js';
import { keyText } from '../database/database-text.js';
import { columnOf, rowsOf, sql } from '../database/statements.js';
import { loadNaming, readAssigned } from '../family/around.js';
import { loadMakers } from '../family/load.js';
import type { Neighbours } from './check-neighbours.js';
import { selectChecked } from './checked-records.js';

/** Candidates of so many refunds are searched for at once, each among so many payments that came before it. */
const REFUNDS_AT_ONCE = 20;
const PAYMENTS = 500;

/** Who owns the payouts, and what those that nobody owns may give back. */
export async function loadRefundFacts(
  trx: Knex.Transaction,
  { payouts, focus }: Pick<Neighbours, 'payouts' | 'focus'>,
  { now, adoptedAt, words }: { now: Date; adoptedAt: Date; words: PayoutWords },
): Promise<RefundFacts> {
  const all = [...payouts.values()];
  if (all.length === 0) return { ...noRefunds, words };
  const facts = {
    words,
    naming: await loadNaming(trx, new Map(), all, []),
    assigned: await readAssigned(trx, all),
    namedThen: await readNamedThen(trx, [...focus.payouts]),
    ordered: await orderedReferences(trx, all),
    candidates: new Map<string, CheckedRecord[]>(),
    makers: new Map<string, OpenCall>(),
  };
  const lost = all.filter((payout) => focus.payouts.has(payout.id) && isLost(payout, facts));
  const due = lost.filter((payout) => lostAt(payout) <= now.getTime());
  facts.makers = await loadMakers(trx, due);
  for (const payout of due.toSorted((a, b) => compareText(a.id, b.id)).slice(0, REFUNDS_AT_ONCE))
    facts.candidates.set(payout.id, await paymentsBefore(trx, payout, adoptedAt));
  return facts;
}

const noRefunds: Omit<RefundFacts, 'words'> = {
  naming: [],
  assigned: new Map(),
  namedThen: new Map(),
  ordered: new Set(),
  candidates: new Map(),
  makers: new Map(),
};

async function readNamedThen(trx: Knex, payouts: readonly string[]): Promise<Map<string, string[]>> {
  const rows = await rowsOf<{ payout_id: string; named: string[] }>(trx)`
    SELECT DISTINCT ON (payout_id) payout_id, named FROM refund_assignments
    WHERE payout_id = ANY (${payouts}::text[]) ORDER BY payout_id, id DESC`;
  return new Map(rows.map(({ payout_id, named }) => [payout_id, named]));
}

/** References of payouts that name an order: one that the store registered, or that has a payment or an invoice. */
async function orderedReferences(trx: Knex, payouts: readonly CheckedRecord[]): Promise<Set<string>> {
  const references = payouts.flatMap(({ fields }) => keyText(referenceOf(fields) ?? undefined) ?? []);
  if (references.length === 0) return new Set();
  return new Set(
    await columnOf<string>(trx)`
    SELECT reference FROM orders WHERE reference = ANY (${[...new Set(references)]}::text[]) AND (registered_at IS NOT NULL
      OR cardinality(payment_intents) > 0 OR cardinality(invoices) > 0 OR status = 'shared_reference')`,
  );
}

/** The newest that were made before it. */
function paymentsBefore(
  trx: Knex,
  { createdAt, firstSeenAt }: CheckedRecord,
  adoptedAt: Date,
): Promise<CheckedRecord[]> {
  const where = sql`id = ANY (ARRAY(
    SELECT id FROM payment_intents WHERE created_at <= to_timestamp(${createdAt ?? firstSeenAt} / 1000.0)
    ORDER BY created_at DESC, id DESC LIMIT ${PAYMENTS}))`;
  return selectChecked(trx, 'payment_intent', where, adoptedAt);
}

/** Payouts that carry the reference of one of the orders, and name no payment. */
export async function payoutsOfOrders(trx: Knex, references: readonly string[]): Promise<string[]> {
  if (references.length === 0) return [];
  return columnOf<string>(trx)`
    SELECT id FROM payouts WHERE merchant_reference = ANY (${references}::text[]) AND payment_intent_id IS NULL`;
}
