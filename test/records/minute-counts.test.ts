import { beforeAll, describe, expect, it } from 'vitest';
import { minuteCounts } from '../../src/records/inbox/minute-counts.js';
import { forgedSince, rejectedSince, saveRejections } from '../../src/records/inbox/rejections.js';
import { createTestDatabase, useDatabase } from '../support/database.js';

/** `TALLYHOOK_LONG`: as many as an installation of a year holds. */
const EVENTS = process.env['TALLYHOOK_LONG'] ? 1_000_000 : 20_000;
const NOW = new Date('2026-11-21T12:00:30Z');

const store = useDatabase();
beforeAll(async () => {
  // One event every 3 s up to now: 20 in each minute but the last, which has begun only.
  await store.db.raw(
    `INSERT INTO inbox (key, key_type, content_hash, event_type, event_timestamp, status, source, body, received_at)
     SELECT 'k' || n, 'id', 'h' || n, 'payment_intent.completed', 0,
            CASE n % 20 WHEN 1 THEN 'received' WHEN 2 THEN 'dead' ELSE 'applied' END, 'webhook', repeat('x', 600)::bytea,
            ?::timestamptz - (?::integer - n) * interval '3 seconds'
     FROM generate_series(1, ?::integer) AS n`,
    [NOW, EVENTS, EVENTS],
  );
  await store.db.raw(
    `INSERT INTO rejection_counts (hour, reason, count)
     SELECT date_trunc('minute', ?::timestamptz) - n * interval '1 hour', reason, 50
     FROM generate_series(40, 0, -1) AS n, unnest(ARRAY['invalid_signature', 'too_large']) AS reason`,
    [NOW],
  );
  await store.db.raw('ANALYZE inbox');
}, 240_000);

describe('counts per minute', () => {
  it('show every minute, also an empty one, by what became of the events', async () => {
    const minutes = await minuteCounts(store.db, NOW, 60);
    expect(minutes).toHaveLength(60);
    expect(minutes[0]?.minute).toEqual(new Date('2026-11-21T11:01:00Z'));
    for (const { applied, waiting, notApplied } of minutes.slice(0, -1))
      expect([applied, waiting, notApplied]).toEqual([18, 1, 1]);
    const last = minutes.at(-1);
    expect([last?.applied, last?.waiting, last?.notApplied, last?.rejected]).toEqual([11, 0, 0, 100]);
    expect(minutes.reduce((sum, { rejected }) => sum + rejected, 0)).toBe(100);
    const later = await minuteCounts(store.db, new Date(NOW.getTime() + 3_600_000), 60);
    expect(later.every(({ applied, rejected }) => applied === 0 && rejected === 0)).toBe(true);
  });

  it('are shown of an empty inbox', async () => {
    const empty = await createTestDatabase();
    expect((await minuteCounts(empty.db, NOW, 5)).map(({ applied, rejected }) => applied + rejected)).toEqual([
      0, 0, 0, 0, 0,
    ]);
    await empty.drop();
  });

  it('read the rows of their hour alone', async () => {
    const times: number[] = [];
    for (let round = 0; round < 5; round++) {
      const begun = performance.now();
      await minuteCounts(store.db, NOW, 60);
      times.push(performance.now() - begun);
    }
    expect(Math.min(...times)).toBeLessThan(100);
  });
});

it('rejections last since the first of those between which no hour was without one, and are all counted', async () => {
  const { db } = store;
  await db('rejection_counts').delete();
  const now = Math.floor(Date.now() / 60_000) * 60_000;
  const at = (minutesAgo: number, reason: string, count: number, likeService = 0) => ({
    minute: new Date(now - minutesAgo * 60_000),
    reason,
    count,
    likeService,
  });
  await saveRejections(
    db,
    [],
    [
      at(200, 'invalid_signature', 900, 900),
      at(130, 'invalid_signature', 7),
      at(75, 'invalid_signature', 8, 8),
      at(30, 'invalid_signature', 40, 30),
      at(0, 'invalid_signature', 2),
      at(90, 'missing_signature', 5),
    ],
  );
  const since = new Date(now - 3_600_000);
  const [found, ...others] = await rejectedSince(db, since, new Date());
  expect(others).toEqual([]);
  expect(found).toMatchObject({ reason: 'invalid_signature', count: 42, likeService: 30 });
  expect(Math.floor((found?.oldestSeconds ?? 0) / 60)).toBeGreaterThanOrEqual(130);
  expect(Math.floor((found?.oldestSeconds ?? 0) / 60)).toBeLessThan(140);
  expect(await forgedSince(db, since)).toBe(30);
});
