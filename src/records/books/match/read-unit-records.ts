import type { Knex } from 'knex';
import type { Family } from '../../../domain/family/family.js';
import { linkedByPayment, type ShownRecord } from '../../../domain/family/links.js';
import type { Money } from '../../../domain/family/money.js';
import { grouped } from '../../../domain/grouped.js';
import { MOST_RECORDS } from '../../../domain/orders/order.js';
import { textField } from '../../../domain/records.js';
import { textArray } from '../../database/array-parameter.js';
import { raw, rowsOf, type Trx } from '../../database/statements.js';
import { loadBelonging, readAssigned } from '../../family/around.js';
import { loadFamilies } from '../../family/load.js';
import { relatedOrders, type ShownRow, STANDING, shownRecord } from '../../family/shown-records.js';
import { expectedOf, type OrderRow } from '../../order-row.js';
import { recordTables } from '../../record-columns.js';
import { invoicesAlone, type MatchUnit } from './match-owners.js';

/** The records that may be counted with a unit. Payments among them may be counted with another. */
export interface UnitRecords {
  unit: MatchUnit;
  expected: Money | null;
  /** Milliseconds. */
  registeredAt: number | null;
  /** Since when we know of it; milliseconds. */
  since: number;
  intents: ShownRecord[];
  payins: ShownRecord[];
  invoices: ShownRecord[];
  refundIds: string[];
  shared: boolean;
}

export async function readUnitRecords(trx: Trx, units: readonly MatchUnit[]): Promise<UnitRecords[]> {
  const ids = (kind: MatchUnit['kind']) => units.flatMap((unit) => (unit.kind === kind ? [unit.id] : []));
  return [
    ...(await ofOrders(trx, ids('order'))),
    ...(await ofInvoices(trx, ids('invoice'))),
    ...(await ofPayments(trx, ids('payment_intent'))),
  ];
}

async function ofOrders(trx: Trx, references: readonly string[]): Promise<UnitRecords[]> {
  if (references.length === 0) return [];
  const rows = await trx<OrderRow>('orders').whereRaw('reference = ANY (?::text[])', [textArray(references)]);
  const records = await loadFamilies(trx, rows);
  const invoices = [...records.values()].flatMap((found) => found.invoices.map(({ id }) => id));
  const orders = await relatedOrders(trx, 'invoice', [...new Set(invoices)]);
  return rows.flatMap((row): UnitRecords[] => {
    const found = records.get(row.reference);
    if (found === undefined || (row.registered_at === null && isEmpty(found))) return [];
    const id = row.reference;
    // Of an invoice of several orders the first asks for its amount.
    const isFirst = (invoice: ShownRecord) => (orders.get(invoice.id)?.[0] ?? id) === id;
    return [
      {
        unit: { kind: 'order', id },
        expected: expectedOf(row),
        registeredAt: row.registered_at?.getTime() ?? null,
        since: row.created_at.getTime(),
        intents: found.intents,
        payins: found.payins,
        invoices: found.invoices.filter(isFirst),
        refundIds: found.refundIds,
        shared: found.shared,
      },
    ];
  });
}

/** Reports alone made it an order, or somebody who took the registration back. */
function isEmpty({ shared, intents, payins, invoices, refundIds }: Family): boolean {
  return !shared && [intents, payins, invoices, refundIds].every((records) => records.length === 0);
}

async function ofInvoices(trx: Trx, asked: readonly string[]): Promise<UnitRecords[]> {
  const alone = await invoicesAlone(trx, asked);
  const invoices = await readShown(trx, 'invoice', alone);
  const rows = await rowsOf<{ invoice: string; payment: string }>(trx)`
    SELECT invoice.id AS invoice, intent.id AS payment
    FROM invoices AS invoice CROSS JOIN LATERAL (
      SELECT id FROM payment_intents WHERE id = invoice.payment_intent_id
      UNION (SELECT id FROM payment_intents WHERE invoice_id = invoice.id LIMIT ${raw(MOST_RECORDS + 1)})
    ) AS intent WHERE invoice.id = ANY (${alone}::text[])`;
  const payments = await readShown(trx, 'payment_intent', [...new Set(rows.map((row) => row.payment))]);
  return withBelonging(
    trx,
    [...invoices.values()].map(({ record, firstSeenAt }) => ({
      ...nothingElse({ kind: 'invoice', id: record.id }, firstSeenAt),
      invoices: [record],
      intents: rows.flatMap((row) => (row.invoice === record.id ? (payments.get(row.payment)?.record ?? []) : [])),
    })),
  );
}

async function ofPayments(trx: Trx, ids: readonly string[]): Promise<UnitRecords[]> {
  const payments = await readShown(trx, 'payment_intent', ids);
  return withBelonging(
    trx,
    [...payments.values()].map(({ record, firstSeenAt }) => ({
      ...nothingElse({ kind: 'payment_intent', id: record.id }, firstSeenAt),
      intents: [record],
    })),
  );
}

function nothingElse(unit: MatchUnit, since: number): UnitRecords {
  const none = { expected: null, registeredAt: null, shared: false };
  return { unit, since, ...none, intents: [], payins: [], invoices: [], refundIds: [] };
}

async function withBelonging(trx: Trx, units: UnitRecords[]): Promise<UnitRecords[]> {
  const intents = units.flatMap((unit) => unit.intents);
  const { payin: payins, payout: payouts } = await loadBelonging(trx, new Map(), [], intents);
  const payinsOf = linkedByPayment('payin', intents, payins);
  const payoutsOf = grouped(payouts, ({ fields }) => textField(fields, 'paymentIntentId'));
  const assigned = grouped([...(await readAssigned(trx, payouts))], ([, payment]) => payment);
  return units.map((unit) => ({
    ...unit,
    payins: [...new Set(unit.intents.flatMap(({ id }) => payinsOf.get(id) ?? []))],
    refundIds: [
      ...new Set(
        unit.intents.flatMap(({ id, fields }) => [
          ...(payoutsOf.get(id) ?? []).map((payout) => payout.id),
          ...(assigned.get(id) ?? []).map(([payout]) => payout),
          ...[textField(fields, 'irregularRefundPayoutId')].filter((named) => named !== null),
        ]),
      ),
    ],
  }));
}

export interface SeenRecord {
  record: ShownRecord;
  /** Ours; milliseconds. */
  firstSeenAt: number;
}

/** Records as the service shows them, by id: none that only webhooks report. */
export async function readShown(
  trx: Knex,
  kind: 'payment_intent' | 'invoice' | 'payout',
  ids: readonly string[],
): Promise<Map<string, SeenRecord>> {
  if (ids.length === 0) return new Map();
  const rows = await rowsOf<Omit<ShownRow, 'kind'> & { first_seen_at: Date }>(trx)`
    SELECT ${raw(STANDING)}, shown, false AS says_paid, first_seen_at FROM ${raw(recordTables[kind])}
    WHERE id = ANY (${ids}::text[]) AND known`;
  return new Map(
    rows.map((row) => {
      const record = shownRecord(row);
      return [record.id, { record, firstSeenAt: row.first_seen_at.getTime() }];
    }),
  );
}
