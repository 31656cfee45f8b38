import { expect, test } from 'vitest';
import {
  endRefreshRequests,
  postponeRefreshRequests,
  requestRefresh,
  waitingRefreshRequests,
} from '../../src/records/runs/refresh-requests.js';
import { dueRequests } from '../../src/records/runs/settle-requests.js';
import { useDatabase } from '../support/database.js';
import { at, poll, report } from '../support/observations.js';
import { intent, payin } from '../support/records.js';
import { save } from '../support/saved.js';

const database = useDatabase();

async function dueIds(kind: 'payment_intent' | 'payin'): Promise<string[]> {
  return (await dueRequests(database.db, kind, 100)).map((mark) => mark.id);
}

async function secondsToDue(id: string): Promise<number> {
  const row = await database
    .db('reading_marks')
    .where({ id })
    .first(database.db.raw('extract(epoch FROM next_at - now()) AS s'));
  return Math.round(Number(row.s));
}

test('a marked record is due at once, once, and until it is put off', async () => {
  const marks = ['b', 'a', 'b', 'c\0'].map((id) => ({ kind: 'payment_intent' as const, id, reason: 'mention' }));
  await requestRefresh(database.db, marks);
  expect((await dueIds('payment_intent')).sort()).toEqual(['a', 'b', 'c\0']);
  expect(await dueIds('payin')).toEqual([]);
  expect(await dueRequests(database.db, 'payment_intent', 2)).toHaveLength(2);

  await postponeRefreshRequests(database.db, 'payment_intent', ['a', 'c\0', 'unknown'], 10_000);
  expect(await dueRequests(database.db, 'payment_intent', 9)).toEqual([
    { id: 'b', reason: 'mention', attempts: 0, askedAt: 0, lane: 'poll', secret: '' },
  ]);
});

test('each attempt doubles the delay, up to an hour; asking again makes it due', async () => {
  await requestRefresh(database.db, [{ kind: 'payin', id: 'd', reason: 'x' }]);
  const delays: number[] = [];
  for (let attempt = 0; attempt < 12; attempt++) {
    await postponeRefreshRequests(database.db, 'payin', ['d'], 10_000);
    delays.push(await secondsToDue('d'));
  }
  expect(delays).toEqual([10, 20, 40, 80, 160, 320, 640, 1280, 2560, 3600, 3600, 3600]);
  await requestRefresh(database.db, [{ kind: 'payin', id: 'd', reason: 'y' }]);
  expect(await dueRequests(database.db, 'payin', 9)).toMatchObject([{ id: 'd', reason: 'y', attempts: 12 }]);
});

test('a reading that began before the moment asked about does not settle the mark', async () => {
  await requestRefresh(database.db, [{ kind: 'payment_intent', id: 'e', reason: 'late retry', askedAt: at(20) }]);
  await save(database, [poll('payment_intent', intent('e'), 10)]);
  expect(await dueIds('payment_intent')).toContain('e');
  await save(database, [poll('payment_intent', intent('e'), 21)]);
  expect(await dueIds('payment_intent')).not.toContain('e');
});

test('a reading that is older than the claim puts the record off instead of asking in a tight loop', async () => {
  await save(database, [report('payment_intent', 'f', intent('f', { status: 'completed' }), 30)]);
  await save(database, [poll('payment_intent', intent('f'), 10)]);
  await save(database, [poll('payment_intent', intent('f'), 11)]);
  const [mark] = await database.db('reading_marks').where({ id: 'f' });
  expect(mark).toMatchObject({ reason: 'claimed', attempts: 2 });
  expect(await dueIds('payment_intent')).not.toContain('f');
});

test('a payin is read again until its state and its compliance result are final', async () => {
  const created = { createdAt: '2026-03-01T00:59:00Z' };
  await save(database, [poll('payin', payin('g', 'ig', { ...created, status: 'confirming', kytStatus: null }), 0)]);
  expect(await secondsToDue('g')).toBe(30);
  await save(database, [poll('payin', payin('g', 'ig', { ...created, status: 'confirming', kytStatus: null }), 40)]);
  expect(await secondsToDue('g')).toBe(60);
  await save(database, [poll('payin', payin('g', 'ig', { ...created, kytStatus: 'in review' }), 80)]);
  expect(await database.db('reading_marks').where({ id: 'g' })).toHaveLength(1);
  await save(database, [poll('payin', payin('g', 'ig', { ...created, kytStatus: 'Rejected' }), 99)]);
  expect(await database.db('reading_marks').where({ id: 'g' })).toEqual([]);
});

