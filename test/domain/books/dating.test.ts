import { describe, expect, it, test } from 'vitest';
import type { BookRecord } from '../../../src/domain/books/entry.js';
import {
  datedAs,
  differenceDate,
  disputeOf,
  heldDate,
  momentInHistory,
  neverCounted,
  paidDate,
  payinDate,
} from '../../../src/domain/books/payment-dating.js';
import type { Json, JsonObject } from '../../../src/domain/json.js';
import { momentOf } from '../../../src/domain/service-time.js';

/** The day of a month, and as the service writes it. */
const at = (day: number) => Date.parse('2026-01-01T10:00:00Z') + (day - 1) * 86_400_000;
const iso = (day: number) => new Date(at(day)).toISOString();
const SEEN = 30;
const record = (fields: JsonObject | null, about: Partial<BookRecord> = {}): BookRecord => ({
  kind: 'payment_intent',
  id: 'pi_1',
  fields,
  firstSeenAt: at(SEEN),
  moved: [],
  ...about,
});
const history = (...entries: [string, number][]) => entries.map(([status, day]) => ({ status, at: iso(day) }));
const dated = (day: number, by: string) => ({ at: at(day), by });

describe('a moment of the service', () => {
  it.each([
    ['2026-01-01T10:00:00Z', 0],
    ['2026-01-01T10:00:00.5Z', 500],
    ['2026-01-01T10:00:00,5Z', 500],
    ['2026-01-01T10:00:00', 0],
    ['2026-01-01T10:00:00,5', 500],
    ['2026-01-01T10:00', 0],
    ['2026-01-01 10:00', 0],
    ['2026-01-01T12:00+02:00', 0],
    ['2026-01-01', -36_000_000],
    ['2026-01-01T10', null],
    ['yesterday', null],
    ['2026-13-01', null],
    ['0001-01-01', null],
    ['0001-01-02T00:00:00Z', Date.parse('0001-01-02') - at(1)],
    ['9999-12-31', Date.parse('9999-12-31') - at(1)],
    ['9999-12-31T00:00:01Z', null],
    [null, null],
  ])('%s', (text, expected) => expect(momentOf(text)).toBe(expected === null ? null : at(1) + expected));

  it('is found in a history under whatever name it may have: the first of the state that is asked for', () => {
    const found = (statusHistory: Json) => momentInHistory({ statusHistory }, ['done']);
    for (const state of ['status', 'to', 'state', 'toStatus', 'newStatus'])
      for (const time of ['timestamp', 'at', 'createdAt', 'time', 'date', 'changedAt'])
        expect(found([{ [state]: 'done', [time]: iso(2) }])).toBe(at(2));
    expect(found([...history(['new', 1], ['done', 2], ['done', 3])])).toBe(at(2));
    expect(found(['done', { status: 'done' }, ...history(['done', 3])])).toBe(at(3));
    expect(found([{ status: 'new', to: 'done', at: iso(2) }])).toBeNull();
    expect(found([{ status: 'done', timestamp: 'soon', at: iso(2) }])).toBe(at(2));
    for (const none of [[], [{ at: iso(2) }], null, { 0: { status: 'done', at: iso(2) } }])
      expect(found(none)).toBeNull();
    expect(momentInHistory(null, ['done'])).toBeNull();
  });

  it('dates an effect: as the contract’s table says, else as the history, the times of the record, or ours do', () => {
    const of = (fields: JsonObject | null, moved: string | null = null) =>
      datedAs(record(fields), { at: moved }, ['done']);
    const all = { statusHistory: history(['done', 3]), updatedAt: iso(4), createdAt: iso(2) };
    expect(of(all, iso(5))).toEqual(dated(5, 'status_history'));
    expect(of(all, iso(2))).toEqual(dated(2, 'created'));
    expect(of(all)).toEqual(dated(3, 'status_history'));
    expect(of({ ...all, statusHistory: null })).toEqual(dated(4, 'updated'));
    expect(of({ createdAt: iso(2) })).toEqual(dated(2, 'created'));
    expect(of({})).toEqual(dated(SEEN, 'first_seen'));
    expect(of(null, iso(5))).toEqual(dated(5, 'status_history'));
    expect(of(null)).toEqual(dated(SEEN, 'first_seen'));
  });
});

