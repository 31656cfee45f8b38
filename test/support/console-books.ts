import type { Knex } from 'knex';
import type { JsonObject } from '../../src/domain/json.js';
import type { Observation } from '../../src/domain/observation.js';
import { textField } from '../../src/domain/records.js';
import { matchOrders } from '../../src/finance/match-orders.js';
import { postEntries } from '../../src/finance/post-entries.js';
import { createLog } from '../../src/log.js';
import { saveObservations } from '../../src/records/saving/save-observations.js';
import { defaultContract } from '../../src/service-api/contract.js';

/** Samples of the pages of the books. */
export const bookPaths: Readonly<Record<string, string>> = {
  '/match': '/match?state=any',
  '/ledger': '/ledger?account=assets:operating',
  '/ledger/:id': '/ledger/2',
  '/settlements': '/settlements',
  '/settlements/:id': '/settlements/po_settled',
};

/** When it was last sown; the books were opened before. */
let now = 0;
let at = 0;
const DAY_MS = 86_400_000;
const ago = (days: number): string => new Date(now - days * DAY_MS).toISOString();
const asset = { assetCode: 'USDT.TRON' };

/** A payment that was shown otherwise later, one that waits for long; posted and matched. Needs an opened balance. */
export async function seedBooks(db: Knex): Promise<void> {
  now = Date.now();
  at = now + 10_000;
  await save(db, [
    settled(),
    payment('pi_booked', { merchantReference: 'order-booked' }),
    payin('20.79'),
    payment('pi_loose', {}),
  ]);
  await save(db, [waiting('pi_waiting', 45), waiting('pi_forgotten', 120)]);
  await post(db);
  const changed = { merchantReference: 'order-booked', amountNetMerchant: '20.58', feeAmountTotal: '0.42' };
  await save(db, [payment('pi_booked', changed), payin('20.58')]);
  await post(db);
}

async function post(db: Knex): Promise<void> {
  const settings = { timeZone: 'UTC', currency: 'USD' };
  await postEntries({ db, log: createLog('silent'), table: defaultContract.movements, ...settings });
  await matchOrders({ db, ...settings });
}

function payment(id: string, more: JsonObject): JsonObject {
  return {
    id,
    status: 'completed',
    irregularStatus: 'none',
    amountRequested: '19.90',
    currencyRequested: 'EUR',
    requestedCurrencyType: 'fiat',
    amountCryptoExpected: '21',
    totalAmountReceived: '21',
    amountInRange: '21',
    amountRejected: '0',
    amountNetMerchant: '20.79',
    feeAmountTotal: '0.21',
    ...asset,
    createdAt: ago(2),
    updatedAt: new Date(now + 5_000).toISOString(),
    payins: id === 'pi_booked' ? [{ id: 'in_booked', status: 'confirmed', ...asset }] : [],
    ...more,
  };
}

/** To the bank, long ago. */
function settled(): JsonObject {
  const status = { status: 'confirmed', statusHistory: [{ status: 'confirmed', timestamp: ago(9) }] };
  const of = { payoutType: 'settlement', amount: '12', feeAmount: '0', feeBearer: 'merchant', ...asset };
  return { id: 'po_settled', ...of, ...status, createdAt: ago(9), updatedAt: ago(9) };
}

function waiting(id: string, days: number): JsonObject {
  const none = { totalAmountReceived: '0', amountInRange: null, amountNetMerchant: '0', feeAmountTotal: '0' };
  return payment(id, { ...none, status: 'pending', merchantReference: `order-${id}`, createdAt: ago(days) });
}

function payin(amountNet: string): JsonObject {
  const amounts = { amountGross: '21', amountNet, feeAmount: amountNet === '20.79' ? '0.21' : '0.42' };
  return {
    id: 'in_booked',
    paymentIntentId: 'pi_booked',
    payinType: 'blockchain',
    status: 'confirmed',
    kytStatus: 'approved',
    ...amounts,
    ...asset,
    createdAt: ago(1),
  };
}

async function save(db: Knex, records: JsonObject[]): Promise<void> {
  at += 1_000;
  const observations = records.map((fields): Observation => {
    const id = textField(fields, 'id') ?? '';
    const kind = 'payinType' in fields ? 'payin' : 'payoutType' in fields ? 'payout' : 'payment_intent';
    return { type: 'poll', kind, id, from: at, to: at + 100, source: { type: 'poll', ref: '1' }, fields };
  });
  await db.transaction((trx) =>
    saveObservations(trx, observations, { now: new Date(), adoptedAt: new Date('2026-01-01') }),
  );
}
