import { describe, expect, test } from 'vitest';
import { type Moment, wrongMoments } from './timeline.js';
import { judgeOrder, type PaymentTruth, type PayoutTruth, type ServiceTruth } from './truth.js';

const payment = (fields: Partial<PaymentTruth> = {}): PaymentTruth => ({
  id: 'pi_1',
  status: 'completed',
  irregularStatus: 'none',
  merchantReference: 'A-1',
  invoiceId: null,
  amountRequested: '100',
  currencyRequested: 'USD',
  amountCryptoExpected: '99.5',
  totalAmountReceived: '99.5',
  amountRejected: null,
  irregularRefundPayoutId: null,
  ...fields,
});
const refund = (fields: Partial<PayoutTruth> = {}): PayoutTruth => ({
  id: 'po_1',
  status: 'pending',
  payoutType: 'refund',
  merchantReference: null,
  ...fields,
});
const service = (changes: Partial<ServiceTruth> = {}): ServiceTruth => ({
  paymentIntents: [payment()],
  payins: [{ paymentIntentId: 'pi_1', status: 'confirmed', kytStatus: 'approved' }],
  invoices: [],
  payouts: [],
  ...changes,
});
const order = { reference: 'A-1', expected: null, invoices: ['inv_1'] };
const may = (changes: Partial<ServiceTruth>, shop: object = {}) =>
  judgeOrder({ ...order, ...shop }, service(changes)).may;

describe('what may be safe in truth', () => {
  test('paid exactly, by its own reference or by an invoice that the shop made', () => {
    expect(judgeOrder(order, service())).toMatchObject({ may: true, must: true });
    expect(may({ paymentIntents: [payment({ merchantReference: null, invoiceId: 'inv_1' })] })).toBe(true);
    expect(may({}, { expected: { amount: '100', currency: 'USD' } })).toBe(true);
    expect(
      judgeOrder(order, service({ payouts: [refund({ merchantReference: 'A-1', status: 'failed' })] })),
    ).toMatchObject({ may: true, must: false });
  });

  test.each([
    ['nothing', { paymentIntents: [] }],
    ['of another order', { paymentIntents: [payment({ merchantReference: 'A-2', invoiceId: 'inv_1' })] }],
    ['of another shop’s invoice', { paymentIntents: [payment({ merchantReference: null, invoiceId: 'inv_2' })] }],
    ['in dispute', { paymentIntents: [payment({ irregularStatus: 'pending_decision' })] }],
    ['given back', { paymentIntents: [payment({ irregularStatus: 'refunded' })] }],
    ['too little', { paymentIntents: [payment({ totalAmountReceived: '99.4' })] }],
    [
      'beside a larger request',
      { paymentIntents: [payment(), payment({ id: 'pi_2', status: 'pending', amountRequested: '500' })] },
    ],
    ['twice', { paymentIntents: [payment(), payment({ id: 'pi_2' })] }],
    ['beside a larger invoice', { invoices: [{ id: 'inv_1', status: 'sent', amount: '500', currency: 'USD' }] }],
    ['a payin rejected', { payins: [{ paymentIntentId: 'pi_1', status: 'confirmed', kytStatus: 'rejected' }] }],
    ['a refund of the payment', { payouts: [refund({ paymentIntentId: 'pi_1' })] }],
    ['a refund under the reference', { payouts: [refund({ merchantReference: 'A-1' })] }],
  ])('not %s', (_what, changes: Partial<ServiceTruth>) => {
    expect(may(changes)).toBe(false);
  });

  test('not less than what is registered, nor in another currency', () => {
    expect(may({}, { expected: { amount: '101', currency: 'USD' } })).toBe(false);
    expect(may({}, { expected: { amount: '100', currency: 'EUR' } })).toBe(false);
  });
});

describe('every moment of safe', () => {
  const moment = (at: number, isTrue: boolean): Moment => ({
    from: at - 10,
    done: at + 10,
    verdict: { may: isTrue, must: isTrue, why: '' },
  });
  const change = (at: number, safe: boolean) => {
    return { seq: '1', reference: 'A-1', safe, reason: '', at, seen: at + 100, source: 'poll 1' };
  };
  const wrong = (releases: [number, boolean][], moments: [number, boolean][], end = 200_000) =>
    wrongMoments(
      releases.map(([at, safe]) => change(at, safe)),
      moments.map(([at, isTrue]) => moment(at, isTrue)),
      { end, slowness: 1 },
    ).map(({ what }) => what);

  test('by what was true, now or a moment ago, is right', () => {
    expect(wrong([[51_000, true]], [[50_000, true]])).toEqual([]);
    expect(
      wrong(
        [
          [53_000, true],
          [54_000, false],
        ],
        [
          [50_000, true],
          [52_000, false],
        ],
      ),
    ).toEqual([]);
  });

  test('before it was true, long after it, for too long, or in the end, is wrong', () => {
    expect(
      wrong(
        [
          [49_000, true],
          [49_500, false],
        ],
        [[50_000, true]],
      ),
    ).toEqual(['became safe']);
    expect(
      wrong(
        [
          [60_000, true],
          [61_000, false],
        ],
        [
          [50_000, true],
          [52_000, false],
        ],
      ),
    ).toEqual(['became safe']);
    expect(
      wrong(
        [
          [51_000, true],
          [80_000, false],
        ],
        [
          [50_000, true],
          [52_000, false],
        ],
      ),
    ).toEqual(['stayed safe']);
    expect(
      wrong(
        [[51_000, true]],
        [
          [50_000, true],
          [199_999, false],
        ],
      ),
    ).toEqual(['is safe when all is read, made so']);
  });
});
