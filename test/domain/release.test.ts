import { readFile } from 'node:fs/promises';
import { LosslessNumber } from 'lossless-json';
import { describe, expect, it, test } from 'vitest';
import { defaultPayoutWords } from '../../src/domain/family/links.js';
import type { JsonObject } from '../../src/domain/json.js';
import { defaultKytWords } from '../../src/domain/orders/kyt.js';
import { deriveOrder } from '../../src/domain/orders/order.js';
import { type OrderFacts, rulesOf } from '../../src/domain/orders/order-facts.js';
import { paidReasons } from '../../src/domain/orders/reason-words.js';
import {
  describeLines,
  eur,
  type Given,
  gave,
  half,
  type Line,
  many,
  one,
  openCall,
  order,
  PAYIN_READ,
  paid,
  state,
  want,
} from '../support/order-lines.js';

const payin = { paymentIntentId: 'pi_1', status: 'confirmed', kytStatus: 'approved' };
const behind = { ...paid, payins: [{ id: 'payin_1' }] };
const withPayin = (fields: JsonObject, more: Partial<Given> = {}) =>
  order({ intents: [{ fields: behind }], payins: [{ fields, ...more }] });
const kyt = (kytStatus: JsonObject[string]) => withPayin({ ...payin, kytStatus });

const demanding = (facts: OrderFacts): OrderFacts => ({ ...facts, requiresRegistration: true });

const ownInvoice = {
  id: 'inv_own',
  fields: { id: 'inv_own', status: 'sent' },
  verified: false,
  verifiedAt: null,
  absent: true,
  ownCall: 'createInvoice',
};

