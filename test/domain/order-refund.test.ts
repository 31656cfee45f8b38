import { describe, expect, it } from 'vitest';
import { mayHaveLeft, refundOf } from '../../src/domain/family/family.js';
import { defaultPayoutWords, ownerOfRefund, type ShownRecord } from '../../src/domain/family/links.js';
import type { JsonObject } from '../../src/domain/json.js';

const record = (id: string, fields: JsonObject, more: Partial<ShownRecord> = {}): ShownRecord => ({
  id,
  fields,
  verified: true,
  verifiedAt: 1,
  absent: false,
  ...more,
});
const payout = (fields: JsonObject, more: Partial<ShownRecord> = {}) => record('po_1', fields, more);
const failed = { status: 'failed', amount: '2.5' };

it.each<[string, ShownRecord, object | null]>([
  ['as it is shown', payout(failed), { amount: '2.5', status: 'failed' }],
  ['that it failed is doubted', payout(failed, { doubted: true }), { amount: '2.5', status: 'failed', doubted: true }],
  ['nothing is doubted', payout(failed, { doubted: false }), { amount: '2.5', status: 'failed' }],
  ['the service denies it', payout(failed, { absent: true }), { amount: '2.5', status: 'denied' }],
  ['denied, and only reports ever named it', payout(failed, { absent: true, unknown: true }), null],
  ['only reports name it', payout({}, { unknown: true }), { amount: '0', status: '' }],
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

describe('a payout is taken for a refund', () => {
  const disputed = record('pi_1', { irregularRefundPayoutId: 'po_1' });
  const sent: JsonObject = { amount: '5', status: 'confirmed', payoutType: 'Settlement', paymentIntentId: 'pi_2' };
  const refund = (paymentIntentId: string) => ({ amount: '5', status: 'confirmed', paymentIntentId });

  const taken = (one: ShownRecord, intents: ShownRecord[]) => {
    const { payment } = ownerOfRefund(one, intents, defaultPayoutWords);
    return payment === null ? null : refundOf(one, payment);
  };

  it('of the payment that names it, whatever it says itself', () => {
    expect(taken(record('po_1', sent), [disputed])).toEqual(refund('pi_1'));
  });

  it('of the payment that it names, unless its word is one for settlements', () => {
    expect(taken(record('po_2', { ...sent, payoutType: 'refund' }), [disputed])).toEqual(refund('pi_2'));
    expect(taken(record('po_2', { ...sent, payoutType: 7 as never }), [])).toEqual(refund('pi_2'));
    expect(taken(record('po_2', sent), [disputed])).toBeNull();
    expect(taken(record('po_2', { ...sent, payoutType: 'settlement_return' }), [])).toEqual(refund('pi_2'));
  });

  it('of two payments that name it the first by id, whichever is given first; and of the one that a person named', () => {
    const other = record('pi_0', { irregularRefundPayoutId: 'po_1' });
    for (const intents of [
      [disputed, other],
      [other, disputed],
    ])
      expect(ownerOfRefund(record('po_1', sent), intents, defaultPayoutWords)).toEqual({
        payment: 'pi_0',
        candidates: ['pi_0', 'pi_1'],
      });
    const assigned = new Map([['po_1', 'pi_9']]);
    expect(ownerOfRefund(record('po_1', sent), [disputed], defaultPayoutWords, assigned).payment).toBe('pi_9');
  });

  it('not when it names none', () => {
    expect(taken(record('po_2', { ...sent, payoutType: 'refund', paymentIntentId: null }), [])).toBeNull();
  });
});
