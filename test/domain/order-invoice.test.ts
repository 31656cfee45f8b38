import { describe, expect, it } from 'vitest';
import type { ShownRecord } from '../../src/domain/family/links.js';
import type { JsonObject } from '../../src/domain/json.js';
import { deriveOrder } from '../../src/domain/orders/order.js';
import type { OrderFacts } from '../../src/domain/orders/order-facts.js';
import { invoiceOutcome } from '../../src/domain/orders/order-intent.js';
import {
  describeLines,
  fiat,
  type Given,
  gave,
  type Line,
  order,
  paid,
  ruled,
  state,
  under,
} from '../support/order-lines.js';

const billed = (invoice: JsonObject, intents: Given[] = [], more: Partial<Given> = {}) =>
  order({ intents, invoices: [{ fields: invoice, ...more }] });
const byPi1 = { status: 'paid', paymentIntentId: 'pi_1' };
const naming = (fields: JsonObject) => ({ ...fields, invoiceId: 'inv_1' });

const invoices: Line[] = [
  ['N1', 'its payment is good', billed(byPi1, [{ fields: paid }]), 'paid', 'proven'],
  ['N1', 'its payment names it', billed({ status: 'paid' }, [{ fields: naming(paid) }]), 'paid', 'proven'],
  [
    'N1',
    'its payment is only claimed',
    billed(byPi1, [{ fields: paid, verified: false }]),
    'paid_unverified',
    'not_verified',
  ],
  [
    'N1',
    'its payment was given back in full',
    { ...billed(byPi1, [{ fields: paid }]), refunds: [gave('49.5')] },
    'refunded',
  ],
  ['N1', 'its payment is refunded by a dispute', billed(byPi1, [{ fields: ruled(under, 'refunded') }]), 'refunded'],
  ['N1', 'its payment is confirming', billed(byPi1, [{ fields: state('confirming') }]), 'confirming'],
  [
    'N1',
    'one of two that name it is good',
    billed({ status: 'paid' }, [{ fields: naming(state('expired')) }, { fields: naming(paid) }]),
    'paid',
    'proven',
  ],
  ['N2', 'its payment is pending', billed(byPi1, [{ fields: fiat }]), 'paid_unverified', 'not_verified'],
  ['N2', 'its payment expired', billed(byPi1, [{ fields: state('expired') }]), 'paid_unverified', 'not_verified'],
  [
    'N3',
    'by a payment of another order',
    billed({ ...byPi1, paymentIntentId: 'pi_9' }, [{ fields: fiat }]),
    'paid_unverified',
    'intent_unknown',
  ],
  ['N3', 'by none that it names', billed({ status: 'paid' }), 'paid_unverified', 'intent_unknown'],
  [
    'N4',
    'not at the service',
    billed({ status: 'paid' }, [], { absent: true }),
    'paid_unverified',
    'record_not_at_service',
  ],
  [
    'N5',
    'sent, not at the service',
    billed({ status: 'sent' }, [{ fields: state('expired') }], { absent: true }),
    'expired',
  ],
  ['N6', 'expired', billed({ status: 'expired' }, [{ fields: state('cancelled') }]), 'expired'],
  ['N7', 'cancelled', billed({ status: 'cancelled' }), 'cancelled'],
  ['N8', 'sent', billed({ status: 'sent' }), 'awaiting_payment'],
  ['N8', 'a draft', billed({ status: 'draft' }, [{ fields: state('expired') }]), 'awaiting_payment'],
  ['N8', 'in a state that is not listed', billed({ status: 'overdue' }), 'awaiting_payment'],
];

describeLines('what one invoice means', 'N', invoices);

it('an invoice that the service denies is gone; one that it shows is open, or has ended', () => {
  const of = (status: string | null, more: Partial<ShownRecord> = {}) => {
    const shown = { id: 'inv_1', fields: { status }, verified: true, verifiedAt: 1, absent: false };
    return invoiceOutcome({ ...shown, ...more }, [])?.type;
  };
  const gone = { absent: true };
  expect([of('sent', gone), of('expired', gone), of('paid', { ...gone, unknown: true })]).toEqual([
    'gone',
    'gone',
    'gone',
  ]);
  expect([of('paid', gone), of('paid')]).toEqual(['claimed', 'claimed']);
  expect([of('expired'), of('cancelled'), of('sent'), of(null)]).toEqual(['expired', 'cancelled', 'open', 'open']);
});

describe('a payment that another order could have', () => {
  const elsewhere = [{ id: 'pi_9', fields: paid, verified: true, verifiedAt: 1, absent: false }];
  const byPi9 = { ...byPi1, paymentIntentId: 'pi_9' };
  const shown = (facts: OrderFacts) => {
    const { status, release } = deriveOrder(facts);
    return [status, release.reason];
  };

  it('proves nothing of the invoice that it paid, unless the invoice is not paid, or not there', () => {
    const other = (invoice: JsonObject, more: Partial<Given> = {}) =>
      shown({ ...billed({ ...byPi9, ...invoice }, [], more), elsewhere });
    expect(other({})).toEqual(['paid_unverified', 'two_orders']);
    expect(other({ paymentIntentId: 'pi_8' })).toEqual(['paid_unverified', 'intent_unknown']);
    expect(other({ status: 'sent' })).toEqual(['awaiting_payment', 'awaiting_payment']);
    expect(other({}, { absent: true })).toEqual(['paid_unverified', 'record_not_at_service']);
  });
});
