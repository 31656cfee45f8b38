import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { FamilyKind } from '../../../src/domain/family/links.js';
import type { JsonObject } from '../../../src/domain/json.js';
import type { Observation } from '../../../src/domain/observation.js';
import { holdByReports } from '../../../src/domain/orders/hold-by-reports.js';
import { openCall } from '../../support/order-lines.js';
import { heard, judge } from './judge.js';
import { nothing, runs, START, type World } from './worlds.js';

/** One order that is paid, and what stands beside it. */
const payment = {
  status: 'completed',
  irregularStatus: 'none',
  merchantReference: 'A',
  amountRequested: '100',
  currencyRequested: 'EUR',
  requestedCurrencyType: 'fiat',
  amountCryptoExpected: '50',
  totalAmountReceived: '50',
  amountNetMerchant: '49.5',
  payins: [{ id: 'd1' }],
};
const payin = { paymentIntentId: 'p1', status: 'confirmed', kytStatus: 'approved' };
const LATER = START + 60_000;

function seen(kind: FamilyKind, id: string, fields: JsonObject | null, from = START): Observation {
  const base = { kind, id, from, to: from + 200, source: { type: 'poll', ref: '1' } } as const;
  return fields === null ? { ...base, type: 'absence' } : { ...base, type: 'poll', fields: { id, ...fields } };
}

function said(
  kind: FamilyKind,
  id: string,
  fields: JsonObject,
  from = LATER,
  by: 'webhook' | 'delivery_history' = 'webhook',
): Observation {
  return {
    kind,
    id,
    from,
    to: from + 999,
    type: 'statement',
    source: { type: by, ref: '1' },
    fields: { id, ...fields },
  };
}

const paid = [seen('payment_intent', 'p1', payment), seen('payin', 'd1', payin)];
const orderOf = (more: Observation[], also: Partial<World> = {}) =>
  judge({ ...nothing, ...also }, [...paid, ...more]).orders[0]!;
const reasonOf = (more: Observation[], also: Partial<World> = {}) => orderOf(more, also).order.release.reason;

const HOUR = 3_600_000;
const failed = { paymentIntentId: 'p1', payoutType: 'refund', amount: '10', status: 'failed' };
/** Each holds the paid order, and nothing but a report says it. */
const holds: Observation[] = [
  said('payout', 'o1', { paymentIntentId: 'p1', payoutType: 'refund' }),
  said('payment_intent', 'p1', { irregularStatus: 'pending_decision' }),
  said('payin', 'd1', { kytStatus: 'rejected' }),
  said('payout', 'o2', { ...failed, status: 'confirmed' }),
];