describe('when a payment came', () => {
  const completed = { statusHistory: history(['pending', 1], ['completed', 5]) };

  test('a payin came with its completion, unless it is younger', () => {
    const of = (fields: JsonObject, created: number | null) => payinDate(record(fields), created && at(created));
    expect(of(completed, 4)).toEqual(dated(5, 'status_history'));
    expect(of(completed, 5)).toEqual(dated(5, 'status_history'));
    expect(of(completed, 6)).toEqual(dated(6, 'created'));
    expect(of(completed, null)).toEqual(dated(5, 'status_history'));
    expect(of({}, 4)).toEqual(dated(4, 'created'));
    expect(of({}, null)).toEqual(dated(SEEN, 'first_seen'));
  });

  test('it is the last of its payins, or what names it where none is shown', () => {
    const of = (fields: JsonObject | null, ...days: number[]) =>
      paidDate(
        record(fields),
        days.map((day) => ({ at: at(day), by: 'created' })),
      );
    expect(of(completed, 7, 9, 8)).toEqual(dated(9, 'created'));
    const times = { updatedAt: iso(6), createdAt: iso(1) };
    expect(of({ ...completed, ...times })).toEqual(dated(5, 'status_history'));
    expect(of(times)).toEqual(dated(6, 'updated'));
    const payins = ['x', { createdAt: iso(2) }, { createdAt: iso(4) }, { createdAt: 'x' }, { createdAt: iso(3) }];
    expect(of({ createdAt: iso(1), payins })).toEqual(dated(4, 'created'));
    expect(of({ createdAt: iso(1), payins: [] })).toEqual(dated(1, 'created'));
    expect(of({ createdAt: iso(1), payins: 'x' })).toEqual(dated(1, 'created'));
    expect(of(null)).toEqual(dated(SEEN, 'first_seen'));
  });
});

