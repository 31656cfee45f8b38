import { describe, expect, test } from 'vitest';
import { defaultPayoutWords } from '../../src/domain/family/links.js';
import type { JsonObject } from '../../src/domain/json.js';
import { rederiveReleases } from '../../src/reconcile/cross-check/cross-check-loop.js';
import { recordAction } from '../../src/records/actions/record-action.js';
import { changesOf } from '../../src/records/changes.js';
import { assignRefund } from '../../src/records/orders/assign-refund.js';
import { listOpenRefunds, ordersOfPayouts } from '../../src/records/orders/list-open-refunds.js';
import { orderDetails } from '../../src/records/orders/order-details.js';
import { getOrder } from '../../src/records/orders/orders.js';
import { MINUTE, useCheckedShop } from '../reconcile/checked-shop.js';
import { absence, at, poll, readPaid, report } from '../support/observations.js';
import { bookFindings } from '../support/posted-books.js';
import { payout } from '../support/records.js';
import { context, save } from '../support/saved.js';

const shop = useCheckedShop();
const { database } = shop;

const paid = (id: string, fields: JsonObject = {}) => save(database, readPaid(id, fields));
const refund = (id: string, fields: JsonObject = {}, second = 20) =>
  save(database, [poll('payout', payout(id, { status: 'confirmed', amount: '5', ...fields }), second)]);
const assign = (payoutId: string, paymentIntentId: string | null) =>
  database.db.transaction((trx) =>
    assignRefund(trx, { payoutId, paymentIntentId, note: 'asked', actor: 'Ada' }, { adoptedAt: context.adoptedAt }),
  );
const standing = async (reference: string) => {
  const order = await getOrder(database.db, reference);
  return [order?.status, order?.release.reason];
};
const open = async () => (await listOpenRefunds(database.db, defaultPayoutWords, { take: 50 })).items;

