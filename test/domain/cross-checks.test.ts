import fc from 'fast-check';
import { LosslessNumber } from 'lossless-json';
import { describe, expect, test } from 'vitest';
import { checkKinds, runChecks } from '../../src/domain/breaks/breaks.js';
import type { CheckedRecord, CheckFacts } from '../../src/domain/breaks/check-facts.js';
import { checkFees, RECORDS_FOR_PROOF } from '../../src/domain/breaks/fee-identity.js';
import type { JsonObject } from '../../src/domain/json.js';
import { addAmounts, compareAmounts, multiplyAmounts, subtractAmounts, sumAmounts } from '../../src/domain/money.js';
import { type RecordKind, textField } from '../../src/domain/records.js';
import { checked, checkFacts } from '../support/checked-facts.js';
import { at } from '../support/observations.js';
import { intent, invoice, paidIntent, payin, payout } from '../support/records.js';

const checkInvoices = (facts: CheckFacts) =>
  checkKinds(['invoice_items_sum', 'invoice_email_failed', 'invoice_paid_without_intent'], facts);
const checkRefunds = (facts: CheckFacts) => checkKinds(['refund_exceeds_net'], facts);

const DAWN = { createdAt: at(0), verifiedAt: at(0), readAt: at(0), firstSeenAt: at(0), since: at(0) };
const record = (kind: RecordKind, fields: JsonObject, about: Partial<CheckedRecord> = {}): CheckedRecord =>
  checked(kind, textField(fields, 'id') ?? '', fields, { ...DAWN, ...about });
const factsOf = (records: readonly CheckedRecord[]) => checkFacts(records, { now: at(86_000) });

const amount = fc
  .tuple(fc.bigInt({ min: 0n, max: 10n ** 12n }), fc.bigInt({ min: 0n, max: 10n ** 18n - 1n }))
  .map(([whole, fraction]) => `${whole}.${String(fraction).padStart(18, '0')}`);
const TINY = '0.000000000000000001';

describe('items of an invoice', () => {
  const items = fc.array(fc.record({ price: amount, quantity: fc.integer({ min: 1, max: 1000 }) }), {
    minLength: 1,
    maxLength: 8,
  });

  test('add up to the last of 18 decimals, or it is a break that says by how much', () => {
    fc.assert(
      fc.property(items, fc.boolean(), (lines, isExact) => {
        const sum = sumAmounts(lines.map(({ price, quantity }) => multiplyAmounts(price, String(quantity), 'down')));
        const meta = {
          items: lines.map(({ price, quantity }) => ({
            name: 'x',
            unitPrice: price,
            quantity: new LosslessNumber(String(quantity)),
          })),
        };
        const shown = isExact ? sum : addAmounts(sum, TINY);
        const { open } = checkInvoices(factsOf([record('invoice', invoice('i', { meta, amount: shown }))]));
        expect(open.map(({ kind }) => kind)).toEqual(isExact ? [] : ['invoice_items_sum']);
        if (!isExact) expect(open[0]?.evidence).toMatchObject({ amount: { ours: sum, theirs: shown } });
      }),
    );
  });

  test('that can not be read prove nothing, either way', () => {
    const unreadable: JsonObject[] = [
      { unitPrice: new LosslessNumber('5'), quantity: new LosslessNumber('5') },
      { unitPrice: '5', quantity: new LosslessNumber('1.5') },
      { quantity: new LosslessNumber('1') },
    ];
    for (const item of unreadable) {
      const { open, resolve } = checkInvoices(factsOf([record('invoice', invoice('i', { meta: { items: [item] } }))]));
      expect([...open, ...resolve].filter(({ kind }) => kind === 'invoice_items_sum')).toEqual([]);
    }
  });
});

