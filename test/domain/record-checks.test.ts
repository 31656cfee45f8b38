import { describe, expect, it, test } from 'vitest';
import { checkKinds } from '../../src/domain/breaks/breaks.js';
import type { CheckedRecord, CheckFacts } from '../../src/domain/breaks/check-facts.js';
import { rejectedHold } from '../../src/domain/breaks/kyt-hold.js';
import type { JsonObject } from '../../src/domain/json.js';
import type { RecordKind } from '../../src/domain/records.js';
import { checked, checkFacts, HOUR, NOW, sourceOf } from '../support/checked-facts.js';

const checkLinks = (facts: CheckFacts) => checkKinds(['contract_violation'], facts);
const checkKyt = (facts: CheckFacts) => checkKinds(['kyt_hold'], facts);
const checkStale = (facts: CheckFacts) => checkKinds(['stale_record'], facts);

type About = Partial<CheckedRecord>;
const payin = (fields: JsonObject = {}, about: About = {}) => checked('payin', 'pay_1', fields, about);
const payment = (id: string, fields: JsonObject = {}, about: About = {}) =>
  checked('payment_intent', id, { status: 'completed', ...fields }, about);

describe('the screening of a payin', () => {
  const waits = { kytStatus: 'pending', paymentIntentId: 'pi_1' };
  const refused = { kytStatus: 'rejected', paymentIntentId: 'pi_1' };
  const judge = (records: CheckedRecord[], about: Partial<Pick<CheckFacts, 'listings' | 'now'>> = {}) =>
    checkKyt(checkFacts(records, about));
  const collected = payment('pi_1');

  it.each<[string, boolean, CheckedRecord[]]>([
    ['waits, and the payment is collected', true, [payin(waits), collected]],
    ['has a result that nobody knows', true, [payin({ ...waits, kytStatus: 'odd' }), collected]],
    ['has a result that is no word', true, [payin({ ...waits, kytStatus: {} }), collected]],
    ['passed', false, [payin({ ...waits, kytStatus: 'approved' }), collected]],
    ['shows no result', false, [payin({ paymentIntentId: 'pi_1' }), collected]],
    ['waits, and so does the payment', false, [payin(waits), payment('pi_1', { status: 'pending' })]],
    ['waits, of a payment that nobody knows', false, [payin(waits)]],
    ['waits, and belongs to no payment', false, [payin({ kytStatus: 'pending' })]],
    ['waits, and the payin is denied', false, [payin(waits, { absent: true }), collected]],
    ['waits since before adoption', false, [payin(waits, { history: true }), collected]],
    ['was refused', true, [payin(refused), collected]],
    ['was refused, and belongs to no payment', true, [payin({ kytStatus: 'rejected' })]],
    ['was refused, as an event says', true, [payin(refused, { verified: false }), collected]],
    ['was refused, of no payment, as an event says', false, [payin({ kytStatus: 'rejected' }, { verified: false })]],
    ['was refused, and the payment waits', false, [payin(refused), payment('pi_1', { status: 'pending' })]],
    ['was refused, of a payment that nobody knows', false, [payin(refused)]],
    ['was refused, and the payin is denied', false, [payin(refused, { absent: true }), collected]],
    ['was refused before adoption', false, [payin(refused, { history: true }), collected]],
  ])('%s: a break is %s', (_name, isBreak, records) => {
    const { open, resolve, again } = judge(records);
    expect([open.length, resolve.length, again.length]).toEqual(isBreak ? [1, 0, 0] : [0, 1, 0]);
    expect([...open, ...resolve]).toMatchObject([{ kind: 'kyt_hold', entity: { kind: 'payin', id: 'pay_1' } }]);
  });

  it('holds the payment that lists the payin, too', () => {
    const listings = new Map([['pay_1', ['pi_2', 'pi_1']]]);
    const both = [payin({ kytStatus: 'pending' }), payment('pi_2', { status: 'pending' }), collected];
    expect(judge(both, { listings }).open[0]?.evidence).toMatchObject({ paymentStatus: { ours: 'pi_1' } });
  });

  it('says since when it waits, and what for', () => {
    const since = NOW - 2 * HOUR;
    expect(judge([payin(waits, { since }), payment('pi_1')]).open[0]?.evidence).toEqual({
      kytStatus: { ours: 'passed', theirs: 'pending', source: sourceOf('payin', 'pay_1') },
      paymentStatus: { ours: 'pi_1', theirs: 'completed', source: sourceOf('payment_intent', 'pi_1') },
      since: '2026-03-01T22:00:00.000Z',
      verdict: 'pending',
    });
    const encashed = checked('payment_intent', 'pi_1', { irregularStatus: 'encashed' });
    expect(judge([payin(waits), encashed]).open[0]?.evidence).toMatchObject({ paymentStatus: { theirs: null } });
  });

  it('may take an hour from when it began: as is known, or as the payin was made, or first seen', () => {
    const [due, younger] = [NOW - HOUR, NOW - HOUR + 1];
    const clocks: About[] = [
      { since: younger, createdAt: due, firstSeenAt: due },
      { since: null, createdAt: younger, firstSeenAt: due },
      { since: null, createdAt: null, firstSeenAt: younger },
    ];
    for (const clock of clocks) {
      const again = [{ entity: { kind: 'payin', id: 'pay_1' }, at: NOW + 1 }];
      expect(judge([payin(waits, clock), collected])).toEqual({ open: [], resolve: [], again });
      expect(judge([payin(waits, clock), collected], { now: NOW + 1 }).open).toHaveLength(1);
      expect(judge([payin(refused, clock), collected]).open).toHaveLength(1);
    }
  });

  it('that was refused names the payment that counts on it, or that the payin names, and the sub-wallet', () => {
    const kytStatus = { ours: 'passed', theirs: 'rejected', source: sourceOf('payin', 'pay_1') };
    const listings = new Map([['pay_1', ['pi_2']]]);
    const [listed] = judge([payin({ ...refused, accountId: 'acc_1' }), payment('pi_2')], { listings }).open;
    const evidence = { kytStatus, verdict: 'rejected', paymentIntent: 'pi_2', account: 'acc_1' };
    expect(listed?.evidence).toEqual(evidence);
    expect(rejectedHold(payin({ paymentIntentId: 'pi_3' }), null)).toMatchObject({
      evidence: { kytStatus: { theirs: null }, paymentIntent: 'pi_3', account: null },
    });
  });
});