describe('whose refund a payout is, as a person says', () => {
  test('none releases the order that it held; a payment takes it by amount; the newest word counts', async () => {
    await paid('a');
    await paid('b');
    await refund('po-a', { merchantReference: 'order-a' });
    expect(await standing('order-a')).toEqual(['paid', 'refund_unlinked']);
    expect(await open()).toMatchObject([{ id: 'po-a', why: 'refund', orders: ['order-a'] }]);
    expect(await assign('po-a', null)).toMatchObject({ outcome: 'assigned', before: null });
    expect(await standing('order-a')).toEqual(['paid', 'proven']);
    expect(await open()).toEqual([]);
    expect(await assign('po-a', 'a')).toMatchObject({ before: null });
    expect(await standing('order-a')).toEqual(['partially_refunded', 'partially_refunded']);
    const moved = await assign('po-a', 'b');
    expect(moved).toMatchObject({ before: 'a', orders: [{ reference: 'order-a' }, { reference: 'order-b' }] });
    expect([await standing('order-a'), await standing('order-b')]).toEqual([
      ['paid', 'proven'],
      ['partially_refunded', 'partially_refunded'],
    ]);
    const person = { type: 'person', ref: 'Ada' };
    const history = await changesOf(database.db, { kind: 'order', id: 'order-b' });
    expect(history.find(({ field, to }) => field === 'status' && to === 'partially_refunded')).toMatchObject({
      source: person,
    });
    expect((await changesOf(database.db, { kind: 'payout', id: 'po-a' })).at(-1)).toMatchObject({
      field: 'assigned',
      from: { paymentIntentId: 'a' },
      to: { paymentIntentId: 'b' },
      source: person,
    });
  });

  test('what the service shows of an assigned refund later reaches the order of its payment', async () => {
    await paid('c', { merchantReference: 'order-c' });
    await refund('po-c', { status: 'pending' });
    await assign('po-c', 'c');
    expect(await standing('order-c')).toEqual(['paid', 'refund_in_progress']);
    await refund('po-c', { status: 'confirmed', amount: '25.839' }, 30);
    expect(await standing('order-c')).toEqual(['refunded', 'refunded']);
  });

  test('a wrong id, a payment that only webhooks report, and one of another asset are refused by name; nothing is kept', async () => {
    await paid('d');
    await refund('po-d', { assetCode: 'BTC' });
    await save(database, [report('payment_intent', 'reported', { status: 'completed' }, 10)]);
    const refusals = [await assign('po-?', null), await assign('po-d', 'reported'), await assign('po-d', 'd')];
    expect(refusals).toMatchObject([
      { why: 'no_payout', message: expect.stringContaining('po-?') },
      { why: 'no_payment', message: expect.stringContaining('reported') },
      { why: 'other_asset', message: 'po-d sends BTC, and d received USDT.TRON.' },
    ]);
    expect(await database.db('refund_assignments').where({ payout_id: 'po-d' })).toEqual([]);
  });

  test('a payout that webhooks alone speak of, and one of an unknown type, are listed as what holds orders', async () => {
    await paid('e');
    await save(database, [
      report('payout', 'po-e', { status: 'confirmed', payoutType: 'refund', paymentIntentId: 'e' }, 20),
      poll('payout', payout('po-f', { payoutType: 'gift', merchantReference: 'order-e' }), 20),
      poll('payout', payout('po-g', { payoutType: 'withdrawal', merchantReference: 'order-e' }), 20),
      poll('payout', payout('po-h', { status: 'failed', merchantReference: 'order-e' }), 20),
    ]);
    const listed = (await open()).filter(({ orders }) => orders.includes('order-e'));
    expect(listed.map(({ id, why }) => `${id} ${why}`).sort()).toEqual(['po-e reported', 'po-f unknown_type']);
    await assign('po-f', null);
    expect(await standing('order-e')).toEqual(['paid', 'refund_reported']);
    await assign('po-e', null);
    expect(await standing('order-e')).toEqual(['paid', 'proven']);
  });

  test('what is proven to be forged is named nowhere: the history lacks it, or the service denies the payout', async () => {
    await paid('v');
    const said = { status: 'confirmed', payoutType: 'refund' };
    await save(database, [
      report('payout', 'po-v1', { ...said, paymentIntentId: 'v' }, 20, '901'),
      report('payout', 'po-v2', { ...said, merchantReference: 'order-v' }, 20, '902'),
      report('payout', 'po-v3', { ...said, paymentIntentId: 'v' }, 20, '903'),
      // A withdrawal by the list, which a forged event calls a refund.
      poll('payout', payout('po-v4', { payoutType: 'withdrawal', merchantReference: null }), 20),
      report('payout', 'po-v4', { ...said, paymentIntentId: 'v' }, 30, '904'),
    ]);
    const named = async () => {
      const listed = (await open()).filter(({ orders }) => orders.includes('order-v'));
      const details = await orderDetails(database.db, 'order-v');
      return [listed.map(({ id }) => id).sort(), details?.reported.refunds.map(({ id }) => id).sort()];
    };
    const all = ['po-v1', 'po-v2', 'po-v3', 'po-v4'];
    expect(await named()).toEqual([all, all]);
    const about = { secret_label: 'x', received_at: new Date(), state: 'not_sent' };
    await database.db('report_checks').insert([901, 902, 904].map((inbox_id) => ({ inbox_id, ...about })));
    expect(await named()).toEqual([['po-v3'], ['po-v3']]);
    await save(database, [absence('payout', 'po-v3', 60)]);
    expect(await named()).toEqual([[], []]);
    expect((await open()).filter(({ id }) => id.startsWith('po-v'))).toEqual([]);
    expect(await ordersOfPayouts(database.db, all)).toEqual(new Map(all.map((id) => [id, []])));
  });

  test('pages of one hold each once', async () => {
    for (const id of ['pg-1', 'pg-2', 'pg-3']) await refund(id);
    const ids: string[] = [];
    let cursor: string | null | undefined;
    do {
      const query = { take: 1, ...(cursor ? { cursor } : {}) };
      const page = await listOpenRefunds(database.db, defaultPayoutWords, query);
      ids.push(...page.items.map(({ id }) => id));
      cursor = page.nextCursor;
    } while (cursor);
    expect(ids).toEqual((await open()).map(({ id }) => id));
    expect(new Set(ids).size).toBe(ids.length);
  });
});