test('refunds are a break exactly where those that left or may leave are more than the net', () => {
  const status = fc.constantFrom('pending', 'approved', 'broadcasting', 'confirmed', 'failed', 'cancelled');
  fc.assert(
    fc.property(fc.array(fc.tuple(amount, status), { maxLength: 6 }), amount, (given, net) => {
      const refunds = given.map(([amount, status], index) =>
        record('payout', payout(`r${index}`, { paymentIntentId: 'i', amount, status })),
      );
      const left = given.filter(([, status]) => status !== 'failed' && status !== 'cancelled');
      const paid = record(
        'payment_intent',
        paidIntent('i', 'p', { amountNetMerchant: net, totalAmountReceived: addAmounts(net, '1') }),
      );
      const { open } = checkRefunds(factsOf([paid, ...refunds]));
      const isMore = left.length > 0 && compareAmounts(sumAmounts(left.map(([amount]) => amount)), net) > 0;
      expect(open.map(({ kind }) => kind)).toEqual(isMore ? ['refund_exceeds_net'] : []);
    }),
  );
});

describe('what was given back against what came in', () => {
  const sent = (id: string, fields: JsonObject, about: Partial<CheckedRecord> = {}) =>
    record('payout', payout(id, { paymentIntentId: 'i', amount: '20', status: 'confirmed', ...fields }), about);
  const of = (fields: JsonObject, ...refunds: CheckedRecord[]) =>
    checkRefunds(factsOf([record('payment_intent', paidIntent('i', 'p', fields)), ...refunds]));

  test('the refund of a dispute is no part of the net, and counts against what came in', () => {
    const disputed = (amount: string) => {
      const refund = record('payout', payout('r', { amount, status: 'confirmed' }));
      return of({ irregularStatus: 'refunded', irregularRefundPayoutId: 'r' }, refund);
    };
    expect(disputed('26.1').open).toEqual([]);
    expect(disputed('26.11').open).toMatchObject([
      { kind: 'refund_exceeds_net', evidence: { totalAmountReceived: { ours: '26.11', theirs: '26.1' } } },
    ]);
  });

  test('is shown with each refund, in the order of ids', () => {
    const late = sent('b', { amount: null, status: null });
    const [open] = of({}, late, sent('a', { amount: '30' })).open;
    const source = { type: 'poll', ref: 'run-1', verified: true };
    const sources = ['a', 'b'].map((id) => ({ ...source, kind: 'payout', id }));
    const ours = [
      { id: 'a', amount: '30', status: 'confirmed' },
      { id: 'b', amount: null, status: null },
    ];
    expect(open).toMatchObject({ kind: 'refund_exceeds_net', entity: { kind: 'payment_intent', id: 'i' } });
    expect(open?.evidence).toEqual({
      amountNetMerchant: { ours: '30', theirs: '25.839', source: { ...source, kind: 'payment_intent', id: 'i' } },
      refunds: { ours, theirs: null, source: sources },
    });
  });

  test.each<[string, boolean, CheckedRecord[]]>([
    ['one that may still leave', true, [sent('a', {}), sent('b', { status: 'pending' })]],
    ['one that the service denies', false, [sent('a', {}), sent('b', {}, { absent: true })]],
    ...['failed', 'cancelled', 'rejected', 'declined', 'refused', 'expired', 'aborted', 'FAILED'].map(
      (status): [string, boolean, CheckedRecord[]] => [
        `one that ${status}`,
        false,
        [sent('a', {}), sent('b', { status })],
      ],
    ),
  ])('%s counts: %s', (_name, isMore, refunds) => {
    const { open, resolve } = of({}, ...refunds);
    expect([open.length, resolve.length]).toEqual(isMore ? [1, 0] : [0, 1]);
  });

  test('from before adoption is no matter, unless a refund was made since; nor of a payment that shows no net', () => {
    const old = { history: true };
    const whole = record('payment_intent', paidIntent('i', 'p'), old);
    const judge = (about: Partial<CheckedRecord>) =>
      checkRefunds(factsOf([whole, sent('a', {}, old), sent('b', {}, about)])).open.length;
    expect([judge(old), judge({})]).toEqual([0, 1]);
    expect(of({}, sent('a', { amount: '30' }, old)).open).toHaveLength(1);
    expect(of({ amountNetMerchant: null, totalAmountReceived: null }, sent('a', { amount: '30' })).open).toEqual([]);
    expect(of({ amountNetMerchant: '0' }).open).toEqual([]);
  });
});

