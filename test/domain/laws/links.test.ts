import * as fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import {
  defaultPayoutWords,
  isRefund,
  isUnlinkedRefund,
  linkedByPayment,
  namedIn,
  ownerOfRefund,
  payinSummaries,
  payoutClass,
  type ShownRecord,
} from '../../../src/domain/family/links.js';
import type { JsonObject } from '../../../src/domain/json.js';
import type { Observation } from '../../../src/domain/observation.js';
import { judge, listedIn, recordsOf, says, statesOf } from './judge.js';
import { runsWithRare } from './rare-worlds.js';
import { nothing, runs, START, world } from './worlds.js';

/** Who shows the record, in turn. */
const sources = ['poll', 'absence', 'api_response', 'delivery_history', 'webhook'] as const;
type Source = (typeof sources)[number];

function shown(
  kind: 'payment_intent' | 'invoice',
  fields: JsonObject & { id: string },
  by: readonly Source[],
): Observation[] {
  return by.map((source, index): Observation => {
    const from = START + index * 10_000;
    const at = { kind, id: fields.id, from, to: from + 200 };
    if (source === 'absence') return { ...at, type: 'absence', source: { type: 'poll', ref: '1' } };
    const base = { ...at, source: { type: source, ref: source === 'api_response' ? 'createInvoice' : '1' } };
    return source === 'poll' ? { ...base, type: 'poll', fields } : { ...base, type: 'statement', fields };
  });
}

describe('a link decides only where the API key showed it', () => {
  it('an invoice gives its payment the order: polls, own calls and deliveries; not reports, and not where it is denied, but for an own call', () => {
    const turns = fc.array(fc.constantFrom(...sources), { minLength: 1, maxLength: 3 });
    fc.assert(
      fc.property(turns, fc.boolean(), (by, isInvoiceNaming) => {
        const payment = { id: 'p1', status: 'pending', invoiceId: isInvoiceNaming ? '' : 'i1' };
        const invoice = {
          id: 'i1',
          status: 'sent',
          merchantReference: 'A',
          paymentIntentId: isInvoiceNaming ? 'p1' : '',
        };
        const { orders } = judge(nothing, [
          ...shown('payment_intent', payment, ['poll']),
          ...shown('invoice', invoice, by),
        ]);
        const family = orders[0]!.family;
        const proofs = by.filter((source) => source !== 'webhook');
        const isDenied = proofs.at(-1) === 'absence' && !proofs.includes('api_response');
        const isKnown = proofs.some((source) => source !== 'absence');
        expect(family.intents.map(({ id }) => id)).toEqual(isKnown && !isDenied ? ['p1'] : []);
        expect(family.invoices.map(({ id }) => id)).toEqual(isKnown ? ['i1'] : []);
      }),
      runs(4),
    );
  });

  it('a paid invoice is its payment’s: of the one that it names, else of those that name it; another order’s holds it', () => {
    const other = fc.constantFrom('p1', 'p2', '', null);
    fc.assert(
      fc.property(other, fc.constantFrom('i1', '', null), fc.boolean(), (paymentIntentId, invoiceId, isOther) => {
        const payment = { id: 'p1', status: 'pending', merchantReference: isOther ? 'B' : 'A', invoiceId };
        const invoice = { id: 'i1', status: 'paid', merchantReference: 'A', paymentIntentId };
        const { orders } = judge(nothing, [
          ...shown('payment_intent', payment, ['poll']),
          ...shown('invoice', invoice, ['poll']),
        ]);
        const isIts = paymentIntentId === 'p1' || (paymentIntentId !== 'p2' && invoiceId === 'i1');
        const its = isOther ? 'two_orders' : 'not_verified';
        expect(orders[0]!.order.release.reason).toBe(isIts ? its : 'intent_unknown');
      }),
      runs(),
    );
  });

  it('a refund is of whom a person said; else of a payment that names it, those that the service lists first; else of the one that it names', () => {
    const ids = ['p1', 'p2', 'p3'];
    const payments = fc.shuffledSubarray(ids).chain((ids) =>
      fc.tuple(
        ...ids.map((id) =>
          fc.record({
            id: fc.constant(id),
            absent: fc.boolean(),
            fields: fc.record({ irregularRefundPayoutId: fc.constantFrom('o1', 'o1', 'o2', '', null) }),
          }),
        ),
      ),
    );
    const own = fc.record({
      paymentIntentId: fc.constantFrom(...ids, '', null),
      payoutType: fc.constantFrom('refund', 'Settlement', null),
    });
    const person = fc.constantFrom(undefined, undefined, undefined, 'p1', 'p9', null);
    fc.assert(
      fc.property(payments, own, person, (payments, fields, said) => {
        const payout = { id: 'o1', fields, verified: true, verifiedAt: 1, absent: false };
        const assigned = new Map(said === undefined ? [] : [['o1', said]]);
        const names = (isAbsent: boolean) =>
          ids.filter((id) =>
            payments.some(
              (one) => one.id === id && one.absent === isAbsent && says(one, 'irregularRefundPayoutId', 'o1'),
            ),
          );
        const itself = fields.payoutType === 'Settlement' ? null : fields.paymentIntentId;
        const found = [...names(false), ...names(true), ...(itself ? [itself] : [])];
        const decided = said === null ? [] : [said];
        const candidates = said === undefined ? [...new Set(found)] : decided;
        expect(ownerOfRefund(payout, payments, defaultPayoutWords, assigned)).toEqual({
          payment: candidates[0] ?? null,
          candidates,
        });
      }),
      runs(4),
    );
  });

  it('a payin or an invoice is linked once with each payment that it names, or that names it', () => {
    fc.assert(
      fc.property(world, (world) => {
        const { payment_intent: intents, payin, invoice } = recordsOf(statesOf(world.proofs));
        const payins = linkedByPayment('payin', intents, payin);
        const invoices = linkedByPayment('invoice', intents, invoice);
        for (const intent of intents) {
          const isIts = (record: ShownRecord) => says(record, 'paymentIntentId', intent.id);
          expect(payins.get(intent.id) ?? []).toEqual(
            payin.filter((one) => isIts(one) || listedIn(intent).includes(one.id)),
          );
          expect(invoices.get(intent.id) ?? []).toEqual(
            invoice.filter((one) => isIts(one) || says(intent, 'invoiceId', one.id)),
          );
        }
        expect([...payins.keys(), ...invoices.keys()]).not.toContain('');
      }),
      runsWithRare(),
    );
  });
});

