import { LosslessNumber } from 'lossless-json';
import { describe, expect, it, test } from 'vitest';
import { checkKinds } from '../../src/domain/breaks/breaks.js';
import type { CheckedRecord, CheckFacts } from '../../src/domain/breaks/check-facts.js';
import type { Json, JsonObject } from '../../src/domain/json.js';
import { checked, checkFacts, NOW, sourceOf } from '../support/checked-facts.js';

const checkInvoicedPayments = (facts: CheckFacts) => checkKinds(['intent_completed_invoice_unpaid'], facts);
const checkInvoices = (facts: CheckFacts) =>
  checkKinds(['invoice_items_sum', 'invoice_email_failed', 'invoice_paid_without_intent'], facts);

const HALF_HOUR = 1_800_000;

type About = Partial<CheckedRecord>;
const invoice = (fields: JsonObject = {}, about: About = {}) =>
  checked('invoice', 'inv_1', { amount: '10', ...fields }, about);
const payment = (fields: JsonObject = {}, about: About = {}) =>
  checked('payment_intent', 'pi_1', { status: 'completed', ...fields }, about);
const judge = (...records: CheckedRecord[]) => checkInvoices(checkFacts(records));
const found = (kind: string, ...records: CheckedRecord[]) => judge(...records).open.find((one) => one.kind === kind);

describe('an invoice that is paid, as the list shows', () => {
  const paid = (fields: JsonObject = {}, about: About = {}) =>
    invoice({ status: 'paid', paymentIntentId: 'pi_1', ...fields }, about);
  const unpaid = 'invoice_paid_without_intent';

  it.each<[string, boolean, CheckedRecord, ...CheckedRecord[]]>([
    ['names a payment that was collected', false, paid(), payment()],
    ['names one that names it too', false, paid(), payment({ invoiceId: 'inv_1' })],
    ['names one that a dispute gave back since', false, paid(), payment({ irregularStatus: 'refunded' })],
    [
      'names one that a dispute left to the merchant',
      false,
      paid(),
      payment({ status: 'x', irregularStatus: 'encashed' }),
    ],
    ['names one that only an event shows', false, paid(), payment({ status: 'pending' }, { verified: false })],
    ['names one that names another invoice', true, paid(), payment({ invoiceId: 'inv_2' })],
    ['names one that is pending', true, paid(), payment({ status: 'pending' })],
    ['names one that the service denies', true, paid(), payment({}, { absent: true })],
    ['names one that was only claimed and is denied', true, paid(), payment({}, { absent: true, verified: false })],
    ['names one that nobody knows', true, paid()],
    ['names none', true, paid({ paymentIntentId: null }), payment()],
    ['is not shown by the list', false, paid({}, { verified: false })],
    ['is denied', false, paid({}, { absent: true })],
    ['is from before adoption', false, paid({}, { history: true })],
    ['is not paid', false, paid({ status: 'sent' })],
  ])('%s: a break is %s', (_name, isBreak, ...records) => {
    expect(found(unpaid, ...records) !== undefined).toBe(isBreak);
    expect(judge(...records).resolve.some(({ kind }) => kind === unpaid)).toBe(!isBreak);
  });

  it('says what both sides show', () => {
    const [itself, other] = [sourceOf('invoice', 'inv_1'), sourceOf('payment_intent', 'pi_1')];
    expect(found(unpaid, paid(), checked('payment_intent', 'pi_1', { invoiceId: 'inv_2' }))).toMatchObject({
      entity: { kind: 'invoice', id: 'inv_1' },
      evidence: {
        status: { ours: 'not paid', theirs: 'paid', source: itself },
        paymentIntentId: { ours: 'pi_1', theirs: 'pi_1', source: other },
        payment: { ours: { status: null, invoiceId: 'inv_2' }, theirs: { invoiceId: 'inv_1' }, source: itself },
      },
    });
    expect(found(unpaid, paid(), payment({ status: 'pending' }))?.evidence).toMatchObject({
      payment: { ours: { status: 'pending', invoiceId: null } },
    });
    expect(found(unpaid, paid())?.evidence).toMatchObject({
      paymentIntentId: { ours: null, theirs: 'pi_1', source: null },
      payment: { ours: null },
    });
  });

  it('has half an hour for its payment to be read, from when it was paid or first seen', () => {
    for (const about of [{ since: NOW - HALF_HOUR }, { since: null, firstSeenAt: NOW - HALF_HOUR }]) {
      expect(judge(paid({}, about))).toMatchObject({ open: [{ kind: unpaid }], again: [] });
      const younger = judge(
        paid({}, { ...about, since: about.since && about.since + 1, firstSeenAt: NOW - HALF_HOUR + 1 }),
      );
      expect([...younger.open, ...younger.resolve].map(({ kind }) => kind)).not.toContain(unpaid);
      expect(younger.again).toEqual([{ entity: { kind: 'invoice', id: 'inv_1' }, at: NOW + 1 }]);
    }
  });
});

