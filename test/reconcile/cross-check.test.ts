import { expect, test } from 'vitest';
import type { JsonObject } from '../../src/domain/json.js';
import { createLog } from '../../src/log.js';
import { crossCheck } from '../../src/reconcile/cross-check/cross-check.js';
import { goOn } from '../../src/reconcile/cross-check/go-round.js';
import { forgetIdentity } from '../../src/records/breaks/check-progress.js';
import { decideBreak } from '../../src/records/breaks/decide-breaks.js';
import { createTestDatabase } from '../support/database.js';
import { at, poll, report } from '../support/observations.js';
import { intent, invoice, paidIntent, payin, payout } from '../support/records.js';
import { context, save } from '../support/saved.js';
import { HOUR, useCheckedShop } from './checked-shop.js';

const shop = useCheckedShop();
const { database } = shop;

test('what is open and not read for a day is stale; a reading ends it, though it shows nothing new', async () => {
  const open = (second: number) => poll('payment_intent', intent('s1', { expiresAt: null }), second);
  await save(database, [open(HOUR)]);
  await shop.check();
  await shop.later(20 * HOUR);
  await save(database, [open(10 * HOUR)]);
  await shop.later(10 * HOUR);
  expect(await shop.breaksOf('s1')).toEqual([]);
  await shop.later(5 * HOUR);
  // Nothing was read meanwhile, so it is no record's doing.
  expect(await shop.breaksOf('s1')).toEqual([]);
  await shop.ran(34 * HOUR);
  await shop.later(HOUR);
  expect(await shop.breakOf('s1', 'stale_record')).toMatchObject({
    status: 'open',
    evidence: { reason: 'not_read', readAt: new Date(at(10 * HOUR)).toISOString() },
  });
  await save(database, [open(37 * HOUR)]);
  await shop.later(HOUR);
  expect(await shop.breaksOf('s1')).toEqual([]);
  await save(database, [report('payment_intent', 's1', { status: 'confirming' }, 38 * HOUR)]);
  await shop.ran(60 * HOUR);
  await shop.later(25 * HOUR);
  expect(await shop.breaksOf('s1')).toEqual(['stale_record']);
});

test('a stale record whose break a person closed is another case once it was read and passed by again', async () => {
  const open = (second: number) => poll('payment_intent', intent('s2', { expiresAt: null }), second);
  await save(database, [open(HOUR)]);
  await shop.check();
  await shop.ran(34 * HOUR);
  await shop.later(35 * HOUR);
  const first = await shop.breakOf('s2', 'stale_record');
  await decideBreak(database.db, first?.id ?? '', 'resolve', { actor: 'Ada', note: 'read by hand' });
  await shop.later(HOUR);
  expect(await shop.breaksOf('s2')).toEqual([]);
  await save(database, [open(37 * HOUR)]);
  await shop.later(HOUR);
  await shop.ran(70 * HOUR);
  await shop.later(34 * HOUR);
  expect(await shop.breaksOf('s2')).toEqual(['stale_record']);
});

test('what adds up for twenty payments in a row is an identity of the account; then what does not is a break', async () => {
  const many = Array.from({ length: 20 }, (_, index) => `f${index}`);
  const odd = { amountNetMerchant: '25' };
  await save(database, [poll('payment_intent', paidIntent('odd1', 'podd1', odd), 10)]);
  await shop.check();
  expect(await shop.breaksOf('odd1')).toEqual([]);
  await save(
    database,
    many.map((id) => poll('payment_intent', paidIntent(id, `p${id}`), 10)),
  );
  await shop.check();
  await save(database, [poll('payment_intent', paidIntent('odd2', 'podd2', odd), 20)]);
  await shop.check();
  expect(await shop.breakOf('odd2', 'fee_identity')).toMatchObject({
    status: 'open',
    evidence: { 'amountNetMerchant (intent_net)': { ours: '25.839', theirs: '25' } },
  });
  expect(await shop.breaksOf('odd1')).toEqual([]);
  const old = { ...odd, createdAt: '2025-05-01T00:00:00Z' };
  await save(database, [poll('payment_intent', paidIntent('odd3', 'podd3', old), 20)]);
  await shop.check();
  expect(await shop.breaksOf('odd3')).toEqual([]);
  // The service changed its fees for good: what a person makes it forget is proven anew first.
  expect(await database.db.transaction((trx) => forgetIdentity(trx, 'intent_net'))).toBe(true);
  await save(database, [poll('payment_intent', paidIntent('odd4', 'podd4', odd), 30)]);
  await shop.check();
  expect(await shop.breaksOf('odd4')).toEqual([]);
  expect(await shop.breaksOf('odd2')).toEqual(['fee_identity']);
});

