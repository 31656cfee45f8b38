import { expect, it } from 'vitest';
import type { ShownRecord } from '../../src/domain/family/links.js';
import type { JsonObject } from '../../src/domain/json.js';
import { mayHaveLeft, refundOf } from '../../src/domain/orders/order-refund.js';

const payout = (fields: JsonObject, more: Partial<ShownRecord> = {}): ShownRecord => ({
  id: 'po_1',
  fields,
  verified: true,
  verifiedAt: 1,
  absent: false,
  ...more,
});
const failed = { status: 'failed', amount: '2.5' };

it.each<[string, ShownRecord, object | null]>([
  ['as it is shown', payout(failed), { amount: '2.5', status: 'failed' }],
  ['that it failed is doubted', payout(failed, { doubted: true }), { amount: '2.5', status: 'failed', doubted: true }],
  ['nothing is doubted', payout(failed, { doubted: false }), { amount: '2.5', status: 'failed' }],
  ['the service denies it', payout(failed, { absent: true }), { amount: '2.5', status: 'denied' }],
  ['denied, and only reports ever told of it', payout(failed, { absent: true, unknown: true }), null],
  ['only reports tell of it', payout({}, { unknown: true }), { amount: '0', status: '' }],
  ['its amount can’t be read', payout({ ...failed, amount: 'much' }), { amount: '0', status: 'failed' }],
])('what an order takes of a payout: %s', (_name, given, expected) => {
  expect(refundOf(given, 'pi_1')).toEqual(expected && { paymentIntentId: 'pi_1', ...expected });
});

it('only a failure that nobody doubts kept the money here', () => {
  expect(mayHaveLeft(payout(failed))).toBe(false);
  expect(mayHaveLeft(payout(failed, { doubted: true }))).toBe(true);
  expect(mayHaveLeft(payout({ status: 'pending' }))).toBe(true);
  expect(mayHaveLeft(payout({}))).toBe(true);
});
