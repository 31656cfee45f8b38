import type { JsonObject } from '../../src/domain/json.js';

export function intent(id: string, fields: JsonObject = {}): JsonObject {
  return {
    id,
    status: 'pending',
    amountRequested: '25.00',
    currencyRequested: 'EUR',
    requestedCurrencyType: 'fiat',
    amountCryptoExpected: '26.1',
    assetCode: 'USDT.TRON',
    acceptedCoins: ['USDT.TRON', 'BTC'],
    totalAmountReceived: '0',
    amountNetMerchant: '0',
    feeAmountTotal: '0',
    amountInRange: null,
    amountRejected: null,
    amountToRefund: null,
    feeAmountOnRange: null,
    feeAmountOnRejected: null,
    source: 'api',
    merchantReference: `order-${id}`,
    invoiceId: null,
    irregularStatus: 'none',
    paymentResult: null,
    customerEmail: 'ada@example.test',
    returnUrl: 'https://shop.example.test/thanks',
    createdAt: '2026-02-28T23:00:00.000Z',
    expiresAt: '2026-03-01T02:00:00.000Z',
    paymentLink: `https://pay.example.test/${id}`,
    statusHistory: [],
    payins: [],
    ...fields,
  };
}

/** A payment intent that is paid in full by the payin `payinId`. */
export function paidIntent(id: string, payinId: string, fields: JsonObject = {}): JsonObject {
  return intent(id, {
    status: 'completed',
    totalAmountReceived: '26.1',
    amountNetMerchant: '25.839',
    feeAmountTotal: '0.261',
    amountInRange: '26.1',
    amountRejected: '0',
    payins: [{ id: payinId, amountGross: '26.1', status: 'confirmed', assetCode: 'USDT.TRON' }],
    ...fields,
  });
}

export function payin(id: string, paymentIntentId: string, fields: JsonObject = {}): JsonObject {
  return {
    id,
    paymentIntentId,
    payinType: 'blockchain',
    amountGross: '26.1',
    amountNet: '25.839',
    feeAmount: '0.261',
    assetCode: 'USDT.TRON',
    status: 'confirmed',
    kytStatus: 'approved',
    createdAt: '2026-02-28T23:30:00.000Z',
    ...fields,
  };
}

export function invoice(id: string, fields: JsonObject = {}): JsonObject {
  return {
    id,
    customerEmail: 'ada@example.test',
    customerName: 'Ada Example',
    amount: '25.00',
    currency: 'EUR',
    assetCode: null,
    status: 'sent',
    paymentIntentId: null,
    expiresAt: null,
    createdAt: '2026-02-28T22:00:00.000Z',
    ...fields,
  };
}

export function payout(id: string, fields: JsonObject = {}): JsonObject {
  return {
    id,
    merchantReference: null,
    payoutType: 'refund',
    amount: '25.839',
    assetCode: 'USDT.TRON',
    feeAmount: '0',
    txid: null,
    status: 'pending',
    createdAt: '2026-03-01T00:00:00.000Z',
    updatedAt: '2026-03-01T00:00:00.000Z',
    ...fields,
  };
}