describe('records that name one another', () => {
  const listing = (id: string, about: About = {}) =>
    payment(id, { payins: ['x', null, {}, { id: 'pay_1' }, { id: 'pay_2' }] }, about);
  const [one, two] = [listing('pi_1'), listing('pi_2')];

  it.each<[string, string | null, CheckedRecord, CheckedRecord[]]>([
    ['a payin names the payment that lists it', null, payin({ paymentIntentId: 'pi_1' }), [one]],
    ['a payin names none', null, payin(), [one]],
    ['a payin names one, and none lists it', null, payin({ paymentIntentId: 'pi_2' }), [payment('pi_1')]],
    ['a payin names another', 'low', payin({ paymentIntentId: 'pi_2' }), [one]],
    ['two list a payin that names one of them', 'critical', payin({ paymentIntentId: 'pi_2' }), [two, one]],
    ['two list a payin that names none', 'critical', payin(), [one, two]],
    ['one of the two is denied', null, payin(), [one, listing('pi_2', { absent: true })]],
    ['the other one does not list it any more', null, payin(), [one, payment('pi_2', { payins: null })]],
    ['the other one lists others', null, payin(), [one, payment('pi_2', { payins: [{ id: 'pay_2' }] })]],
    ['two list a payin that is denied', null, payin({}, { absent: true }), [one, two]],
    ['two list a payin from before adoption', null, payin({}, { history: true }), [one, two]],
  ])('%s: %s', (_name, severity, payin, payments) => {
    const listings = new Map([['pay_1', payments.map(({ id }) => id)]]);
    const { open, resolve } = checkLinks(checkFacts([payin, ...payments], { listings }));
    expect(open.map((found) => found.severity ?? null)).toEqual(severity === null ? [] : [severity]);
    const entity = { kind: 'payin', id: 'pay_1#paymentIntentId' };
    expect([...open, ...resolve]).toMatchObject([{ kind: 'contract_violation', entity }]);
    if (severity === null) return;
    const ours = payments.map(({ id }) => id).toSorted();
    const said = { ours, theirs: payin.fields['paymentIntentId'] ?? null, source: sourceOf('payin', 'pay_1') };
    const rule = 'a payin belongs to the payment that lists it';
    expect(open[0]?.evidence).toEqual({ paymentIntentId: said, rule });
  });

  it('a payin that nobody lists is no matter', () => {
    expect(checkLinks(checkFacts([payin({ paymentIntentId: 'pi_1' })]))).toMatchObject({ open: [], resolve: [{}] });
  });

  const payout = (fields: JsonObject = {}, about: About = {}) => checked('payout', 'po_1', fields, about);
  const naming = (id: string, about: About = {}) => payment(id, { irregularRefundPayoutId: 'po_1' }, about);

  it.each<[string, string[] | null, CheckedRecord, CheckedRecord[]]>([
    ['no payment names it', null, payout({ paymentIntentId: 'pi_1' }), [payment('pi_1')]],
    ['the payment that it names', null, payout({ paymentIntentId: 'pi_1' }), [naming('pi_1')]],
    ['it names none', null, payout(), [naming('pi_1')]],
    ['it names another', ['pi_1'], payout({ paymentIntentId: 'pi_2' }), [naming('pi_1')]],
    ['two name it', ['pi_1', 'pi_2'], payout(), [naming('pi_2'), naming('pi_1')]],
    [
      'two name it, and it one',
      ['pi_1', 'pi_2'],
      payout({ paymentIntentId: 'pi_2' }),
      [naming('pi_2'), naming('pi_1')],
    ],
    ['one of the two is denied', null, payout(), [naming('pi_1'), naming('pi_2', { absent: true })]],
    ['two name one that is denied', null, payout({}, { absent: true }), [naming('pi_1'), naming('pi_2')]],
    ['two name one from before adoption', null, payout({}, { history: true }), [naming('pi_1'), naming('pi_2')]],
  ])('the refund of a dispute: %s', (_name, ours, refund, payments) => {
    const { open, resolve } = checkLinks(checkFacts([refund, ...payments]));
    expect([open.length, resolve.length]).toEqual(ours === null ? [0, 1] : [1, 0]);
    const entity = { kind: 'payout', id: 'po_1#paymentIntentId' };
    expect([...open, ...resolve]).toMatchObject([{ kind: 'contract_violation', entity }]);
    if (ours === null) return;
    expect(open[0]).not.toHaveProperty('severity');
    expect(open[0]?.evidence).toEqual({
      paymentIntentId: { ours, theirs: refund.fields['paymentIntentId'] ?? null, source: sourceOf('payout', 'po_1') },
      rule: 'the refund of a dispute belongs to the payment that names it',
    });
  });
});

