import { expect, test } from 'vitest';
import type { JsonObject } from '../../src/domain/json.js';
import type { Observation } from '../../src/domain/observation.js';
import { getOrder } from '../../src/records/orders/orders.js';
import { useDatabase } from '../support/database.js';
import { poll } from '../support/observations.js';
import { invoice, paidIntent, payin, payout } from '../support/records.js';
import { save, saveOverlapping } from '../support/saved.js';

const database = useDatabase();

type Made = (p: string) => Observation;

const bill =
  (fields: JsonObject): Made =>
  (p) =>
    poll('invoice', invoice(`${p}inv`, { status: 'paid', ...fields }), 1);
const payment =
  (fields: JsonObject): Made =>
  (p) =>
    poll('payment_intent', paidIntent(`${p}pi`, `${p}in`, { merchantReference: null, ...fields }), 1);
const secondPayment: Made = (p) =>
  poll('payment_intent', paidIntent(`${p}pj`, `${p}jn`, { merchantReference: '$o' }), 1);
const deposit: Made = (p) => poll('payin', payin(`${p}in`, `${p}pi`), 1);
const refund =
  (fields: JsonObject): Made =>
  (p) =>
    poll('payout', payout(`${p}po`, fields), 1);

/** Names stand for those of the case: `$` for its prefix. */
const cases: [name: string, known: Made[], one: Made, other: Made, end: object][] = [
  [
    'a payment and a second one of the same order',
    [],
    payment({ merchantReference: '$o' }),
    secondPayment,
    { status: 'paid_twice', paymentIntents: ['pi', 'pj'] },
  ],
  [
    'a payment and its invoice, which it names',
    [],
    payment({ merchantReference: '$o', invoiceId: '$inv' }),
    bill({}),
    { invoices: ['inv'], paymentIntents: ['pi'] },
  ],
  [
    'a payment without a reference and its invoice, which it names',
    [],
    payment({ invoiceId: '$inv' }),
    bill({ merchantReference: '$o' }),
    { invoices: ['inv'], paymentIntents: ['pi'] },
  ],
  [
    'a payment without a reference and the invoice that names it',
    [],
    payment({}),
    bill({ merchantReference: '$o', paymentIntentId: '$pi' }),
    { invoices: ['inv'], paymentIntents: ['pi'] },
  ],
  [
    'a payment and the refund that names it',
    [],
    payment({ merchantReference: '$o' }),
    refund({ paymentIntentId: '$pi' }),
    { refunds: ['po'], release: { safe: false } },
  ],
  [
    'a payment and the refund that it names',
    [],
    payment({ merchantReference: '$o', irregularRefundPayoutId: '$po' }),
    refund({ status: 'confirmed' }),
    { status: 'refunded', refunds: ['po'] },
  ],
  [
    'a payin of a payment whose order only its invoice names, and the invoice',
    [payment({ invoiceId: '$inv' })],
    deposit,
    bill({ merchantReference: '$o' }),
    { status: 'paid', release: { safe: true } },
  ],
  [
    'a refund that such a payment names, and the invoice',
    [payment({ invoiceId: '$inv', irregularRefundPayoutId: '$po' })],
    refund({ status: 'confirmed' }),
    bill({ merchantReference: '$o' }),
    { status: 'refunded' },
  ],
];

test.each(cases)('%s, saved at once: the order has both', async (name, known, one, other, end) => {
  for (const turned of [false, true]) {
    const prefix = `${name}-${turned}-`.replaceAll(/[^a-z-]/g, '');
    const make = (made: Made): Observation =>
      JSON.parse(JSON.stringify(made(prefix)).replaceAll('"$', `"${prefix}`)) as Observation;
    for (const made of known) await save(database, [make(made)]);
    const [first, second] = turned ? [other, one] : [one, other];
    await saveOverlapping(database, [make(first)], [make(second)]);
    const order = JSON.stringify(await getOrder(database.db, `${prefix}o`)).replaceAll(prefix, '');
    expect(JSON.parse(order), prefix).toMatchObject(end);
  }
});