describe('L2 a trickle of reports', () => {
  it('holds the order until two were refuted within an hour, and then for an hour no more', () => {
    const gap = fc.constantFrom(60_000, 20 * 60_000, HOUR - 1, HOUR, 3 * HOUR);
    const turns = fc.array(fc.tuple(gap, fc.boolean()), { minLength: 4, maxLength: 30 });
    fc.assert(
      fc.property(turns, fc.constantFrom(...holds), (turns, report) => {
        const beside = seen('payout', 'o2', failed);
        const [quiet, reported] = [orderOf([beside]).facts, orderOf([beside, report]).facts];
        const free = heard(quiet);
        expect([free.release.safe, heard(reported).release.safe]).toEqual([true, false]);
        let [hold, now]: [Parameters<typeof holdByReports>[1], number] = [{ held: false, refutedAt: [] }, LATER];
        const refuted: number[] = [];
        for (const [gap, isReported] of turns) {
          now += gap;
          const [last = 0, first = 0] = refuted.toReversed();
          const isDeaf = refuted.length >= 2 && last - first < HOUR && now - last < HOUR;
          if (hold.held && !isReported) refuted.push(now);
          const { release, status, reports } = holdByReports(isReported ? reported : quiet, hold, now);
          expect(release.safe).toBe(!isReported || isDeaf);
          if (release.safe) expect({ status, release }).toEqual(free);
          expect(reports).toEqual({ held: !release.safe, refutedAt: refuted.slice(-2) });
          hold = reports;
        }
      }),
      runs(2),
    );
  });

  it('that holds it amid a flood, though others were refuted, holds it until it is decided, also when the flood is over', () => {
    fc.assert(
      fc.property(fc.constantFrom(...holds), (report) => {
        const beside = seen('payout', 'o2', failed);
        const [quiet, reported] = [orderOf([beside]).facts, orderOf([beside, report]).facts];
        const deaf = { held: false, refutedAt: [LATER - 2, LATER - 1] };
        expect(holdByReports(reported, deaf, LATER).release.safe).toBe(true);
        const flooded = holdByReports({ ...reported, manyReported: true }, deaf, LATER);
        expect(flooded.release.safe).toBe(false);
        const after = holdByReports(reported, flooded.reports, LATER + 1);
        expect([after.release.safe, after.reports.held]).toEqual([false, true]);
        expect(holdByReports(quiet, after.reports, LATER + 2).release.safe).toBe(true);
      }),
      runs(),
    );
  });

  it('that holds it goes on when something else held it in between', () => {
    fc.assert(
      fc.property(fc.constantFrom(...holds), (report) => {
        const beside = seen('payout', 'o2', failed);
        const open = [beside, seen('payment_intent', 'p2', { ...payment, status: 'pending', amountRequested: '900' })];
        const [reported, unpaid] = [orderOf([beside, report]).facts, orderOf([...open, report]).facts];
        const held = { held: true, refutedAt: [LATER - 2, LATER - 1] };
        const between = holdByReports(unpaid, held, LATER);
        expect(between.release.reason).not.toBe('proven');
        expect(holdByReports(reported, between.reports, LATER + 1).release.safe).toBe(false);
        const quiet = holdByReports(orderOf(open).facts, held, LATER);
        expect(quiet.reports).toEqual({ held: false, refutedAt: held.refutedAt });
      }),
      runs(),
    );
  });

  it('one that doubts one of two payments does not make the other enough; nor does any other report end a hold', () => {
    const twice = [
      seen('payment_intent', 'p2', { ...payment, payins: [{ id: 'd2' }] }),
      seen('payin', 'd2', { ...payin, paymentIntentId: 'p2' }),
    ];
    const states = fc.constantFrom('pending_decision', 'encashed', 'refunded');
    fc.assert(
      fc.property(fc.constantFrom('p1', 'p2'), states, (id, irregularStatus) => {
        const report = said('payment_intent', id, { irregularStatus });
        expect(orderOf(twice).order.status).toBe('paid_twice');
        const { facts, order } = orderOf([...twice, report]);
        expect(order.release.safe).toBe(false);
        const { reports } = holdByReports(facts, { held: true, refutedAt: [1] }, 2);
        expect(reports).toEqual({ held: true, refutedAt: [1] });
      }),
      runs(),
    );
  });
});

describe('L1 a report that says paid', () => {
  it('shows on a payment that was read only where it goes further than what was read', () => {
    const asShown = (status: string) => seen('payment_intent', 'p1', { ...payment, status }, START + 10_000);
    const report = said('payment_intent', 'p1', { status: 'completed' });
    expect(reasonOf([asShown('pending'), report])).toBe('not_verified');
    expect(reasonOf([asShown('odd'), report])).toBe('awaiting_payment');
  });
});

describe('L4 a refund of its payment', () => {
  it('of a dispute: what only reports say of the payout that the payment names holds, a person’s word counts', () => {
    const named = seen('payment_intent', 'p1', { ...payment, irregularRefundPayoutId: 'o1' }, START + 10_000);
    const report = said('payout', 'o1', { status: 'pending' });
    expect(reasonOf([named]), 'the service itself says that it was given back').toBe('refund_in_progress');
    expect(reasonOf([named, report])).toBe('refund_in_progress');
    expect(reasonOf([named, report], { assigned: [['o1', null]] })).toBe('proven');
    expect(reasonOf([named, report], { assigned: [['o1', 'p1']] })).toBe('refund_in_progress');
    expect(reasonOf([named, report, seen('payout', 'o1', null, LATER + 5_000)])).toBe('proven');
  });

  it('that two payments name is the one’s that the service lists', () => {
    const naming = (id: string, merchantReference: string) =>
      seen(
        'payment_intent',
        id,
        { ...payment, merchantReference, irregularRefundPayoutId: 'o1', payins: [{ id: 'd1' }] },
        START + 10_000,
      );
    const refund = seen('payout', 'o1', { status: 'pending', payoutType: 'refund' });
    expect(reasonOf([naming('p1', 'A'), naming('p0', 'B'), refund])).toBe('proven');
    expect(reasonOf([naming('p1', 'A'), naming('p0', 'B'), refund, seen('payment_intent', 'p0', null, LATER)])).toBe(
      'refund_in_progress',
    );
    expect(reasonOf([naming('p1', 'A'), naming('p2', 'B'), refund])).toBe('refund_in_progress');
  });

  it('that we asked for ourselves, and of which nobody knows what came', () => {
    expect(reasonOf([], { calls: [openCall('p1')] })).toBe('refund_in_progress');
    expect(reasonOf([], { calls: [openCall('p2')] })).toBe('proven');
  });

  it('is searched for until its newest report, whatever the list or the history says besides', () => {
    const bare = seen('payout', 'o1', { status: 'pending', payoutType: null });
    const link = { paymentIntentId: 'p1' };
    const first = said('payout', 'o1', { ...link, status: 'approved' });
    const second = said('payout', 'o1', { ...link, status: 'confirmed' }, LATER + 2_000);
    const searched = (at: number): Partial<World> => ({ searched: [['o1', at]] });
    expect(reasonOf([bare, first, second], searched(LATER + 1_500))).toBe('refund_reported');
    expect(reasonOf([bare, first, second], searched(LATER + 2_999))).toBe('proven');
    const delivered = said('payout', 'o1', { status: 'approved' }, LATER + 4_000, 'delivery_history');
    expect(reasonOf([bare, first, delivered], searched(LATER + 1_500))).toBe('proven');
    const reference = { merchantReference: 'A', payoutType: 'refund' };
    const withdrawal = seen('payout', 'o1', { status: 'pending', payoutType: 'withdrawal' });
    expect(reasonOf([withdrawal, said('payout', 'o1', reference)])).toBe('proven');
    expect(reasonOf([bare, said('payout', 'o1', reference)])).toBe('refund_reported');
    expect(reasonOf([seen('payout', 'o1', { ...reference, paymentIntentId: '', status: 'pending' })])).toBe(
      'refund_unlinked',
    );
  });
});

