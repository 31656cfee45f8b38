import { describe, expect, it, vi } from 'vitest';
import { openDatabase } from '../../src/records/database.js';
import { createServiceRate, RateWaitError } from '../../src/records/service-rate.js';
import { useDatabase } from '../support/database.js';

const database = useDatabase();

describe('the rate of outgoing calls', () => {
  it('is one for all processes, evenly spaced', async () => {
    const other = openDatabase(database.url);
    const perSecond = 50;
    const rates = [database.db, other].map((db) => createServiceRate(db, { perSecond, name: 'shared' }));
    const turns: number[] = [];
    const start = performance.now();
    await Promise.all(
      Array.from({ length: 30 }, async (_, i) => {
        await rates[i % 2]?.();
        turns.push(performance.now());
      }),
    );
    await other.destroy();
    turns.sort((a, b) => a - b);
    expect(turns).toHaveLength(30);
    // A busy machine may make any of them late, but none may be early.
    for (const [i, turn] of turns.entries()) expect(turn - start).toBeGreaterThanOrEqual((i * 1_000) / perSecond - 2);
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
    const reason = new Error('enough');
    await expect(rate(AbortSignal.abort(reason))).rejects.toBe(reason);
    await rate();
    const stop = new AbortController();
    const start = performance.now();
    const waiting = rate(stop.signal);
    const ended = expect(waiting).rejects.toBe(reason);
    await vi.waitFor(async () => {
      const { rows } = await database.db.raw(
        `SELECT next_at > clock_timestamp() + interval '12 s' AS reserved FROM service_rate WHERE name = 'abort'`,
      );
      expect(rows).toEqual([{ reserved: true }]);
    });
    // The answer to the reservation is on its way: a turn of the event loop after another it has come.
    setTimeout(() => stop.abort(reason), 50);
    await ended;
    expect(performance.now() - start).toBeLessThan(8_000);
  });
});