const releases: Line[] = [
  [
    'R1',
    'a payment that two orders could have beside a good one',
    { ...one(paid), contested: one(paid).intents.map((intent) => ({ ...intent, id: 'pi_9' })) },
    'paid',
    'two_orders',
  ],
  [
    'R1',
    'a payin that it lists, and that names another payment',
    withPayin({ ...payin, paymentIntentId: 'pi_2' }),
    'paid',
    'two_orders',
  ],
  [
    'R6',
    'an invoice of our own that the service does not list',
    { ...one(paid), invoices: [ownInvoice] },
    'paid',
    'record_not_at_service',
  ],
  [
    'R7',
    'made before adoption, and its payin was not read',
    { ...order({ intents: [{ fields: behind }], payins: [] }), history: new Set(['pi_1']) },
    'paid',
    'before_adoption',
  ],
  ['R11', 'not screened, where the account shows results', { ...kyt(null), showsKyt: true }, 'paid', 'kyt_pending'],
  ['R2', 'two payments out of range that add up', want(eur('100'), half, half), 'paid', 'out_of_range'],
  [
    'R3',
    'an amount that came as a number',
    one({ ...paid, feeAmountTotal: new LosslessNumber('0.5') }),
    'paid',
    'amount_unreadable',
  ],
  [
    'R3',
    'the rejected amount came as a number',
    one({ ...paid, amountRejected: new LosslessNumber('40') }),
    'paid',
    'amount_unreadable',
  ],
  ['R5', 'a refund of nobody knows which payment', { ...one(paid), refundUnlinked: true }, 'paid', 'refund_unlinked'],
  [
    'R5',
    'the same beside a payin nobody has read',
    { ...order({ intents: [{ fields: behind }], payins: [] }), refundUnlinked: true },
    'paid',
    'refund_unlinked',
  ],
  ['R9', 'a payin nobody has read', order({ intents: [{ fields: behind }], payins: [] }), 'paid', 'payins_unread'],
  ['R9', 'money, and no payin that brought it', one({ ...paid, payins: [] }), 'paid', 'payins_unread'],
  ['R9', 'no list of payins', one({ ...paid, payins: null }), 'paid', 'payins_unread'],
  ['R9', 'a payin without an id', one({ ...paid, payins: [{}] }), 'paid', 'payins_unread'],
  ['R9', 'one without an id beside one', one({ ...paid, payins: [{ id: 'payin_1' }, {}] }), 'paid', 'payins_unread'],
  [
    'R9',
    'one that nobody has read beside one',
    one({ ...paid, payins: [{ id: 'payin_1' }, { id: 'payin_2' }] }),
    'paid',
    'payins_unread',
  ],
  ['R10', 'a payin known by event alone', withPayin(payin, { verified: false }), 'paid', 'payin_not_verified'],
  ['R10', 'a payin that the service does not have', withPayin(payin, { absent: true }), 'paid', 'payin_not_verified'],
  ['R11', 'screening is under way', kyt('pending'), 'paid', 'kyt_pending'],
  ['R11', 'screening is under way, in other words', kyt('In Review'), 'paid', 'kyt_pending'],
  [
    'R11',
    'a payin that the list does not show, but that names the payment',
    order({
      intents: [{ fields: { ...paid, payins: [] } }],
      payins: [{ fields: { ...payin, kytStatus: 'on-hold' } }],
    }),
    'paid',
    'kyt_pending',
  ],
  ['R4', 'screening failed', kyt('REJECTED'), 'paid', 'kyt_rejected'],
  ['R4', 'high risk', kyt('high-risk'), 'paid', 'kyt_rejected'],
  ['R8', 'a word nobody knows', kyt('amber'), 'paid', 'kyt_unknown'],
  ['R8', 'an empty word', kyt(''), 'paid', 'kyt_unknown'],
  ['R8', 'no word at all', kyt({ result: 'approved' }), 'paid', 'kyt_unknown'],
  ['R12', 'a payin on its way', withPayin({ ...payin, status: 'confirming' }), 'paid', 'payin_not_final'],
  [
    'R12',
    'a payin on its way, not screened',
    withPayin({ ...payin, status: 'confirming', kytStatus: null }),
    'paid',
    'payin_not_final',
  ],
  ['R13', 'a refund on its way', one(paid, {}, [gave('49.5', 'approved')]), 'paid', 'refund_in_progress'],
  [
    'R13',
    'a refund of ours of which nobody knows what came',
    {
      ...one(paid),
      openCalls: [openCall('pi_1')],
    },
    'paid',
    'refund_in_progress',
  ],
  [
    'R13',
    'a refund that the payment names and nothing shows',
    { ...one(paid), refundUnread: true },
    'paid',
    'refund_in_progress',
  ],
  ...[1, true, {}, ['pi_1']].map(
    (link): Line => [
      'R1',
      `a payin whose link is no text: ${JSON.stringify(link)}`,
      withPayin({ ...payin, paymentIntentId: link }),
      'paid',
      'two_orders',
    ],
  ),
  ['R14', 'a refund that only webhooks report', { ...one(paid), refundReported: true }, 'paid', 'refund_reported'],
  ['R15', 'not registered, where that is demanded', demanding(kyt('Approved')), 'paid', 'not_registered'],
  ['R16', 'screened and passed', kyt('Approved'), 'paid', 'proven'],
  ['R16', 'registered, where that is demanded', demanding(want(eur('100'), paid)), 'paid', 'proven'],
  ['R16', 'final and not screened', kyt(null), 'paid', 'proven'],
  [
    'R16',
    'a payin that matched nothing beside a good one',
    order({
      intents: [{ fields: behind }],
      payins: [{ fields: payin }, { fields: { ...payin, status: 'unmatched' } }],
    }),
    'paid',
    'proven',
  ],
  [
    'R16',
    'a bad payin of another payment',
    order({
      intents: [{ fields: behind }, { fields: state('expired') }],
      payins: [{ fields: payin }, { fields: { paymentIntentId: 'pi_2', status: 'pending' } }],
    }),
    'paid',
    'proven',
  ],
  ['R16', 'a refund that failed', one(paid, {}, [gave('49.5', 'failed')]), 'paid', 'proven'],
];

const placeOf = ([id]: Line) => Number(id.slice(1));
describeLines(
  'may the goods go out',
  'R',
  releases.toSorted((a, b) => placeOf(a) - placeOf(b)),
);

test('the page names the reasons of a paid order in their order', async () => {
  const page = await readFile(new URL('../../docs/orders.md', import.meta.url), 'utf8');
  const documented = [...page.matchAll(/^\| R\d+ \|.*\| `(\w+)` \|$/gm)].map(([, reason]) => reason);
  expect(documented).toEqual(paidReasons);
});

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

test('a payment that two orders could have, and no other, is no proof for either', () => {
  const facts = { ...order({ payins: [] }), contested: one(paid).intents };
  expect(deriveOrder(facts)).toEqual({
    status: 'paid_unverified',
    release: { safe: false, reason: 'two_orders', provenAt: null },
  });
});

it('an installation holds releases to its rules, whatever else is known beside them', () => {
  const [kytWords, payoutWords] = [defaultKytWords, defaultPayoutWords];
  const known = { kytWords, payoutWords, requiresRegistration: true, log: 'else' };
  expect(rulesOf(known)).toStrictEqual({ kytWords, payoutWords, requiresRegistration: true });
});