/** Of the contract, by what they say of a payout. */
const words = {
  withdrawal: ['withdrawal', 'payout', 'crypto', 'standard', 'external'],
  internal: ['internal', 'internal_transfer'],
  refund: ['refund', 'payment_refund'],
  settlement: ['settlement'],
};
const classed = Object.entries(words).flatMap(([is, all]) => all.map((word) => [word, is] as const));

describe('what a payout is', () => {
  it('by its word in any case; without one that is classed it may be a refund, unless a call of our own says otherwise', () => {
    const inAnyCase = fc
      .constantFrom(...classed, ['odd', null] as const, ['refunded', null] as const, ['', null] as const)
      .chain(([word, is]) => fc.tuple(fc.mixedCase(fc.constant(word)), fc.constant(is)));
    const said = fc.oneof({ weight: 9, arbitrary: inAnyCase }, fc.constant([null, null] as const));
    fc.assert(
      fc.property(said, fc.constantFrom('createPayout', 'createRefund', null), ([payoutType, is], ownCall) => {
        const payout = { id: 'o1', fields: { payoutType }, verified: true, verifiedAt: 1, absent: false, ownCall };
        const isNone = ownCall === 'createPayout' || ['withdrawal', 'internal', 'settlement'].includes(is ?? '');
        expect(payoutClass(payout.fields, defaultPayoutWords)).toBe(is);
        expect(isUnlinkedRefund(payout, defaultPayoutWords)).toBe(!isNone);
        expect(isRefund(payout, defaultPayoutWords)).toBe(is === 'refund' || ownCall === 'createRefund');
      }),
      runs(4),
    );
  });
});

test('what is no field of a record’s own names nothing, nor does a field that only looks like a link', () => {
  const inherited = Object.create({ payins: [{ id: 'd1' }], paymentIntentId: 'p1' }) as JsonObject;
  expect(payinSummaries(inherited)).toEqual([]);
  expect(namedIn('payin', inherited, 'payment_intent')).toEqual([]);
  expect(namedIn('payin', { undefined: 'o1' }, 'payout')).toEqual([]);
});