test('history that does not change is never a break; what happens to it since is', async () => {
  const old = { createdAt: '2025-05-01T00:00:00Z' };
  const refund = (id: string, fields: JsonObject) =>
    payout(id, { paymentIntentId: 'h1', status: 'confirmed', ...fields });
  await save(database, [
    poll('payment_intent', paidIntent('h1', 'ph1', old), 10),
    poll('payout', refund('h1a', { ...old, amount: '26' }), 10),
    poll('payin', payin('ph1', 'h1', { ...old, kytStatus: 'blocked' }), 10),
    poll('invoice', invoice('h2', { ...old, status: 'paid', paymentIntentId: null }), 10),
  ]);
  await shop.later(2 * HOUR);
  for (const id of ['h1', 'ph1', 'h2']) expect(await shop.breaksOf(id)).toEqual([]);
  await save(database, [poll('payout', refund('h1b', { amount: '0.1' }), 20)]);
  await shop.check();
  expect(await shop.breaksOf('h1')).toEqual(['refund_exceeds_net']);
  await save(database, [poll('payin', payin('ph1', 'h1', { ...old, kytStatus: 'under review' }), 3 * HOUR)]);
  await shop.check();
  expect(await shop.breaksOf('ph1')).toEqual([]);
  await shop.later(2 * HOUR);
  expect(await shop.breaksOf('ph1')).toEqual(['kyt_hold']);
});

test('what a person closed is not opened again for the same, but for something new', async () => {
  const refund = (amount: string, second: number) =>
    save(database, [poll('payout', payout('c1a', { paymentIntentId: 'c1', amount, status: 'confirmed' }), second)]);
  await save(database, [poll('payment_intent', paidIntent('c1', 'pc1'), 10)]);
  await refund('26', 10);
  await shop.check();
  const first = await shop.breakOf('c1', 'refund_exceeds_net');
  await decideBreak(database.db, first?.id ?? '', 'write_off', { actor: 'Ada', note: 'goodwill' });
  await save(database, [poll('payment_intent', paidIntent('c1', 'pc1', { returnUrl: null }), 20)]);
  await shop.check();
  await goOn(
    { db: database.db, log: createLog('silent'), now: () => new Date(at(HOUR)), adoptedAt: context.adoptedAt },
    'payment-intents',
  );
  expect(await shop.breaksOf('c1')).toEqual([]);
  await refund('27', 30);
  await shop.check();
  expect(await shop.breaksOf('c1')).toEqual(['refund_exceeds_net']);
});

test('two at once open one break, and the same again changes nothing', async () => {
  await shop.register('order-t1', '20.00');
  await save(database, [poll('payment_intent', paidIntent('t1', 'pt1'), 10)]);
  const reports = await Promise.all([shop.check(), shop.check(), shop.check()]);
  expect(reports.reduce((sum, { opened }) => sum + opened, 0)).toBe(1);
  expect(await shop.breaksOf('order-t1')).toEqual(['order_overpaid']);
  const before = await database.db('break_steps').count();
  expect(await shop.check()).toEqual({ checked: 0, opened: 0, resolved: 0 });
  expect(await database.db('break_steps').count()).toEqual(before);
});

test('where nothing changed nothing is scanned, and where little did, little is', async () => {
  const other = await createTestDatabase();
  try {
    const many = Array.from({ length: 500 }, (_, index) => `e${index}`);
    await save(
      other,
      many.flatMap((id) => [
        poll('payment_intent', paidIntent(id, `p${id}`), 10),
        poll('payin', payin(`p${id}`, id), 10),
        poll('payment_intent', intent(`open-${id}`), 10),
      ]),
    );
    const once = () =>
      crossCheck({
        db: other.db,
        log: createLog('silent'),
        now: () => new Date(at(HOUR)),
        adoptedAt: context.adoptedAt,
      });
    await once();
    await other.db.raw('ANALYZE');
    const scans = async () => {
      await other.db.raw('SELECT pg_stat_force_next_flush()');
      const { rows } = await other.db.raw<{ rows: { name: string; scans: string }[] }>(
        `SELECT relname AS name, seq_scan AS scans FROM pg_stat_user_tables
         WHERE relname IN ('changes', 'payment_intents', 'payins', 'orders', 'check_agenda') ORDER BY relname`,
      );
      return rows;
    };
    await other.db.raw('SELECT pg_stat_force_next_flush()');
    const before = await scans();
    expect(await once()).toEqual({ checked: 0, opened: 0, resolved: 0 });
    expect(await scans()).toEqual(before);
    await save(other, [poll('payment_intent', paidIntent('e7', 'pe7', { returnUrl: null }), 20)]);
    const saved = await scans();
    expect(await once()).toMatchObject({ checked: 1 });
    expect(await scans()).toEqual(saved);
  } finally {
    await other.drop();
  }
});
