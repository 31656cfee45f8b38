import type { Knex } from 'knex';
import { namedIn } from '../../domain/family/links.js';
import { isReport } from '../../domain/record-state.js';
import { textField } from '../../domain/records.js';
import { textArray } from '../database/array-parameter.js';
import { usableId } from '../database/key-text.js';
import type { Affected } from '../family/affected.js';
import { type FamilyMembers, namedBy } from '../family/lock.js';
import { type AskedBy, isOfReports, type NewRefreshRequest } from '../runs/refresh-requests.js';
import { isHistory, type SaveContext } from '../save-context.js';
import type { MergedRecord } from '../stored-record.js';
import { askedByReports } from './asked-by.js';

/** Records that changed ones name and that are not known, or that stand behind what these say: they are to be read. */
export async function linkedRequests(
  trx: Knex.Transaction,
  members: FamilyMembers,
  affected: Affected,
  context: SaveContext & { releasing: ReadonlySet<string> },
): Promise<NewRefreshRequest[]> {
  const isNews = (record: MergedRecord): boolean => !isHistory(record, context);
  return [
    ...members.payin.flatMap((payin) => namedRequests(payin, affected)),
    ...[...members.invoice, ...members.payout].filter(isNews).flatMap((record) => namedRequests(record, affected)),
    ...(await requestsOfIntents(trx, members.payment_intent.filter(isNews))),
    ...[...members.invoice, ...members.payout].flatMap((record) => {
      const isHeld = affected.references(record).some((reference) => context.releasing.has(reference));
      return reportedLinks(record, context).map((request) =>
        isHeld && isOfReports(request) ? { ...request, lane: 'hold' as const } : request,
      );
    }),
  ];
}

function namedRequests(record: MergedRecord, { statusOf }: Affected): NewRefreshRequest[] {
  const isPaid = record.kind === 'invoice' && textField(record.shown.fields, 'status') === 'paid';
  return namedBy(record, 'payment_intent').flatMap((id): NewRefreshRequest[] => {
    const status = statusOf(id);
    const asked = { kind: 'payment_intent', id } as const;
    if (status === undefined) return [{ ...asked, reason: `intent_of_${record.kind}` }];
    const lags = isPaid && record.changedFields.includes('status') && status !== 'completed';
    return lags ? [{ ...asked, reason: 'invoice_paid' }] : [];
  });
}

/** The other end of a link that only a report shows, and the delivery history, which can prove what no list shows. */
function reportedLinks(record: MergedRecord, context: SaveContext): (NewRefreshRequest & AskedBy)[] {
  const { kind, id, before, shown, reported } = record;
  if (shown.reported === null || reported === before?.reported) return [];
  const intent = usableId(textField(shown.reported, 'paymentIntentId'));
  const reference = textField(shown.reported, 'merchantReference');
  if (intent === null && reference === null) return [];
  const askedAt = newestReport(record);
  const asked = { reason: 'reported_link', askedAt, ...askedByReports(record, context) };
  return [
    ...(intent === null ? [] : [{ kind: 'payment_intent' as const, id: intent, ...asked, askedAt: 0 }]),
    { kind: 'delivery', id: `${kind} ${id}`, ...asked },
  ];
}

/** So that a poll that is under way does not settle what is asked for now. */
function newestReport({ state }: MergedRecord): number {
  return Math.max(0, ...state.claims.filter(isReport).map(({ to }) => to));
}

/** The invoice of a payment that moved, unless it is known to be paid; a refund that is not known. */
async function requestsOfIntents(trx: Knex.Transaction, intents: MergedRecord[]): Promise<NewRefreshRequest[]> {
  const invoices = intents
    .filter(({ changedFields }) => ['invoiceId', 'status'].some((name) => changedFields.includes(name)))
    .flatMap((intent) => {
      const isOver = textField(intent.shown.fields, 'status') === 'completed';
      return linkedIds(intent, 'invoice').map((id) => ({ id, isOver }));
    });
  const refunds = intents
    .filter(({ changedFields }) => changedFields.includes('irregularRefundPayoutId'))
    .flatMap((intent) => linkedIds(intent, 'payout'));
  if (invoices.length + refunds.length === 0) return [];
  const statuses = await statusesOf(
    trx,
    invoices.map(({ id }) => id),
    refunds,
  );
  return [
    ...invoices.flatMap(({ id, isOver }): NewRefreshRequest[] => {
      const status = statuses.get(`invoice ${id}`);
      if (status === undefined) return [{ kind: 'invoice', id, reason: 'invoice_of_intent' }];
      return isOver && status !== 'paid' ? [{ kind: 'invoice', id, reason: 'intent_completed' }] : [];
    }),
    ...refunds.flatMap((id): NewRefreshRequest[] =>
      statuses.has(`payout ${id}`) ? [] : [{ kind: 'payout', id, reason: 'refund_of_intent' }],
    ),
  ];
}

function linkedIds({ shown }: MergedRecord, kind: 'invoice' | 'payout'): string[] {
  return namedIn('payment_intent', shown.fields, kind).flatMap((id) => usableId(id) ?? []);
}

async function statusesOf(
  trx: Knex.Transaction,
  invoices: string[],
  payouts: string[],
): Promise<Map<string, string | null>> {
  const { rows } = await trx.raw<{ rows: { kind: string; id: string; status: string | null }[] }>(
    `SELECT 'invoice' AS kind, id, status FROM invoices WHERE id = ANY (?::text[])
     UNION ALL SELECT 'payout' AS kind, id, status FROM payouts WHERE id = ANY (?::text[])`,
    [textArray(invoices), textArray(payouts)],
  );
  return new Map(rows.map(({ kind, id, status }) => [`${kind} ${id}`, status]));
}