describe('identities that are not promised', () => {
  const payinOf = (id: string, isOdd: boolean, history = false) =>
    record('payin', payin(id, 'i', isOdd ? { amountNet: subtractAmounts('25.839', TINY) } : {}), { history });

  const foundIn = ({ checked }: ReturnType<typeof checkFees>) => checked.filter(({ found }) => found);

  test('no break before so many in a row held; and not one record is counted twice', () => {
    const seldom = fc.integer({ min: 0, max: 15 }).map((number) => number === 0);
    fc.assert(
      fc.property(fc.array(seldom, { minLength: 25, maxLength: 60 }), (odd) => {
        let evidence: ReturnType<typeof checkFees>['evidence'] = [];
        const broken = odd.flatMap((isOdd, index) => {
          const first = checkFees([payinOf(`p${index}`, isOdd)], evidence, at(0));
          evidence = checkFees([payinOf(`p${index}`, isOdd)], first.evidence, at(0)).evidence;
          return foundIn(first).map(({ entity }) => entity.id);
        });
        let inARow = 0;
        const expected = odd.flatMap((isOdd, index) => {
          const isProven = inARow >= RECORDS_FOR_PROOF;
          if (!isProven) inARow = isOdd ? 0 : inARow + 1;
          return isProven && isOdd ? [`p${index}`] : [];
        });
        expect(broken).toEqual(expected);
      }),
    );
  });

  test('history is evidence, and never a break', () => {
    const held = Array.from({ length: RECORDS_FOR_PROOF }, (_, index) => payinOf(`h${index}`, false, true));
    const { evidence } = checkFees(held, [], at(0));
    expect(evidence).toMatchObject([{ identity: 'payin_net', provenAt: at(0) }]);
    expect(foundIn(checkFees([payinOf('old', true, true)], evidence, at(1)))).toEqual([]);
    expect(foundIn(checkFees([payinOf('new', true)], evidence, at(1)))).toMatchObject([
      { entity: { kind: 'payin', id: 'new' } },
    ]);
  });
});

test('a screening whose result is no word holds, as it does for the release', () => {
  const held = (kytStatus: JsonObject[string]) =>
    runChecks(
      factsOf([record('payment_intent', paidIntent('a', 'pa')), record('payin', payin('pa', 'a', { kytStatus }))]),
      [],
    ).findings.open.map(({ kind }) => kind);
  expect(held({ result: 'rejected' })).toEqual(['kyt_hold']);
  expect(held(null)).toEqual([]);
});

test('what the checks say hangs neither on the order of records nor on how often they are asked', () => {
  const fields: [RecordKind, JsonObject][] = [
    ['payment_intent', paidIntent('a', 'pa', { invoiceId: 'va' })],
    ['payment_intent', intent('b', { status: 'pending' })],
    ['payment_intent', paidIntent('c', 'pa', { irregularStatus: 'refunded', irregularRefundPayoutId: 'ra' })],
    ['payin', payin('pa', 'a', { kytStatus: 'flagged' })],
    ['invoice', invoice('va')],
    ['invoice', invoice('vb', { status: 'paid', paymentIntentId: 'b' })],
    ['payout', payout('ra', { paymentIntentId: 'a', amount: '40', status: 'confirmed' })],
  ];
  const found = (records: CheckedRecord[]) => {
    const { findings } = runChecks(factsOf(records), []);
    const name = ({ kind, entity }: { kind: string; entity: { kind: string; id: string } }) =>
      `${kind} ${entity.kind} ${entity.id}`;
    return {
      open: findings.open.map((found) => `${name(found)} ${found.cause}`).sort(),
      resolve: findings.resolve.map(name).sort(),
    };
  };
  const expected = found(fields.map(([kind, shown]) => record(kind, shown)));
  expect(expected.open.map((text) => text.split(' ').slice(0, 3).join(' '))).toEqual([
    'contract_violation payout ra#paymentIntentId',
    'intent_completed_invoice_unpaid payment_intent a',
    'invoice_paid_without_intent invoice vb',
    'kyt_hold payin pa',
    'refund_exceeds_net payment_intent c',
  ]);
  fc.assert(
    fc.property(fc.shuffledSubarray(fields, { minLength: fields.length }), (shuffled) => {
      expect(found(shuffled.map(([kind, shown]) => record(kind, shown)))).toEqual(expected);
    }),
  );
  const names = [...expected.open.map((text) => text.split(' ').slice(0, 3).join(' ')), ...expected.resolve];
  expect(new Set(names).size).toBe(names.length);
});
