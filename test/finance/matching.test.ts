import { beforeAll, expect, it } from 'vitest';
import { subtractAmounts, sumAmounts } from '../../src/domain/money.js';
import { matchAsOf } from '../../src/finance/match-as-of.js';
import { matchOrders } from '../../src/finance/match-orders.js';
import { accountTotals, monthTotals } from '../../src/records/books/account-totals.js';
import { listMatches, type MatchFilters, matchSummary } from '../../src/records/books/match/list-matches.js';
import { registerOrder } from '../../src/records/orders/orders.js';
import { judgedBalance } from '../support/classified-balance.js';
import { useDatabase } from '../support/database.js';
import { absence, at, poll, readPaid, report } from '../support/observations.js';
import { postBooks } from '../support/posted-books.js';
import { intent, invoice, paidIntent, payin, payout } from '../support/records.js';
import { save } from '../support/saved.js';

const ASSET = 'USDT.TRON';
const settings = { timeZone: 'UTC', currency: 'USD' };
const day = { today: '2026-03-02', timeZone: 'UTC' };
const database = useDatabase();

beforeAll(async () => {
  await judgedBalance(database.db, { assetCode: ASSET, opening: '100', balance: '100', now: new Date(at(0)) });
}, 60_000);

async function matched(filters: MatchFilters = {}): Promise<Record<string, [string, string | undefined]>> {
  await postBooks(database.db);
  await matchOrders({ db: database.db, ...settings });
  expect(await matchOrders({ db: database.db, ...settings })).toEqual({ changed: 0, more: false });
  const { items } = await listMatches(database.db, { ...filters, take: 500 }, day);
  return Object.fromEntries(items.map(({ kind, id, state, reasons }) => [`${kind} ${id}`, [state, reasons[0]?.code]]));
}

/** What the sums by day say is what the matches say, and what all of them have booked is what the books have. */
async function expectCountedOnce(): Promise<void> {
  const { db } = database;
  const { amounts, counts } = await matchSummary(db, day);
  const { items } = await listMatches(db, { take: 500 }, day);
  expect(counts.reduce((sum, { matches }) => sum + matches, 0)).toBe(items.length);
  for (const side of ['asked', 'paid', 'returned', 'booked'] as const) {
    const [shown, kept] = [items.flatMap((item) => item.amounts), amounts].map((rows) =>
      sumAmounts(rows.filter(({ code }) => code === ASSET).map((row) => row[side])),
    );
    expect([side, kept]).toEqual([side, shown]);
  }
  const income = (await accountTotals(db, '9999-12')).filter(
    ({ account, assetCode }) => assetCode === ASSET && ['income:payments', 'income:refunds'].includes(account),
  );
  const booked = amounts.filter(({ code }) => code === ASSET).map((row) => row.booked);
  expect(sumAmounts(booked)).toBe(subtractAmounts('0', sumAmounts(income.map(({ closing }) => closing))));
  expect((await monthTotals(db, { month: '9999-12', currency: 'USD' })).totals).toMatchObject(
    await accountTotals(db, '9999-12'),
  );
}

it('matches orders, and what belongs to none, as records and books come in', async () => {
  await database.db.transaction((trx) => registerOrder(trx, { reference: 'waiting', amount: '9', currency: 'EUR' }));
  await save(database, [
    ...readPaid('pi_1', {}, 20),
    poll('payment_intent', paidIntent('pi_2', 'pa_2'), 20),
    poll('payment_intent', intent('pi_3', { status: 'expired' }), 20),
    poll('payment_intent', paidIntent('pi_4', 'pa_4', { merchantReference: null }), 20),
    poll('payin', payin('pa_4', 'pi_4'), 20),
    ...readPaid('pi_5', { merchantReference: null, invoiceId: 'in_1' }, 20),
    poll('invoice', invoice('in_1', { status: 'paid', paymentIntentId: 'pi_5' }), 20),
  ]);
  expect(await matched()).toEqual({
    'order waiting': ['unmatched', 'not_paid'],
    'order order-pi_1': ['matched', 'agreed'],
    'order order-pi_2': ['partly_matched', 'deposits_unread'],
    'order order-pi_3': ['matched', 'lapsed'],
    'payment_intent pi_4': ['partly_matched', 'not_asked'],
    'invoice in_1': ['matched', 'agreed'],
  });
  await expectCountedOnce();
}, 60_000);