describe('L9 a request beside the payment', () => {
  const off = ['expired', 'cancelled'];
  it('asks for its amount until it is expired or cancelled; an invoice in another currency asks for nothing', () => {
    const statuses = fc.constantFrom('pending', 'waiting_address_selection', 'expired', 'cancelled', 'odd');
    fc.assert(
      fc.property(
        statuses,
        fc.constantFrom('EUR', 'eur', 'USD'),
        fc.constantFrom('60', '160'),
        (status, currency, amount) => {
          const request = seen('payment_intent', 'p2', {
            ...payment,
            status,
            amountRequested: amount,
            currencyRequested: currency,
            totalAmountReceived: '0',
            payins: [],
          });
          const more = amount === '160' ? 'underpaid' : 'proven';
          const asked = currency === 'USD' ? 'other_currency' : more;
          expect(reasonOf([request])).toBe(off.includes(status) ? 'proven' : asked);
          const invoice = seen('invoice', 'i1', { status, merchantReference: 'A', amount, currency });
          expect(reasonOf([invoice])).toBe(off.includes(status) || currency === 'USD' ? 'proven' : more);
        },
      ),
      runs(),
    );
  });

  it('is in crypto unless it says otherwise, and then its amount is what is due', () => {
    const kinds = fc.constantFrom<JsonObject>(
      { requestedCurrencyType: 'crypto' },
      { requestedCurrencyType: null },
      { requestedCurrencyType: 'fiat' },
      {},
    );
    fc.assert(
      fc.property(
        kinds,
        fc.constantFrom('99', '100', '101', 'ten'),
        fc.constantFrom('0', '1'),
        (kind, received, rejected) => {
          const { requestedCurrencyType: _, ...rest } = payment;
          const fields = { ...rest, ...kind, amountRejected: rejected, totalAmountReceived: received };
          const of = (amountCryptoExpected: string | null) =>
            orderOf([seen('payment_intent', 'p1', { ...fields, amountCryptoExpected }, START + 10_000)]).order;
          const isFiat = kind['requestedCurrencyType'] === 'fiat';
          if (!isFiat) expect(of(null)).toEqual(of('100'));
          const side =
            new Map([
              ['99', 'underpaid'],
              ['101', 'overpaid'],
            ]).get(received) ?? 'unmatched';
          // Of a request in fiat without the crypto amount nobody knows what is due.
          expect(of(null).status).toBe(rejected === '0' ? 'paid' : isFiat ? 'unmatched' : side);
        },
      ),
      runs(),
    );
  });

  it('a payin is final when it is confirmed, or matched nothing', () => {
    const statuses = fc.constantFrom('confirmed', 'unmatched', 'pending', 'confirming', 'broadcast', 'failed');
    fc.assert(
      fc.property(statuses, (status) => {
        const isFinal = ['confirmed', 'unmatched'].includes(status);
        const reason = reasonOf([seen('payin', 'd1', { ...payin, status }, START + 10_000)]);
        expect(reason).toBe(isFinal ? 'proven' : 'payin_not_final');
      }),
      runs(),
    );
  });
});
