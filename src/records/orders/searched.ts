import type { Knex } from 'knex';
import { defaultPayoutWords, mayRefund } from '../../domain/family/links.js';
import { objectFromJsonText, ownField } from '../../domain/json.js';
import { isReport } from '../../domain/record-state.js';
import { textField } from '../../domain/records.js';
import { keyText } from '../database/database-text.js';
import { columnOf, raw, run, type Trx, tableOf } from '../database/statements.js';
import type { FamilyRules } from '../family/load.js';
import type { MergedRecord } from '../stored-record.js';
import type { OrderRules } from './derive-orders.js';
import { rederiveOrders } from './rederive-releases.js';

/** The payment that an invoice names, by whichever source: by it the delivery history is asked. */
export async function paymentOfInvoice(db: Knex, id: string): Promise<string | null> {
  const row = await db<{ id: string; payment_intent_id: string | null; reported: string | null }>('invoices')
    .where({ id })
    .first('payment_intent_id', 'reported');
  if (row === undefined) return null;
  if (row.payment_intent_id !== null) return row.payment_intent_id;
  return row.reported === null ? null : textField(objectFromJsonText(row.reported), 'paymentIntentId');
}

/**
 * Keeps what reports alone say payouts give back (`saidRefunds`). What one said stays, whatever others say after it, until the
 * list shows the same, or that the payout is no refund.
 */
export async function saveReportedRefunds(
  trx: Trx,
  payouts: readonly MergedRecord[],
  { payoutWords = defaultPayoutWords }: FamilyRules,
): Promise<void> {
  const reported = payouts.filter(({ state }) => state.claims.some(isReport));
  if (reported.length === 0) return;
  const said = reported.flatMap(({ id, said: own }) =>
    own.flatMap(({ name, ...one }) => {
      const key = keyText(name);
      return key === null ? [] : [{ payout: id, name: key, ...one }];
    }),
  );
  const known = tableOf('shown', reported, {
    id: 'text',
    payment: ['text', ({ shown }) => keyText(ownField(shown.fields, 'paymentIntentId'))],
    reference: ['text', ({ shown }) => keyText(ownField(shown.fields, 'merchantReference'))],
    may_refund: ['boolean', ({ shown }) => mayRefund(shown.fields, payoutWords)],
  });
  await run(trx)`
    DELETE FROM reported_refunds AS said USING ${known} WHERE payout_id = shown.id
      AND CASE said_of WHEN 'payment' THEN name = payment ELSE name = reference OR NOT may_refund END`;
  const given = tableOf('said', said, { payout: 'text', of: 'text', name: 'text', until: 'bigint', by: 'text' });
  await run(trx)`
    INSERT INTO reported_refunds (payout_id, said_of, name, said_to, said_by) SELECT * FROM ${given}
    ON CONFLICT (payout_id, said_of, name, said_by) DO NOTHING`;
}

/**
 * Payouts that some of these reports link, by their rows of the inbox, and that nothing else links: the history is to be
 * searched for them anew where it shows the reports, for an earlier search may have come before it did.
 */
export async function unlinkedBy(db: Knex, reports: readonly string[]): Promise<string[]> {
  if (reports.length === 0) return [];
  return columnOf<string>(db)`
    SELECT DISTINCT payouts.id FROM reported_refunds JOIN payouts ON payouts.id = payout_id
    WHERE said_by = ANY (${reports}::text[]) AND coalesce(payment_intent_id, '') = '' ORDER BY payouts.id`;
}

/**
 * All that the delivery history has of a payout was read, by a poll that began at `at` (ms of the service's clock): what
 * reports said of its links until then, and it lacks, holds no order any more.
 */
export async function noteSearched(trx: Trx, id: string, at: number, rules: OrderRules): Promise<void> {
  const noted = await trx('payouts')
    .where({ id })
    .whereRaw('coalesce(searched_at, 0) < ?', [Math.floor(at)])
    .update({ searched_at: Math.floor(at) });
  if (noted > 0) await rederiveReported(trx, { column: 'payout_id', values: [id] }, { rules, serviceTime: at });
}

/**
 * The service did not send these reports, by their rows of the inbox: what they said of refunds holds no order any more. Returns
 * the orders that are other than before.
 */
export async function noteDisproved(trx: Trx, reports: readonly string[], rules: OrderRules): Promise<string[]> {
  return rederiveReported(trx, { column: 'said_by', values: reports }, { rules, serviceTime: null });
}

async function rederiveReported(
  trx: Trx,
  { column, values }: { column: 'payout_id' | 'said_by'; values: readonly string[] },
  { rules, serviceTime }: { rules: OrderRules; serviceTime: number | null },
): Promise<string[]> {
  const references = await columnOf<string>(trx)`
    WITH said AS (SELECT said_of, name FROM reported_refunds WHERE ${raw(column)} = ANY (${values}::text[]))
    SELECT reference FROM (
      SELECT name AS reference FROM said WHERE said_of = 'order'
      UNION SELECT reference FROM said JOIN payment_orders ON payment_intent_id = name WHERE said_of = 'payment'
    ) AS named JOIN orders USING (reference)`;
  const cause = { source: { type: 'poll', ref: 'delivery history' }, serviceTime } as const;
  const derived = references.length === 0 ? [] : await rederiveOrders(trx, references, rules, cause);
  return derived.filter(({ changed }) => changed).map(({ after }) => after.reference);
}