it('follows what changes: a payin is read, a payment finds its order, one is gone, one is given back', async () => {
  const refund = { paymentIntentId: 'pi_1', feeBearer: 'merchant', feeAmount: '1', status: 'confirmed' };
  await save(database, [
    poll('payin', payin('pa_2', 'pi_2'), 40),
    poll('payment_intent', paidIntent('pi_4', 'pa_4', { merchantReference: 'waiting' }), 40),
    poll('payout', payout('po_1', refund), 40),
    absence('payment_intent', 'pi_5', 40),
  ]);
  expect(await matched()).toEqual({
    'order waiting': ['partly_matched', 'overpaid'],
    'order order-pi_1': ['matched', 'given_back'],
    'order order-pi_2': ['matched', 'agreed'],
    'order order-pi_3': ['matched', 'lapsed'],
    'invoice in_1': ['unmatched', 'claimed'],
  });
  await expectCountedOnce();
});

it('lists by state, age, asset and reason, page by page', async () => {
  const names = async (filters: MatchFilters) => Object.keys(await matched(filters)).sort();
  expect(await names({ open: true })).toEqual(['invoice in_1', 'order waiting']);
  expect(await names({ assetCode: ASSET, state: 'matched' })).toEqual(['order order-pi_1', 'order order-pi_2']);
  expect(await names({ reason: 'lapsed' })).toEqual(['order order-pi_3']);
  expect(await names({ age: '31-60' })).toEqual([]);
  const all = (await listMatches(database.db, { take: 500 }, day)).items.map(({ id }) => id);
  const paged: string[] = [];
  let cursor: string | undefined;
  do {
    const page = await listMatches(database.db, { take: 2, cursor }, day);
    paged.push(...page.items.map(({ id }) => id));
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
  expect(paged).toEqual(all);
  const { items } = await listMatches(database.db, { reason: 'agreed' }, { ...day, today: '2026-04-15' });
  expect(items[0]).toMatchObject({ age: '31-60', openedOn: '2026-02-28' });
});

it('says how it stood on an earlier day', async () => {
  const on = async (asOf: string) => {
    const about = { ...settings, day: asOf, filters: {}, most: 2 };
    const { items, left, summary } = await matchAsOf(database.db, about);
    return { shown: items.length, left, counted: summary.counts.reduce((sum, { matches }) => sum + matches, 0) };
  };
  expect(await on('2026-02-27')).toEqual({ shown: 0, left: 0, counted: 0 });
  expect(await on('2026-02-28')).toEqual({ shown: 2, left: 3, counted: 5 });
});

it('takes each payment of a shared word for itself, and counts it once', async () => {
  const shared = Array.from({ length: 201 }, (_, n) =>
    poll('payment_intent', intent(`many_${n}`, { merchantReference: 'word' }), 60),
  );
  await save(database, shared.slice(0, 200));
  expect(Object.keys(await matched()).filter((name) => name.includes('many'))).toEqual([]);
  await save(database, shared.slice(200));
  const found = await matched();
  expect(found['order word']).toEqual(['unmatched', 'shared_reference']);
  expect(Object.keys(found).filter((name) => name.includes('many'))).toHaveLength(201);
  await expectCountedOnce();
}, 60_000);

it('goes on where a reference holds what the database can’t', async () => {
  await save(database, [poll('payment_intent', intent('pi_nul', { merchantReference: 'a\u0000b' }), 80)]);
  expect((await matched())['order a\u0000b']).toEqual(['unmatched', 'not_paid']);
});

it('counts a refund with the payment that it gives back alone', async () => {
  // One payment is behind invoices of two orders: it is counted with neither, but by itself.
  await save(database, [
    poll('payment_intent', paidIntent('pi_a', 'pa_a', { merchantReference: null, invoiceId: 'in_b' }), 90),
    poll('payment_intent', paidIntent('pi_b', 'pa_b', { merchantReference: null, invoiceId: 'in_b' }), 90),
    poll('payin', payin('pa_a', 'pi_a'), 90),
    poll('payin', payin('pa_b', 'pi_b'), 90),
    poll('invoice', invoice('in_b', { status: 'paid', merchantReference: 'one' }), 90),
    poll('invoice', invoice('in_c', { merchantReference: 'two', paymentIntentId: 'pi_a' }), 90),
    poll('invoice', invoice('in_d', { merchantReference: 'two', paymentIntentId: 'pi_c' }), 90),
    ...readPaid('pi_c', { merchantReference: null }, 90),
    poll(
      'payout',
      payout('po_a', { paymentIntentId: 'pi_a', feeBearer: 'merchant', feeAmount: '1', status: 'confirmed' }),
      90,
    ),
  ]);
  await matched();
  const { items } = await listMatches(database.db, { take: 500 }, day);
  const own = items.filter(({ id }) => ['one', 'two', 'pi_a', 'pi_b', 'pi_c'].includes(id));
  expect(own.map(({ kind, id }) => `${kind} ${id}`).sort()).toEqual(['order one', 'order two', 'payment_intent pi_a']);
  const isReturned = ({ returned }: { returned: string }) => Number(returned) > 0;
  expect(own.filter(({ amounts }) => amounts.some(isReturned)).map(({ id }) => id)).toEqual(['pi_a']);
  await expectCountedOnce();
});

it('counts a refund that two payments are named for once, and says so', async () => {
  const disputed = {
    irregularStatus: 'refunded',
    amountInRange: '0',
    amountRejected: '26.1',
    amountNetMerchant: '0',
    feeAmountTotal: '0',
  };
  const given = (second: number, irregularRefundPayoutId: string | null) =>
    poll('payment_intent', paidIntent('pi_x', 'pa_x', { ...disputed, irregularRefundPayoutId }), second);
  await save(database, [
    given(91, null),
    poll('payin', payin('pa_x', 'pi_x'), 91),
    ...readPaid('pi_y', {}, 91),
    poll(
      'payout',
      payout('po_x', { paymentIntentId: 'pi_y', feeBearer: 'merchant', feeAmount: '1', status: 'confirmed' }),
      91,
    ),
  ]);
  const stand = async () => {
    const found = await matched();
    return [found['order order-pi_x'], found['order order-pi_y']];
  };
  expect(await stand()).toEqual([
    ['matched', 'given_back'],
    ['matched', 'given_back'],
  ]);
  // The payment names it only now: the other one is matched anew with it.
  await save(database, [given(92, 'po_x')]);
  expect(await stand()).toEqual([
    ['partly_matched', 'refund_differs'],
    ['partly_matched', 'refund_differs'],
  ]);
  await expectCountedOnce();
  // Named no more, it is matched anew with both.
  await save(database, [given(93, null)]);
  const [disputedOne, other] = await stand();
  expect(disputedOne).toEqual(['matched', 'given_back']);
  expect(other?.[1]).not.toBe('refund_differs');
  await expectCountedOnce();
});

it('matches what is inside the opening balance once that was read', async () => {
  const btc = { assetCode: 'BTC', merchantReference: 'early' };
  await save(database, [
    poll('payment_intent', paidIntent('pi_early', 'pa_early', btc), 95),
    poll('payin', payin('pa_early', 'pi_early', { assetCode: 'BTC' }), 95),
  ]);
  expect((await matched())['order early']).toEqual(['partly_matched', 'books_not_open']);
  await judgedBalance(database.db, { assetCode: 'BTC', opening: '25.839', balance: '25.839', now: new Date(at(100)) });
  expect((await matched())['order early']).toEqual(['matched', 'agreed']);
});

it('matches payments that stood at the opening without their payins, those after it only with them', async () => {
  const eth = { assetCode: 'ETH' };
  const [old, late] = [
    { ...eth, merchantReference: 'unread-before' },
    { ...eth, merchantReference: 'unread-after' },
  ];
  await save(database, [poll('payment_intent', paidIntent('pi_old', 'pa_old', old), 110)]);
  await postBooks(database.db);
  await judgedBalance(database.db, { assetCode: 'ETH', opening: '25.839', balance: '25.839', now: new Date(at(120)) });
  await save(database, [poll('payment_intent', paidIntent('pi_late', 'pa_late', late), 130)]);
  const found = await matched();
  expect(found['order unread-before']).toEqual(['matched', 'agreed']);
  expect(found['order unread-after']).toEqual(['partly_matched', 'deposits_unread']);
});

it('matches all anew once what it goes by is other than before, whatever was touched', async () => {
  const { db } = database;
  const unread = {
    state: 'partly_matched',
    reason: 'deposits_unread',
    reasons: '[{"code":"deposits_unread","told":""}]',
  };
  await db('matches').where({ kind: 'order', id: 'unread-before' }).update(unread);
  expect(await matchOrders({ db, ...settings })).toEqual({ changed: 0, more: false });
  // As an earlier version left it.
  await db('match_progress').update({ rules: 0 });
  expect(await matchOrders({ db, ...settings })).toEqual({ changed: 1, more: false });
  expect((await matched())['order unread-before']).toEqual(['matched', 'agreed']);
});

it('goes by no report: a payment that one doubts is matched as before', async () => {
  const before = await matched();
  expect(before['order order-pi_2']).toEqual(['matched', 'agreed']);
  const reported = paidIntent('pi_2', 'pa_2', { status: 'unmatched', irregularStatus: 'pending_decision' });
  await save(database, [report('payment_intent', 'pi_2', reported, 3_000)]);
  expect(await database.db('payment_intents').where({ id: 'pi_2' }).first('doubted')).toEqual({ doubted: true });
  await database.db('match_progress').update({ rules: 0 });
  expect(await matched()).toEqual(before);
});