test('a confirmed payin without a compliance result is polled once more, ten minutes after it came', async () => {
  // Of an account that has shown such a result, one without waits for it.
  await database.db('watermarks').where({ kind: 'account', name: 'kyt' }).delete();
  const young = payin('h', 'ih', { createdAt: '2026-03-01T00:58:00Z', kytStatus: null });
  await save(database, [poll('payin', young, 0)]);
  expect(await secondsToDue('h')).toBe(480);
  await save(database, [poll('payin', young, 9)], { now: new Date('2026-03-01T01:09:00Z') });
  expect(await database.db('reading_marks').where({ id: 'h' })).toMatchObject([{ lane: 'recheck' }]);
});

test('a payin that names a payment that is not known asks for that payment', async () => {
  await save(database, [poll('payin', payin('i', 'unknown-intent'), 0)]);
  expect(await dueIds('payment_intent')).toContain('unknown-intent');
});

test('payins of payments that were over before adoption are not asked for', async () => {
  const old = { createdAt: '2025-06-01T00:00:00Z', payins: [{ id: 'old-payin', status: 'confirmed' }] };
  await save(database, [poll('payment_intent', intent('j', { ...old, status: 'completed' }), 0)]);
  expect(await dueIds('payin')).not.toContain('old-payin');
  await save(database, [poll('payment_intent', intent('k', { ...old, status: 'confirming' }), 0)]);
  expect(await dueIds('payin')).toContain('old-payin');
});

test('those who mark and those who settle the same records in other orders never deadlock', async () => {
  const ids = Array.from({ length: 40 }, (_, index) => `m${index}`);
  const rounds = Array.from({ length: 25 }, (_, round) => round);
  const mark = async (): Promise<void> => {
    for (const _ of rounds) {
      const marks = ids.toReversed().map((id) => ({ kind: 'payin' as const, id, reason: 'x' }));
      await database.db.transaction((trx) => requestRefresh(trx, marks));
    }
  };
  const settle = async (): Promise<void> => {
    for (const round of rounds)
      await save(
        database,
        ids.map((id) => poll('payin', payin(id, ''), round)),
      );
  };
  await Promise.all([mark(), settle(), mark()]);
});

test('what was only named and never shown is polled a bounded number of times; a record that is held, for ever', async () => {
  const named = (id: string) => ({ kind: 'payment_intent' as const, id, reason: 'expired_event' });
  await save(database, [report('payment_intent', 'held', intent('held', { status: 'completed' }), 30)]);
  await requestRefresh(database.db, [named('never'), named('held'), { ...named('asked'), reason: 'mention' }]);
  for (let attempt = 0; attempt < 30; attempt++) {
    await postponeRefreshRequests(database.db, 'payment_intent', ['never', 'held', 'asked'], 1);
    const left = await database.db('reading_marks').where({ id: 'never' });
    expect(left.length).toBe(attempt < 25 ? 1 : 0);
  }
  expect(await database.db('reading_marks').whereIn('id', ['held', 'asked'])).toHaveLength(2);
});

test('a mark that was asked anew since it was met does not end with it', async () => {
  const asked = (id: string, askedAt: number) => ({ kind: 'transaction' as const, id, reason: 'mention', askedAt });
  await requestRefresh(database.db, [asked('anew', 5), asked('as-met', 5)]);
  const met = await waitingRefreshRequests(database.db, 'transaction', { olderThanMs: 0, limit: 9 });
  expect(met).toMatchObject([
    { id: 'anew', askedAt: 5 },
    { id: 'as-met', askedAt: 5 },
  ]);
  await requestRefresh(database.db, [asked('anew', 6)]);
  await endRefreshRequests(database.db, 'transaction', met);
  expect(await database.db('reading_marks').where({ kind: 'transaction' }).pluck('id')).toEqual(['anew']);
});
