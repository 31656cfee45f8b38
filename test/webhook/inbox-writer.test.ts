import { createHash } from 'node:crypto';
import type { Knex } from 'knex';
import { beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { openDatabase } from '../../src/records/database.js';
import { type Arrival, storeArrivals } from '../../src/records/inbox/inbox.js';
import { OverloadedError } from '../../src/webhook/batcher.js';
import { createInboxWriter } from '../../src/webhook/inbox-writer.js';
import { useDatabase } from '../support/database.js';

const database = useDatabase();
let db: Knex;
beforeAll(async () => {
  db = database.db;
});
beforeEach(async () => {
  await db.raw('TRUNCATE inbox CASCADE');
});

function arrival(name: string, changes: Partial<Arrival> = {}): Arrival {
  const hash = createHash('sha256').update(name).digest('hex');
  const body = Buffer.from(JSON.stringify({ event: 'payment_intent.completed', timestamp: 1, data: { id: name } }));
  return {
    key: `fp:${hash}`,
    keyType: 'fingerprint',
    eventId: null,
    contentHash: hash,
    eventType: 'payment_intent.completed',
    timestamp: 1,
    source: 'webhook',
    secretLabel: 'live',
    body,
    ...changes,
  };
}

const arrivalsByKey = async () =>
  new Map<string, number>((await db('inbox').select('key', 'arrivals')).map((row) => [row.key, row.arrivals]));

test('two receivers with the same events in different orders never deadlock, lose or double one', async () => {
  const others = openDatabase(database.url);
  const announced: string[] = [];
  const writers = [db, others].map((pool) =>
    createInboxWriter({ db: pool, onStored: (ids) => void announced.push(...ids) }),
  );
  const events = Array.from({ length: 200 }, (_, i) => arrival(`e${i}`));
  const rounds = 10;
  const answers = await Promise.all(
    writers.flatMap((writer) =>
      Array.from({ length: rounds }, () => Promise.all(shuffled(events).map((event) => writer.store(event)))),
    ),
  );
  const stored = answers.flat();
  expect(stored).toHaveLength(200 * 2 * rounds);
  expect(stored.filter(({ duplicate }) => !duplicate)).toHaveLength(200);
  const counts = await arrivalsByKey();
  expect(counts.size).toBe(200);
  expect(new Set(counts.values())).toEqual(new Set([2 * rounds]));
  const [evidence] = await db('inbox_arrivals').sum('arrivals as sum');
  expect(Number(evidence?.['sum'])).toBe(200 * 2 * rounds);
  const { rows } = await db.raw('SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()');
  expect(rows).toEqual([{ deadlocks: '0' }]);
  await Promise.all(writers.map((writer) => writer.close()));
  expect(new Set(announced).size).toBe(200);
  await others.destroy();
});

function shuffled<T>(items: readonly T[]): T[] {
  return items
    .map((item) => ({ item, at: Math.random() }))
    .toSorted((a, b) => a.at - b.at)
    .map(({ item }) => item);
}

test('a duplicate wakes a row that is not applied, and no other', async () => {
  const names = ['received', 'failed', 'applied', 'unhandled', 'dead'];
  const events = names.map((name) => arrival(name));
  const ids = (await storeArrivals(db, events)).map(({ id }) => id);
  for (const [i, status] of names.entries()) {
    await db('inbox').where({ id: ids[i] }).update({ status, next_attempt_at: '2100-01-01' });
  }
  const announced: string[] = [];
  const writer = createInboxWriter({ db, onStored: (woken) => void announced.push(...woken) });
  await Promise.all(events.map((event) => writer.store(event)));
  await writer.close();
  await vi.waitFor(() => expect(announced.toSorted()).toEqual(ids.slice(0, 2).toSorted()));
  const due = await db('inbox').where('next_attempt_at', '<=', db.fn.now()).orderBy('id').pluck('id');
  expect(due).toEqual(ids.slice(0, 2));
});

test('whoever works on a row delays its duplicates, and nothing else', async () => {
  const [held] = await storeArrivals(db, [arrival('held')]);
  const writer = createInboxWriter({ db, onStored: () => {} });
  const worker = await db.transaction();
  await worker('inbox').where({ id: held?.id }).forUpdate();
  const repeat = writer.store(arrival('held'));
  expect(await writer.store(arrival('new'))).toMatchObject({ duplicate: false });
  await worker.commit();
  expect(await repeat).toEqual({ id: held?.id, duplicate: true, open: true });
});

test('one bad event does not fail its neighbours; one that jsonb refuses is stored by its bytes', async () => {
  const writer = createInboxWriter({ db, onStored: () => {} });
  const odd = Buffer.from('{"n":1e999999}');
  const outcomes = await Promise.allSettled([
    writer.store(arrival('a')),
    writer.store(arrival('odd', { body: odd })),
    writer.store(arrival('bad', { keyType: 'nonsense' as 'id' })),
    writer.store(arrival('b')),
  ]);
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'fulfilled']);
  expect(
    await db('inbox')
      .where({ key: arrival('odd').key })
      .first(),
  ).toMatchObject({ body: odd });
});

describe('under load', () => {
  test('many arrivals share few commits', async () => {
    let statements = 0;
    const counting = countingStatements(db, () => {
      statements += 1;
    });
    const writer = createInboxWriter({ db: counting, onStored: () => {} });
    await Promise.all(Array.from({ length: 1_000 }, (_, i) => writer.store(arrival(`n${i}`))));
    expect((await arrivalsByKey()).size).toBe(1_000);
    expect(statements).toBeLessThan(20);
  });

  test('beyond what may wait, an arrival is refused at once', async () => {
    const stuck = openDatabase('postgres://nobody:x@127.0.0.1:1/none');
    const writer = createInboxWriter({ db: stuck, onStored: () => {} });
    const outcomes = await Promise.allSettled(
      Array.from({ length: 10_050 }, (_, i) => writer.store(arrival(`n${i % 7}`))),
    );
    const reasons = outcomes.map((outcome) => (outcome.status === 'rejected' ? outcome.reason : null));
    expect(reasons.every((reason) => reason instanceof Error)).toBe(true);
    expect(reasons.filter((reason) => reason instanceof OverloadedError)).toHaveLength(50);
    await stuck.destroy();
  });
});

/** The same pool, reporting each connection that is taken. */
function countingStatements(pool: Knex, count: () => void): Knex {
  const client = {
    acquireConnection: () => {
      count();
      return pool.client.acquireConnection();
    },
    releaseConnection: (connection: unknown) => pool.client.releaseConnection(connection),
  };
  return { client } as unknown as Knex;
}

test('recovered deliveries are stored the same way, without a secret', async () => {
  const recovered = arrival('a', { source: 'delivery_history', secretLabel: null });
  const stored = await storeArrivals(db, [recovered, arrival('b'), recovered]);
  expect(stored.map(({ duplicate }) => duplicate)).toEqual([false, false, true]);
  expect(stored[2]?.id).toBe(stored[0]?.id);
  const evidence = await db('inbox_arrivals').select('inbox_id', 'secret_label', 'arrivals');
  expect(evidence).toEqual([{ inbox_id: stored[1]?.id, secret_label: 'live', arrivals: 1 }]);
});