describe('a refund of nobody', () => {
  test('is a break with candidates, which ends when a person says whose it is', async () => {
    await paid('k', { amountNetMerchant: '7.77' });
    await refund('po-k', { amount: '7.77' });
    await shop.check();
    expect(await shop.breakOf('po-k', 'refund_without_order')).toMatchObject({
      severity: 'high',
      status: 'open',
      evidence: { candidates: expect.arrayContaining([expect.objectContaining({ paymentIntentId: 'k' })]) },
    });
    await assign('po-k', 'k');
    expect(await shop.breaksOf('po-k')).toEqual([]);
    await shop.check();
    expect(await shop.breaksOf('po-k')).toEqual([]);
    expect(await standing('order-k')).toEqual(['refunded', 'refunded']);
  });

  test('ends when its reference comes to name an order, or its payment is shown', async () => {
    await refund('po-l', { merchantReference: 'order-l' });
    await refund('po-m');
    await shop.check();
    expect([await shop.breaksOf('po-l'), await shop.breaksOf('po-m')]).toEqual([
      ['refund_without_order'],
      ['refund_without_order'],
    ]);
    await paid('l');
    await paid('m');
    await refund('po-m', { paymentIntentId: 'm' }, 30);
    await shop.later(MINUTE);
    expect([await shop.breaksOf('po-l'), await shop.breaksOf('po-m')]).toEqual([[], []]);
    expect(await standing('order-l')).toEqual(['paid', 'refund_unlinked']);
  });

  test('from before adoption it is none', async () => {
    await refund('po-old', { createdAt: '2025-12-01T00:00:00.000Z', updatedAt: '2025-12-01T00:00:00.000Z' });
    await shop.check();
    expect(await shop.breaksOf('po-old')).toEqual([]);
  });

  test('a poll that names another payment than the person did opens a break, until the person says it again', async () => {
    await paid('n');
    await paid('o');
    await refund('po-n');
    await assign('po-n', 'n');
    await shop.check();
    expect(await shop.breaksOf('po-n')).toEqual([]);
    await refund('po-n', { paymentIntentId: 'o' }, 30);
    await shop.later(MINUTE);
    expect(await shop.breaksOf('po-n')).toEqual(['refund_assigned_otherwise']);
    expect(await standing('order-n')).toEqual(['partially_refunded', 'partially_refunded']);
    expect(await standing('order-o')).toEqual(['paid', 'proven']);
    await assign('po-n', 'n');
    await shop.later(MINUTE);
    expect(await shop.breaksOf('po-n')).toEqual([]);
  });
});

test('a word that nobody has classed holds its order and is one finding; classed, the order is derived anew and the finding ends', async () => {
  const { db } = database;
  await paid('w');
  await refund('po-w1', { payoutType: 'Goodwill', merchantReference: 'order-w' });
  await refund('po-w2', { payoutType: 'goodwill' });
  await rederiveReleases({ db, now: () => new Date(at(0)), adoptedAt: context.adoptedAt });
  await shop.check();
  expect(await standing('order-w')).toEqual(['paid', 'refund_unlinked']);
  expect(await shop.breaksOf('payoutType=goodwill')).toEqual(['contract_violation']);
  const payoutWords = { ...defaultPayoutWords, withdrawal: [...defaultPayoutWords.withdrawal, 'goodwill'] };
  await rederiveReleases({ db, now: () => new Date(at(0)), adoptedAt: context.adoptedAt, payoutWords });
  expect(await standing('order-w')).toEqual(['paid', 'proven']);
  const changes = await changesOf(db, { kind: 'order', id: 'order-w' });
  expect(changes.findLast(({ field }) => field === 'release')).toMatchObject({ source: { type: 'contract' } });
  await shop.check(payoutWords);
  expect(await shop.breaksOf('payoutType=goodwill')).toEqual([]);
  const asRefund = { ...defaultPayoutWords, refund: [...defaultPayoutWords.refund, 'goodwill'] };
  await rederiveReleases({ db, now: () => new Date(at(0)), adoptedAt: context.adoptedAt, payoutWords: asRefund });
  await shop.check(asRefund);
  expect(await standing('order-w')).toEqual(['paid', 'refund_unlinked']);
  expect(await shop.breaksOf('po-w2')).toEqual(['refund_without_order']);
});

test('words in another order than they were said, or taken away, are named', async () => {
  const { db } = database;
  await paid('said');
  await refund('po-said', { merchantReference: 'order-said' });
  for (const payment of ['said', null])
    await db.transaction(async (trx) => {
      const given = { payoutId: 'po-said', paymentIntentId: payment, note: 'asked', actor: 'Ada' };
      await assignRefund(trx, given, { adoptedAt: context.adoptedAt });
      const about = { actor: 'Ada', action: 'assign refund', target: 'payout po-said', reason: 'asked' };
      await recordAction(trx, { ...about, outcome: 'done', details: {} });
    });
  const named = async (...changed: string[]) => {
    const trx = await db.transaction();
    await trx.raw('SET LOCAL session_replication_role = replica');
    for (const one of changed) await trx.raw(one);
    const found = await bookFindings(trx);
    await trx.rollback();
    return found.filter((told) => told.startsWith('action_missing')).map((told) => told.replace(/\d+/, 'N'));
  };
  expect(await named()).toEqual([]);
  const first = "id = (SELECT min(id) FROM refund_assignments WHERE payout_id = 'po-said')";
  const moved = `UPDATE refund_assignments SET id = id + 100 WHERE ${first}`;
  const misplaced = 'action_missing: row N of refund_assignments has no action that it came with';
  expect(await named('ALTER TABLE refund_assignments ALTER COLUMN id DROP IDENTITY', moved)).toEqual([
    misplaced,
    misplaced,
  ]);
  expect(await named(`DELETE FROM refund_assignments WHERE payout_id = 'po-said' AND NOT ${first}`)).toEqual([
    'action_missing: what action N said is not there',
  ]);
});