describe('a payment that was collected for an invoice', () => {
  const collected = (fields: JsonObject = {}, about: About = {}) => payment({ invoiceId: 'inv_1', ...fields }, about);
  const judgePayment = (...records: CheckedRecord[]) => checkInvoicedPayments(checkFacts(records));

  it.each<[string, boolean, CheckedRecord, ...CheckedRecord[]]>([
    ['which is not paid', true, collected(), invoice({ status: 'sent' })],
    ['which has no state', true, collected(), invoice()],
    ['which is paid', false, collected(), invoice({ status: 'paid' })],
    ['which was not read', false, collected(), invoice({ status: 'sent' }, { verified: false })],
    ['which the service denies', false, collected(), invoice({ status: 'sent' }, { absent: true })],
    ['which nobody knows', false, collected()],
    ['of which it names none', false, collected({ invoiceId: null }), invoice({ status: 'sent' })],
    ['and is still pending', false, collected({ status: 'pending' }), invoice({ status: 'sent' })],
    ['as only an event says', false, collected({}, { verified: false }), invoice({ status: 'sent' })],
    ['as the list says, and an event doubts', false, collected({}, { doubted: true }), invoice({ status: 'sent' })],
    ['and is denied', false, collected({}, { absent: true }), invoice({ status: 'sent' })],
    ['and is disputed', false, collected({ irregularStatus: 'pending_decision' }), invoice({ status: 'sent' })],
    ['and was given back', false, collected({ irregularStatus: 'refunded' }), invoice({ status: 'sent' })],
    ['before adoption', false, collected({}, { history: true }), invoice({ status: 'sent' })],
  ])('%s: a break is %s', (_name, isBreak, ...records) => {
    const { open, resolve } = judgePayment(...records);
    expect([open.length, resolve.length]).toEqual(isBreak ? [1, 0] : [0, 1]);
    expect([...open, ...resolve]).toMatchObject([
      { kind: 'intent_completed_invoice_unpaid', entity: { kind: 'payment_intent', id: 'pi_1' } },
    ]);
  });

  it('says what both sides show', () => {
    const [itself, other] = [sourceOf('payment_intent', 'pi_1'), sourceOf('invoice', 'inv_1')];
    const evidenceOf = (...records: CheckedRecord[]) => judgePayment(...records).open[0]?.evidence;
    expect(evidenceOf(collected(), invoice({ status: 'sent', paymentIntentId: 'pi_2' }))).toEqual({
      paymentStatus: { ours: 'collected', theirs: 'completed', source: itself },
      invoiceStatus: { ours: 'paid', theirs: 'sent', source: other },
      invoice: { ours: 'inv_1', theirs: 'pi_2', source: other },
    });
    const bare = collected({ irregularStatus: 'encashed' });
    const { status: _, ...fields } = bare.fields;
    expect(evidenceOf({ ...bare, fields }, invoice())).toMatchObject({
      paymentStatus: { theirs: null },
      invoiceStatus: { theirs: null },
      invoice: { theirs: null },
    });
  });

  it('waits half an hour from when the younger of the two became what it is', () => {
    const [due, younger] = [{ since: NOW - HALF_HOUR }, { since: NOW - HALF_HOUR + 1 }];
    const sent = { status: 'sent' };
    expect(judgePayment(collected({}, due), invoice(sent, due)).open).toHaveLength(1);
    for (const [a, b] of [
      [due, younger],
      [younger, due],
      [{ since: null }, younger],
      [younger, { since: null }],
    ] as const) {
      const again = [{ entity: { kind: 'payment_intent', id: 'pi_1' }, at: NOW + 1 }];
      expect(judgePayment(collected({}, a), invoice(sent, b))).toEqual({ open: [], resolve: [], again });
    }
    expect(judgePayment(collected({}, younger), invoice({ status: 'paid' })).resolve).toHaveLength(1);
  });
});

