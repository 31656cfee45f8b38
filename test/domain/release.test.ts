import { LosslessNumber } from 'lossless-json';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/domain/json.js';
import { deriveOrder } from '../../src/domain/orders/order.js';
import type { OrderFacts } from '../../src/domain/orders/order-facts.js';
import {
  describeLines,
  eur,
  type Given,
  gave,
  half,
  type Line,
  many,
  one,
  order,
  PAYIN_READ,
  paid,
  state,
  want,
} from '../support/order-lines.js';

const deposit = { paymentIntentId: 'pi_1', status: 'confirmed', kytStatus: 'approved' };
const behind = { ...paid, payins: [{ id: 'payin_1' }] };
const deposited = (fields: JsonObject, more: Partial<Given> = {}) =>
  order({ intents: [{ fields: behind }], payins: [{ fields, ...more }] });
const kyt = (kytStatus: JsonObject[string]) => deposited({ ...deposit, kytStatus });

const demanding = (facts: OrderFacts): OrderFacts => ({ ...facts, requiresRegistration: true });

const releases: Line[] = [
  ['R1', 'two payments out of range that add up', want(eur('100'), half, half), 'paid', 'out_of_range'],
  [
    'R2',
    'an amount that came as a number',
    one({ ...paid, feeAmountTotal: new LosslessNumber('0.5') }),
    'paid',
    'amount_unreadable',
  ],
  [
    'R2',
    'the rejected amount came as a number',
    one({ ...paid, amountRejected: new LosslessNumber('40') }),
    'paid',
    'amount_unreadable',
  ],
  ['R12', 'a refund of nobody knows which payment', { ...one(paid), refundUnlinked: true }, 'paid', 'refund_unlinked'],
  [
    'R12',
    'the same beside a deposit nobody has read',
    { ...order({ intents: [{ fields: behind }], payins: [] }), refundUnlinked: true },
    'paid',
    'refund_unlinked',
  ],
  ['R3', 'a deposit nobody has read', order({ intents: [{ fields: behind }], payins: [] }), 'paid', 'payins_unread'],
  ['R3', 'money, and no deposit that brought it', one({ ...paid, payins: [] }), 'paid', 'payins_unread'],
  ['R3', 'no list of deposits', one({ ...paid, payins: null }), 'paid', 'payins_unread'],
  ['R3', 'a deposit without an id', one({ ...paid, payins: [{}] }), 'paid', 'payins_unread'],
  ['R4', 'a deposit known by event alone', deposited(deposit, { verified: false }), 'paid', 'payin_not_verified'],
  [
    'R4',
    'a deposit that the service does not have',
    deposited(deposit, { absent: true }),
    'paid',
    'payin_not_verified',
  ],
  ['R5', 'screening is under way', kyt('pending'), 'paid', 'kyt_pending'],
  ['R5', 'screening is under way, in other words', kyt('In Review'), 'paid', 'kyt_pending'],
  [
    'R5',
    'a deposit that the list does not show, but that names the payment',
    order({
      intents: [{ fields: { ...paid, payins: [] } }],
      payins: [{ fields: { ...deposit, kytStatus: 'on-hold' } }],
    }),
    'paid',
    'kyt_pending',
  ],
  ['R6', 'screening failed', kyt('REJECTED'), 'paid', 'kyt_rejected'],
  ['R6', 'high risk', kyt('high-risk'), 'paid', 'kyt_rejected'],
  ['R7', 'a word nobody knows', kyt('amber'), 'paid', 'kyt_unknown'],
  ['R7', 'an empty word', kyt(''), 'paid', 'kyt_unknown'],
  ['R7', 'no word at all', kyt({ result: 'approved' }), 'paid', 'kyt_unknown'],
  ['R8', 'a deposit on its way', deposited({ ...deposit, status: 'confirming' }), 'paid', 'payin_not_final'],
  [
    'R8',
    'a deposit on its way, not screened',
    deposited({ ...deposit, status: 'confirming', kytStatus: null }),
    'paid',
    'payin_not_final',
  ],
  ['R9', 'a refund on its way', one(paid, {}, [gave('49.5', 'approved')]), 'paid', 'refund_in_progress'],
  [
    'R9',
    'a refund of ours of which nobody knows what came',
    {
      ...one(paid),
      openCalls: [{ operation: 'createRefund', paymentIntentId: 'pi_1', begunAt: new Date(0) }],
    },
    'paid',
    'refund_in_progress',
  ],
  ['R13', 'a refund that only webhooks tell', { ...one(paid), refundReported: true }, 'paid', 'refund_reported'],
  ['R10', 'not registered, where that is demanded', demanding(kyt('Approved')), 'paid', 'not_registered'],
  ['R11', 'screened and passed', kyt('Approved'), 'paid', 'proven'],
  ['R11', 'registered, where that is demanded', demanding(want(eur('100'), paid)), 'paid', 'proven'],
  ['R11', 'final and not screened', kyt(null), 'paid', 'proven'],
  [
    'R11',
    'a deposit that matched nothing beside a good one',
    order({
      intents: [{ fields: behind }],
      payins: [{ fields: deposit }, { fields: { ...deposit, status: 'unmatched' } }],
    }),
    'paid',
    'proven',
  ],
  [
    'R11',
    'a bad deposit of another payment',
    order({
      intents: [{ fields: behind }, { fields: state('expired') }],
      payins: [{ fields: deposit }, { fields: { paymentIntentId: 'pi_2', status: 'pending' } }],
    }),
    'paid',
    'proven',
  ],
  ['R11', 'a refund that failed', one(paid, {}, [gave('49.5', 'failed')]), 'paid', 'proven'],
];

describeLines('may the goods go out', 'R', releases);

describe('a release', () => {
  it('is proven as of the oldest reading that it rests on', () => {
    const later = many(paid).intents.map((intent) => ({ ...intent, verifiedAt: PAYIN_READ + 1 }));
    expect(deriveOrder({ ...many(paid), intents: later }).release.provenAt).toBe(PAYIN_READ);
    const earlier = many(paid).intents.map((intent) => ({ ...intent, verifiedAt: PAYIN_READ - 1 }));
    expect(deriveOrder({ ...many(paid), intents: earlier }).release.provenAt).toBe(PAYIN_READ - 1);
  });

  it('goes by the words of the contract', () => {
    const kytWords = { passed: ['amber'], pending: [], rejected: ['approved'] };
    expect(deriveOrder({ ...kyt('Amber'), kytWords }).release.reason).toBe('proven');
    expect(deriveOrder({ ...kyt('approved'), kytWords }).release.reason).toBe('kyt_rejected');
  });

  it('where a registration is demanded is another only of what would be proven and is not registered', () => {
    for (const [, what, facts] of releases) {
      const free = deriveOrder({ ...facts, requiresRegistration: false });
      const held = deriveOrder(demanding(facts));
      const isHeld = free.release.safe && facts.expected === null;
      expect([what, held.release.reason]).toEqual([what, isHeld ? 'not_registered' : free.release.reason]);
      expect([what, held.status, held.release.safe && facts.expected === null]).toEqual([what, free.status, false]);
    }
  });
});