describe('a record that was not read for long', () => {
  const DAY = 24 * HOUR;
  const open: About = { readAt: NOW - DAY };
  const judge = (record: CheckedRecord, about: Partial<CheckFacts> = {}) =>
    checkStale(checkFacts([record], { ranAt: new Map([[record.kind, NOW]]), ...about }));

  it.each<[RecordKind, string, boolean]>([
    ['payment_intent', 'waiting_address_selection', true],
    ['payment_intent', 'pending', true],
    ['payment_intent', 'confirming', true],
    ['payment_intent', 'unmatched', false],
    ['payin', 'pending', true],
    ['payin', 'confirming', true],
    ['payin', 'confirmed', false],
    ['invoice', 'draft', true],
    ['invoice', 'sent', true],
    ['invoice', 'paid', false],
  ])('%s %s: a break is %s; only claimed it is always', (kind, status, isBreak) => {
    const entity = { kind, id: 'x_1' };
    const { open: found, resolve, again } = judge(checked(kind, 'x_1', { status }, open));
    expect([found.length, resolve.length]).toEqual(isBreak ? [1, 0] : [0, 1]);
    expect([...found, ...resolve]).toMatchObject([{ kind: 'stale_record', entity }]);
    expect(again).toEqual(isBreak ? [{ entity, at: NOW + HOUR / 6 }] : []);
    expect(judge(checked(kind, 'x_1', { status }, { ...open, verified: false })).open).toHaveLength(1);
  });

  it('of the other kinds is asked for as well', () => {
    const account = checked('account', 'acc_1', {}, { ...open, verified: false });
    const { open: found } = checkStale(checkFacts([], { others: [account], ranAt: new Map([['account', NOW]]) }));
    expect(found).toMatchObject([{ entity: { kind: 'account', id: 'acc_1' } }]);
  });

  const pending = (about: About = {}, fields: JsonObject = {}) =>
    payment('pi_1', { status: 'pending', ...fields }, { ...open, ...about });
  const again = (at: number) => [{ entity: { kind: 'payment_intent', id: 'pi_1' }, at }];

  it('is none within a day, nor where its kind was not read since, nor denied, nor before adoption', () => {
    const younger = judge(pending({ readAt: NOW - DAY + 1 }));
    expect(younger).toMatchObject({ open: [], resolve: [{}], again: again(NOW + 1) });
    const ranAt = (at: number) => ({ ranAt: new Map([['payment_intent' as const, at]]) });
    for (const about of [ranAt(NOW - DAY), { ranAt: new Map() }])
      expect(judge(pending(), about)).toMatchObject({ open: [], resolve: [{}], again: again(NOW + HOUR / 6) });
    expect(judge(pending(), ranAt(NOW - DAY + 1)).open).toHaveLength(1);
    for (const about of [{ absent: true }, { history: true }])
      expect(judge(pending(about))).toMatchObject({ open: [], resolve: [{}], again: [] });
  });

  it('says since when, as read or as first seen: read since and passed by again it is another case', () => {
    const seen = { readAt: null, verified: false };
    const [read, unread] = [judge(pending()), judge(pending({ ...seen, firstSeenAt: NOW - DAY }))];
    expect(judge(pending({ ...seen, firstSeenAt: NOW - DAY + 1 })).open).toEqual([]);
    const notes = { reason: 'not_read', expiresAt: null, checkedAt: '2026-03-02T00:00:00.000Z' };
    const since = '2026-03-01T00:00:00.000Z';
    const status = { ours: 'pending', theirs: null };
    expect(read.open[0]?.evidence).toEqual({
      status: { ...status, source: sourceOf('payment_intent', 'pi_1') },
      since,
      ...notes,
      verified: true,
      readAt: since,
    });
    expect(unread.open[0]?.evidence).toMatchObject({ since, ...notes, verified: false, readAt: null });
    expect(judge(pending({ readAt: NOW - 2 * DAY })).open[0]?.cause).not.toBe(read.open[0]?.cause);
    const bare = judge(checked('payin', 'pay_1', {}, { ...open, verified: false }));
    expect(bare.open[0]?.evidence).toMatchObject({ status: { ours: null } });
  });

  describe('or that waits two days after it ended', () => {
    const expiresAt = '2026-02-28T00:00:00.000Z';
    const ended = (kind: RecordKind, status: string, about: About = {}) =>
      judge(checked(kind, 'pi_1', { status, expiresAt }, about), { ranAt: new Map() });

    it.each<[RecordKind, string, boolean]>([
      ['payment_intent', 'waiting_address_selection', true],
      ['payment_intent', 'pending', true],
      ['payment_intent', 'confirming', false],
      ['invoice', 'sent', true],
      ['invoice', 'draft', false],
      ['payin', 'pending', false],
    ])('%s %s: a break is %s', (kind, status, isBreak) => {
      expect(ended(kind, status).open.length).toBe(isBreak ? 1 : 0);
    });

    test('which no reading could settle: it may be read just now; as only an event says, or earlier, it may wait', () => {
      expect(ended('payment_intent', 'pending', { verified: false }).open).toEqual([]);
      const later = judge(pending({ readAt: NOW }, { expiresAt: '2026-02-28T00:00:00.001Z' }));
      expect(later).toMatchObject({ open: [], again: again(NOW + 1) });
      expect(judge(pending({ readAt: NOW }, { expiresAt: 'soon' })).again).toEqual(again(NOW + DAY));
      expect(ended('payment_intent', 'pending').again).toEqual(again(NOW + HOUR / 6));
      expect(ended('payment_intent', 'pending').open[0]?.evidence).toEqual({
        status: { ours: 'ended', theirs: 'pending', source: sourceOf('payment_intent', 'pi_1') },
        reason: 'not_ended',
        verified: true,
        readAt: '2026-03-02T00:00:00.000Z',
        expiresAt,
        checkedAt: '2026-03-02T00:00:00.000Z',
      });
    });
  });
});
