import type { Knex } from 'knex';
import { textField } from '../../domain/records.js';
import { textArray } from '../database/array-parameter.js';
import { fromDatabaseText, toDatabaseText } from '../database/database-text.js';
import { usableId } from '../database/key-text.js';
import type { NewMark } from '../runs/marks.js';
import type { IntentsBehind } from './intents-behind.js';
import { type LinkedRecords, namedIntents } from './record-links.js';
import { isHistory, type SaveContext } from './save-context.js';
import type { MergedRecord } from './stored-record.js';

/** Records that changed ones name and that are not known, or that stand behind what these say: they are to be read. */
export async function linkedMarks(
  trx: Knex.Transaction,
  linked: LinkedRecords,
  behind: IntentsBehind,
  context: SaveContext,
): Promise<NewMark[]> {
  const isNews = (record: MergedRecord): boolean => !isHistory(record, context);
  return [
    ...linked.payin.flatMap((payin) => namedMarks(payin, behind)),
    ...[...linked.invoice, ...linked.payout].filter(isNews).flatMap((record) => namedMarks(record, behind)),
    ...(await marksOfIntents(trx, linked.payment_intent.filter(isNews))),
  ];
}

function namedMarks(record: MergedRecord, { statusOf }: IntentsBehind): NewMark[] {
  const isPaid = record.kind === 'invoice' && textField(record.shown.fields, 'status') === 'paid';
  return namedIntents(record).flatMap((id): NewMark[] => {
    const status = statusOf(id);
    if (status === undefined) return [{ kind: 'payment_intent', id, reason: `intent_of_${record.kind}` }];
    const lags = isPaid && record.changedFields.includes('status') && status !== 'completed';
    return lags ? [{ kind: 'payment_intent', id, reason: 'invoice_paid' }] : [];
  });
}

/** The invoice of a payment that moved, unless it is known to be paid; a refund that is not known. */
async function marksOfIntents(trx: Knex.Transaction, intents: MergedRecord[]): Promise<NewMark[]> {
  const invoices = intents
    .filter(({ changedFields }) => ['invoiceId', 'status'].some((name) => changedFields.includes(name)))
    .flatMap((intent) => {
      const id = usableId(textField(intent.shown.fields, 'invoiceId'));
      return id === null ? [] : [{ id, isOver: textField(intent.shown.fields, 'status') === 'completed' }];
    });
  const refunds = intents
    .filter(({ changedFields }) => changedFields.includes('irregularRefundPayoutId'))
    .flatMap(({ shown }) => usableId(textField(shown.fields, 'irregularRefundPayoutId')) ?? []);
  if (invoices.length + refunds.length === 0) return [];
  const statuses = await statusesOf(
    trx,
    invoices.map(({ id }) => id),
    refunds,
  );
  return [
    ...invoices.flatMap(({ id, isOver }): NewMark[] => {
      const status = statuses.get(`invoice ${id}`);
      if (status === undefined) return [{ kind: 'invoice', id, reason: 'invoice_of_intent' }];
      return isOver && status !== 'paid' ? [{ kind: 'invoice', id, reason: 'intent_completed' }] : [];
    }),
    ...refunds.flatMap((id): NewMark[] =>
      statuses.has(`payout ${id}`) ? [] : [{ kind: 'payout', id, reason: 'refund_of_intent' }],
    ),
  ];
}

async function statusesOf(
  trx: Knex.Transaction,
  invoices: string[],
  payouts: string[],
): Promise<Map<string, string | null>> {
  const { rows } = await trx.raw<{ rows: { kind: string; id: string; status: string | null }[] }>(
    `SELECT 'invoice' AS kind, id, status FROM invoices WHERE id = ANY (?::text[])
     UNION ALL SELECT 'payout' AS kind, id, status FROM payouts WHERE id = ANY (?::text[])`,
    [textArray(invoices.map(toDatabaseText)), textArray(payouts.map(toDatabaseText))],
  );
  return new Map(rows.map(({ kind, id, status }) => [`${kind} ${fromDatabaseText(id)}`, status]));
}
