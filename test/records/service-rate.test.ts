import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openDatabase } from '../../src/records/database.js';
import { createServiceRate, RateWaitError } from '../../src/records/service-rate.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

describe('the rate of outgoing calls', () => {
  it('is one for all processes, evenly spaced', async () => {
    const other = openDatabase(database.url);
    const perSecond = 50;
    const rates = [database.db, other].map((db) => createServiceRate(db, { perSecond, name: 'shared' }));
    const turns: number[] = [];
    await Promise.all(
      Array.from({ length: 30 }, async (_, i) => {
        await rates[i % 2]?.();
        turns.push(performance.now());
      }),
    );
    await other.destroy();
    turns.sort((a, b) => a - b);
    expect(turns).toHaveLength(30);
    expect(turns[29]! - turns[0]!).toBeGreaterThanOrEqual((29 * 1_000) / perSecond - 15);
    for (let i = 5; i < 30; i++) expect(turns[i]! - turns[i - 5]!).toBeGreaterThanOrEqual(100 - 30);
  });

  it('saves up nothing while idle', async () => {
    const rate = createServiceRate(database.db, { perSecond: 20, name: 'idle' });
    await rate();
    await database
      .db('service_rate')
      .where({ name: 'idle' })
      .update({ next_at: new Date(0) });
    const start = performance.now();
    await rate();
    await rate();
    await rate();
    expect(performance.now() - start).toBeGreaterThanOrEqual(95);
  });

  it('refuses a call whose turn is too far off, and reserves nothing for it', async () => {
    const rate = createServiceRate(database.db, { perSecond: 1, name: 'long', longestWaitMs: 1_500 });
    const waiting = [rate(), rate()];
    await Promise.all(waiting);
    const more = await Promise.allSettled([rate(), rate(), rate(), rate()]);
    const refused = more.filter((end) => end.status === 'rejected' && end.reason instanceof RateWaitError);
    expect(refused).toHaveLength(3);
  });

  it('does not wait for a turn that a slower rate left behind', async () => {
    await createServiceRate(database.db, { perSecond: 1 / 3_600, name: 'slow' })();
    const start = performance.now();
    await createServiceRate(database.db, { perSecond: 20, name: 'slow' })();
    expect(performance.now() - start).toBeLessThan(5_000);
  });

  it('ends with the reason of an abort, before and while it waits', async () => {
    const rate = createServiceRate(database.db, { perSecond: 0.1, name: 'abort' });
    await rate();
    const stop = new AbortController();
    const waiting = rate(stop.signal);
    const reason = new Error('enough');
    stop.abort(reason);
    await expect(waiting).rejects.toThrow(/enough|abort/i);
    await expect(rate(AbortSignal.abort(reason))).rejects.toBe(reason);
  });
});
