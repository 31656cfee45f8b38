import type { Knex } from 'knex';
import { textField } from '../../domain/records.js';
import { textArray } from '../database/array-parameter.js';
import { fromDatabaseText, toDatabaseText } from '../database/database-text.js';
import { usableId } from '../database/key-text.js';
import type { AskedBy, NewMark } from '../runs/marks.js';
import { askedByClaims, isPolled } from './asked-by.js';
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
    ...linked.payin.flatMap((payin) => namedMarks(payin, behind, context)),
    ...[...linked.invoice, ...linked.payout].filter(isNews).flatMap((record) => namedMarks(record, behind, context)),
    ...(await marksOfIntents(trx, linked.payment_intent.filter(isNews), context)),
  ];
}

/** Who asks for what a record names in a field: the service's own list, or a webhook alone. */
function askedBy(record: MergedRecord, field: string, id: string, context: SaveContext): AskedBy {
  return isPolled(record, field, id) ? { lane: 'poll' } : askedByClaims(record, context);
}

function namedMarks(record: MergedRecord, { statusOf }: IntentsBehind, context: SaveContext): NewMark[] {
  const isPaid = record.kind === 'invoice' && textField(record.shown.fields, 'status') === 'paid';
  return namedIntents(record).flatMap((id): NewMark[] => {
    const status = statusOf(id);
    const asked = { kind: 'payment_intent', id, ...askedBy(record, 'paymentIntentId', id, context) } as const;
    if (status === undefined) return [{ ...asked, reason: `intent_of_${record.kind}` }];
    const lags = isPaid && record.changedFields.includes('status') && status !== 'completed';
    return lags ? [{ ...asked, reason: 'invoice_paid' }] : [];
  });
}

/** The invoice of a payment that moved, unless it is known to be paid; a refund that is not known. */
async function marksOfIntents(
  trx: Knex.Transaction,
  intents: MergedRecord[],
  context: SaveContext,
): Promise<NewMark[]> {
  const invoices = intents
    .filter(({ changedFields }) => ['invoiceId', 'status'].some((name) => changedFields.includes(name)))
    .flatMap((intent) => {
      const id = usableId(textField(intent.shown.fields, 'invoiceId'));
      const isOver = textField(intent.shown.fields, 'status') === 'completed';
      return id === null ? [] : [{ id, isOver, by: askedBy(intent, 'invoiceId', id, context) }];
    });
  const refunds = intents
    .filter(({ changedFields }) => changedFields.includes('irregularRefundPayoutId'))
    .flatMap((intent) => {
      const id = usableId(textField(intent.shown.fields, 'irregularRefundPayoutId'));
      return id === null ? [] : [{ id, by: askedBy(intent, 'irregularRefundPayoutId', id, context) }];
    });
  if (invoices.length + refunds.length === 0) return [];
  const statuses = await statusesOf(
    trx,
    invoices.map(({ id }) => id),
    refunds.map(({ id }) => id),
  );
  return [
    ...invoices.flatMap(({ id, isOver, by }): NewMark[] => {
      const status = statuses.get(`invoice ${id}`);
      if (status === undefined) return [{ kind: 'invoice', id, reason: 'invoice_of_intent', ...by }];
      return isOver && status !== 'paid' ? [{ kind: 'invoice', id, reason: 'intent_completed', ...by }] : [];
    }),
    ...refunds.flatMap(({ id, by }): NewMark[] =>
      statuses.has(`payout ${id}`) ? [] : [{ kind: 'payout', id, reason: 'refund_of_intent', ...by }],
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