describe('a payment in dispute', () => {
  const seen = (begun: Record<string, number>, netBefore: string | null = null) => ({
    begun: new Map(Object.entries(begun).map(([state, day]) => [state, at(day)])),
    netBefore,
    firstNet: null,
    booksOpenedAt: null,
  });
  const PAID = { at: at(2), by: 'created' } as const;
  /** Received, asked for and in question. */
  const amounts = (received: string, asked: string, rejected: string): JsonObject => ({
    totalAmountReceived: received,
    amountCryptoExpected: asked,
    amountRejected: rejected,
    amountNetMerchant: '90',
  });
  const own = amounts('120', '100', '20');
  const counted = amounts('120', '100', '21');

  test.each<[string, boolean, JsonObject | null, string | null]>([
    ['what is too much', true, own, null],
    ['less than what is too much', true, amounts('120', '100', '19'), null],
    ['more than what is too much', false, counted, null],
    ['all of too little', true, amounts('80', '100', '80'), null],
    ['a part of too little', false, amounts('80', '100', '79'), null],
    ['all of just the amount', false, amounts('100', '100', '100'), null],
    ['what is too much, and the net was larger before', false, own, '91'],
    ['what is too much, and the net was the same before', true, own, '90'],
    ['what is too much, and the net before is not shown as an amount', true, own, 'x'],
    ['what is too much, and no net is shown', true, { ...own, amountNetMerchant: null }, '91'],
    ['nobody knows what came', false, { ...own, totalAmountReceived: null }, null],
    ['nobody knows what', false, { ...own, amountRejected: null }, null],
    ['nobody knows of what', false, { ...own, amountCryptoExpected: null, requestedCurrencyType: 'fiat' }, null],
    ['of a payment that is gone', false, null, null],
  ])('in question is %s: it never counted is %s', (_name, isSo, fields, netBefore) => {
    expect(neverCounted(record(fields, { dispute: seen({}, netBefore) }))).toBe(isSo);
    if (netBefore === null) expect(neverCounted(record(fields))).toBe(isSo);
  });

  test('is in the state that it shows; `none` is no dispute', () => {
    const of = (irregularStatus: string | null) => disputeOf(record({ irregularStatus }));
    expect([of('pending_decision'), of('none'), of(null), disputeOf(record(null))]).toEqual([
      'pending_decision',
      null,
      null,
      null,
    ]);
  });

  const times = { irregularActionAt: iso(8), updatedAt: iso(9) };
  test.each<[string, JsonObject | null, Record<string, number>, object]>([
    ['no dispute', { ...counted, ...times }, {}, PAID],
    ['none any more', { ...counted, ...times }, { none: 6 }, dated(8, 'decision')],
    ['none any more, as was seen', { ...counted, updatedAt: iso(9) }, { none: 6 }, dated(6, 'first_seen')],
    [
      'open',
      { ...counted, ...times, irregularStatus: 'pending_decision' },
      { pending_decision: 5 },
      dated(5, 'first_seen'),
    ],
    [
      'open, and nobody saw when',
      { ...counted, ...times, irregularStatus: 'pending_decision' },
      {},
      dated(9, 'updated'),
    ],
    [
      'open, and it never counted',
      { ...own, ...times, irregularStatus: 'pending_decision' },
      { pending_decision: 5 },
      PAID,
    ],
    ['refunded', { ...counted, ...times, irregularStatus: 'refunded' }, { refunded: 7 }, dated(8, 'decision')],
    ['refunded, as was seen', { ...counted, irregularStatus: 'refunded' }, { refunded: 7 }, dated(7, 'first_seen')],
    ['refunded, and it never counted', { ...own, ...times, irregularStatus: 'refunded' }, { refunded: 7 }, PAID],
    [
      'refunded, and seen open before',
      { ...counted, ...times, irregularStatus: 'refunded' },
      { refunded: 7, pending_decision: 5 },
      dated(5, 'first_seen'),
    ],
    ['encashed', { ...own, ...times, irregularStatus: 'encashed' }, { pending_decision: 5 }, dated(8, 'decision')],
    ['gone', null, {}, PAID],
  ])('came to differ from its payins: %s', (_name, fields, begun, expected) => {
    expect(differenceDate(record(fields, { dispute: seen(begun) }), PAID)).toEqual(expected);
  });

  const open = { ...times, irregularStatus: 'pending_decision' };
  const closed = { statusHistory: history(['completed', 3]) };
  test.each<[string, JsonObject, Record<string, number>, object]>([
    ['no dispute', { ...counted, createdAt: iso(1) }, {}, dated(1, 'created')],
    ['none any more', { ...counted, ...times }, { none: 6 }, dated(8, 'decision')],
    ['open', { ...counted, ...open, ...closed }, { pending_decision: 5 }, dated(5, 'first_seen')],
    ['of what never counted', { ...own, ...open, ...closed }, { pending_decision: 5 }, dated(3, 'status_history')],
    [
      'of what never counted, which did not match',
      { ...own, ...open, statusHistory: history(['unmatched', 3]) },
      { pending_decision: 5 },
      dated(3, 'status_history'),
    ],
    [
      'of what never counted, and came later',
      { ...own, ...open, ...closed, payins: [{ createdAt: iso(4) }] },
      { pending_decision: 5 },
      dated(4, 'status_history'),
    ],
    [
      'of what never counted, and came before',
      { ...own, ...open, ...closed, payins: [{ createdAt: iso(2) }] },
      {},
      dated(3, 'status_history'),
    ],
    [
      'of what never counted, and is not concluded',
      { ...own, ...open },
      { pending_decision: 5 },
      dated(5, 'first_seen'),
    ],
    ['refunded', { ...own, ...times, ...closed, irregularStatus: 'refunded' }, {}, dated(8, 'decision')],
  ])('has something held since: %s', (_name, fields, begun, expected) => {
    expect(heldDate(record(fields, { dispute: seen(begun) }))).toEqual(expected);
  });
});