describe('the items of an invoice', () => {
  const items = (...list: Json[]): JsonObject => ({ meta: { items: list } });
  const item = (unitPrice: Json, quantity: Json): JsonObject => ({ unitPrice, quantity });
  const sums = 'invoice_items_sum';
  const said = (...records: CheckedRecord[]) => {
    const { open, resolve } = judge(...records);
    const names = (list: readonly { kind: string }[]) => list.filter(({ kind }) => kind === sums).length;
    return [names(open), names(resolve)];
  };

  it.each<[string, JsonObject, readonly [number, number]]>([
    ['add up', items(item('2.5', '4')), [0, 1]],
    ['add up, as numbers', items(item('2.5', new LosslessNumber('2')), item('5', new LosslessNumber('1'))), [0, 1]],
    ['are more than it asks for', items(item('2.5', '4'), item('1', '1')), [1, 0]],
    ['are none', items(), [0, 1]],
    ['are no list', { meta: { items: 'two' } }, [0, 1]],
    ['are nowhere', { meta: 'none' }, [0, 1]],
    ['stand beside no amount', { ...items(item('9', '1')), amount: null }, [0, 1]],
    ['are no items', items('ten'), [0, 0]],
    ['have a quantity in words', items(item('10', 'x1')), [0, 0]],
    ['have a quantity with a unit', items(item('10', '1x')), [0, 0]],
    ['have a quantity that nobody can multiply', items(item('10', '1'.repeat(19))), [0, 0]],
    ['have no quantity', items(item('10', null)), [0, 0]],
    ['can be read in part', items(item('9', '1'), item(null, '1')), [0, 0]],
  ])('%s', (_name, fields, expected) => expect(said(invoice(fields))).toEqual(expected));

  test('of one that is denied, or from before adoption, are no matter', () => {
    const wrong = items(item('9', '1'));
    for (const about of [{ absent: true }, { history: true }]) expect(said(invoice(wrong, about))).toEqual([0, 1]);
    expect(found(sums, invoice(wrong))).toMatchObject({
      entity: { kind: 'invoice', id: 'inv_1' },
      evidence: { amount: { ours: '9', theirs: '10', source: sourceOf('invoice', 'inv_1') } },
    });
  });
});

describe('the e-mail of an invoice', () => {
  const mailed = (emailDelivery: Json, status = 'sent', about: About = {}) => invoice({ emailDelivery, status }, about);
  const failed = { sent: false, error: 'mailbox of <ada@example.test> is full, as b@example.test is' };

  it.each<[string, boolean, CheckedRecord]>([
    ['was not sent', true, mailed(failed)],
    ['was sent', false, mailed({ ...failed, sent: true })],
    ['is not spoken of', false, mailed(null)],
    ['was not sent, and the invoice is paid', false, mailed(failed, 'paid')],
    ['was not sent, of one that is denied', false, mailed(failed, 'sent', { absent: true })],
    ['was not sent, before adoption', false, mailed(failed, 'sent', { history: true })],
  ])('%s', (_name, isBreak, record) => {
    expect(found('invoice_email_failed', record) !== undefined).toBe(isBreak);
    expect(judge(record).resolve.some(({ kind }) => kind === 'invoice_email_failed')).toBe(!isBreak);
  });

  test('is shown without the addresses in the words of the mail server', () => {
    expect(found('invoice_email_failed', mailed(failed))).toMatchObject({
      entity: { kind: 'invoice', id: 'inv_1' },
      evidence: {
        'emailDelivery.sent': { ours: true, theirs: false, source: { operation: 'createInvoice' } },
        error: 'mailbox of <(address)> is full, as (address) is',
      },
    });
    expect(found('invoice_email_failed', mailed({ sent: false }))?.evidence).toMatchObject({ error: null });
  });
});
