import type { Knex } from 'knex';
import { LosslessNumber } from 'lossless-json';
import type { JsonObject } from '../../src/domain/json.js';
import type { Observation } from '../../src/domain/observation.js';
import { type RecordKind, textField } from '../../src/domain/records.js';
import { saveObservations } from '../../src/records/saving/save-observations.js';
import { judgedBalance } from './classified-balance.js';

/** An id that would leave its attribute or its element, were it not escaped. */
const HOSTILE_ID = `po_"'><img src=x>`;

/** Where each page of a kind of record has something to show after `seedRecords`. */
export const recordPaths: Readonly<Record<string, string>> = {
  '/payments': '/payments',
  '/payments/:id': '/payments/pi_full',
  '/deposits': '/deposits',
  '/deposits/:id': '/deposits/in_1',
  '/invoices': '/invoices',
  '/invoices/:id': '/invoices/inv_1',
  '/payouts': '/payouts',
  '/payouts/:id': `/payouts/${encodeURIComponent(HOSTILE_ID)}`,
  '/accounts': '/accounts',
  '/accounts/:id': '/accounts/acc_1',
  '/transactions': '/transactions',
  '/transactions/:id': '/transactions/tx_1',
  '/settlement-accounts': '/settlement-accounts',
  '/settlement-accounts/:id': '/settlement-accounts/sa_1',
  '/products': '/products',
  '/products/:id': '/products/prod_1',
  '/catalog': '/catalog',
  '/catalog/:id': '/catalog/USDT.TRON',
  '/endpoints': '/endpoints',
  '/endpoints/:id': '/endpoints/ep_1',
  '/balances': '/balances',
  '/balances/:id': '/balances/USDT.TRON',
};

const NOW = Date.now();
const ago = (seconds: number) => new Date(NOW - seconds * 1_000).toISOString();
const asset = { assetCode: 'USDT.TRON' };

/** One record of every kind, linked as the service links them. */
export async function seedRecords(db: Knex): Promise<void> {
  const records: [RecordKind, JsonObject][] = [
    ['payment_intent', fullPayment],
    ['payin', payin],
    [
      'invoice',
      {
        id: 'inv_1',
        status: 'paid',
        customerName: 'Ann Example',
        customerEmail: 'ann@example.com',
        amount: '19.90',
        currency: 'EUR',
        paymentIntentId: 'pi_full',
        meta: { items: [{ name: 'Mug', quantity: '1', unitPrice: '19.90' }], notes: 'Gift wrap' },
        createdAt: ago(4_000),
        expiresAt: null,
      },
    ],
    [
      'payout',
      {
        id: HOSTILE_ID,
        status: 'failed',
        payoutType: 'crypto_withdrawal',
        amount: '4.20',
        ...asset,
        destinationAddress: 'TXYZ',
        failureReason: HOSTILE_ID,
        txUrl: 'javascript:alert(1)',
        createdAt: ago(900),
        updatedAt: ago(300),
        statusHistory: [{ status: 'failed', timestamp: ago(300), source: 'system', note: HOSTILE_ID }],
      },
    ],
    ['account', { id: 'acc_1', status: 'frozen', label: 'Ann Example', email: 'ann@example.com', externalRef: 'u-1' }],
    [
      'transaction',
      { id: 'tx_1', accountId: 'acc_1', ...asset, type: 'transfer', amount: '-5.5', createdAt: ago(800) },
    ],
    ['settlement_account', { id: 'sa_1', receptionAddress: '+254700000000', isDefault: true, createdAt: ago(9_000) }],
    ['product', { id: 'prod_1', name: 'Mug', amount: '19.90', currency: 'EUR', isActive: true, createdAt: ago(9_000) }],
    ['asset', { id: 'USDT.TRON', ...asset, name: 'Tether', network: 'TRON', category: 'stablecoin' }],
    [
      'endpoint',
      { id: 'ep_1', url: 'https://shop.example/webhooks', events: ['payment_intent.completed'], isActive: false },
    ],
  ];
  await save(
    db,
    records.map(([kind, fields]) => poll(kind, fields)),
  );
  await judgedBalance(db, { assetCode: 'USDT.TRON', opening: '100', balance: '56', now: new Date(NOW) });
}

const payin: JsonObject = {
  id: 'in_1',
  paymentIntentId: 'pi_full',
  payinType: 'blockchain',
  txid: '9f2c41d7a5b0e8c36d1f4a7b2e9c0d5f8a3b6c1e4d7f0a9b2c5e8d1f4a7b0c3e',
  amountGross: '21.500000',
  amountNet: '21.285',
  feeAmount: '0.215',
  ...asset,
  status: 'confirmed',
  kytStatus: 'approved',
  kytRiskScore: '3.5',
  confirmations: new LosslessNumber('21'),
  createdAt: ago(3_500),
};

const fullPayment: JsonObject = {
  id: 'pi_full',
  status: 'completed',
  irregularStatus: 'pending_decision',
  merchantReference: 'order-full',
  invoiceId: 'inv_1',
  productId: 'prod_1',
  amountRequested: '19.90',
  currencyRequested: 'EUR',
  requestedCurrencyType: 'fiat',
  amountCryptoExpected: '21.5',
  totalAmountReceived: '21.500000',
  amountNetMerchant: '21.285',
  feeAmountTotal: '0.215',
  ...asset,
  acceptedCoins: ['USDT.TRON', 'BTC'],
  customerEmail: 'ann@example.com',
  paymentLink: 'https://pay.example/p/pi_full',
  createdAt: ago(3_600),
  expiresAt: ago(-3_600),
  payins: [payin, { id: 'in_unread', amountGross: '1', ...asset, status: 'pending', createdAt: ago(10) }],
  statusHistory: [
    { status: 'pending', timestamp: ago(3_600) },
    { status: 'completed', timestamp: ago(3_400), by: 'system' },
  ],
};

function poll(kind: RecordKind, fields: JsonObject): Observation {
  const at = NOW - 30_000;
  const source = { type: 'poll', ref: '1' } as const;
  return { type: 'poll', kind, id: textField(fields, 'id') ?? '', from: at, to: at + 900, source, fields };
}

async function save(db: Knex, observations: Observation[]): Promise<void> {
  await db.transaction((trx) =>
    saveObservations(trx, observations, { now: new Date(), adoptedAt: new Date('2026-01-01') }),
  );
}
