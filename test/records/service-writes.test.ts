import { beforeEach, describe, expect, it } from 'vitest';
import { countUnsettledWrites, createServiceWriteLog } from '../../src/records/service-writes.js';
import { type KeyStore, MemoryKeyStore, type NotedWrite } from '../../src/service-api/key-store.js';
import { useDatabase } from '../support/database.js';

const LIMITS = { leaseMs: 60_000, withinMs: 480_000 };
/** The lease has run out at once. */
const UNLEASED = { ...LIMITS, leaseMs: 0 };
const KEYED = ['createPayout', 'createTransfer'] as const;
const WRITE: NotedWrite = { operation: 'createPayout', key: 'k-1', hash: 'h-1', request: '{"body":"{}"}' };

const database = useDatabase();
let elapsed = 0;

interface Bench {
  store: KeyStore;
  /** Lets time pass for all that is stored. */
  pass(ms: number): Promise<void>;
}

const benches: Record<string, () => Promise<Bench>> = {
  'in memory': async () => {
    elapsed = 1;
    return {
      store: new MemoryKeyStore(() => elapsed),
      pass: async (ms) => void (elapsed += ms),
    };
  },
  'in the database': async () => {
    await database.db('service_writes').delete();
    return {
      store: createServiceWriteLog(database.db),
      pass: async (ms) => {
        await database.db.raw(
          `UPDATE service_writes SET begun_at = begun_at - make_interval(secs => :s), leased_until = leased_until - make_interval(secs => :s)`,
          { s: ms / 1_000 },
        );
      },
    };
  },
};

describe.each(Object.entries(benches))('keys kept %s', (_, open) => {
  let bench: Bench;
  let store: KeyStore;
  beforeEach(async () => {
    bench = await open();
    store = bench.store;
  });

  it('are begun once, and known when they are used again', async () => {
    expect(await store.begin(WRITE, LIMITS)).toEqual({ ok: true, again: false, age: 0 });
    await bench.pass(5_000);
    const again = await store.begin(WRITE, LIMITS);
    expect(again).toMatchObject({ ok: true, again: true });
    expect(again.ok && again.age).toBeGreaterThanOrEqual(5_000);
    expect(await store.begin({ ...WRITE, operation: 'createTransfer' }, LIMITS)).toMatchObject({ again: false });
  });

  it('belong to one request', async () => {
    await store.begin(WRITE, LIMITS);
    await store.end(WRITE, 'done', 'po_1');
    expect(await store.begin({ ...WRITE, hash: 'h-2' }, LIMITS)).toEqual({
      ok: false,
      reason: 'other_request',
      objectId: 'po_1',
    });
  });

  it.each(['done', 'unknown', 'lost'] as const)('are never used again later, once %s', async (outcome) => {
    await store.begin(WRITE, LIMITS);
    await store.end(WRITE, outcome, outcome === 'done' ? 'po_1' : null);
    await bench.pass(LIMITS.withinMs - 1_000);
    expect(await store.begin(WRITE, UNLEASED)).toMatchObject({ ok: true, again: true });
    await bench.pass(2_000);
    expect(await store.begin(WRITE, LIMITS)).toMatchObject({ ok: false, reason: 'expired' });
  });

  it.each(['refused', 'unsent'] as const)('are free again, once %s', async (outcome) => {
    await store.begin(WRITE, LIMITS);
    await store.end(WRITE, outcome, null);
    await bench.pass(2 * LIMITS.withinMs);
    const begun = await store.begin({ ...WRITE, hash: 'h-2' }, LIMITS);
    expect(begun).toEqual({ ok: true, again: false, age: 0 });
  });

  it('are settled by one, after the call that used them can’t be under way any more', async () => {
    await store.begin(WRITE, LIMITS);
    expect(await store.claim(KEYED, LIMITS)).toBeNull();
    await bench.pass(LIMITS.leaseMs + 1);
    const claimed = await Promise.all([store.claim(KEYED, LIMITS), store.claim(KEYED, LIMITS)]);
    expect(claimed.filter((one) => one !== null)).toMatchObject([WRITE]);
    await store.end(WRITE, 'unknown', null);
    expect(await store.claim(KEYED, LIMITS)).toMatchObject(WRITE);
    await store.end(WRITE, 'done', 'po_1');
    expect(await store.claim(KEYED, LIMITS)).toBeNull();
  });

  it('whose outcome stays unknown wait behind the others', async () => {
    const other = { ...WRITE, key: 'k-2' };
    await store.begin(WRITE, UNLEASED);
    await bench.pass(10);
    await store.begin(other, UNLEASED);
    await bench.pass(10);
    expect(await store.claim(KEYED, LIMITS)).toMatchObject({ key: 'k-1' });
    await store.end(WRITE, 'unknown', null);
    expect(await store.claim(KEYED, LIMITS)).toMatchObject({ key: 'k-2' });
  });

  it('are given up when it is too late to use them again', async () => {
    await store.begin(WRITE, LIMITS);
    await bench.pass(LIMITS.withinMs + 1);
    expect(await store.claim(KEYED, LIMITS)).toBeNull();
    expect(await store.giveUp(KEYED, LIMITS)).toMatchObject([{ operation: 'createPayout', key: 'k-1' }]);
    expect(await store.giveUp(KEYED, LIMITS)).toEqual([]);
  });

  it.each(['refused', 'unsent', 'lost', 'unknown'] as const)(
    'once done stay done, also if a repetition is %s',
    async (outcome) => {
      await store.begin(WRITE, LIMITS);
      await store.end(WRITE, 'done', null);
      expect(await store.begin(WRITE, UNLEASED)).toMatchObject({ ok: true, again: true });
      await store.end(WRITE, outcome, null);
      expect(await store.claim(KEYED, LIMITS)).toBeNull();
      await bench.pass(LIMITS.withinMs + 1);
      expect(await store.begin({ ...WRITE, hash: 'h-2' }, LIMITS)).toMatchObject({ ok: false });
      expect(await store.giveUp(KEYED, LIMITS)).toEqual([]);
    },
  );

  it('refused to one call are of unknown outcome again where another is', async () => {
    await store.begin(WRITE, LIMITS);
    await store.begin(WRITE, LIMITS);
    await store.end(WRITE, 'refused', null);
    await store.end(WRITE, 'unknown', null);
    expect(await store.claim(KEYED, LIMITS)).toMatchObject(WRITE);
  });

  it('whose answer is known and not taken in stay open, and are never lost', async () => {
    await store.begin(WRITE, LIMITS);
    await store.end(WRITE, 'unknown', 'po_1');
    expect(await store.claim(KEYED, { ...LIMITS, leaseMs: 0 })).toMatchObject(WRITE);
    await store.end(WRITE, 'refused', null);
    expect(await store.begin({ ...WRITE, hash: 'h-2' }, LIMITS)).toMatchObject({ ok: false, objectId: 'po_1' });
  });

  it('are claimed and given up by operation', async () => {
    await store.begin({ ...WRITE, operation: 'createInvoice' }, UNLEASED);
    await bench.pass(LIMITS.withinMs + 1);
    expect(await store.claim(KEYED, { ...LIMITS, withinMs: 2 * LIMITS.withinMs })).toBeNull();
    expect(await store.giveUp(KEYED, LIMITS)).toEqual([]);
    expect(await store.giveUp(['createInvoice'], LIMITS)).toHaveLength(1);
  });

  it('know what other calls of the operation made, and which ask for the same and are open', async () => {
    const other = (key: string, more: Partial<NotedWrite> = {}): NotedWrite => ({ ...WRITE, key, ...more });
    for (const write of [
      other('1'),
      other('2'),
      other('3', { hash: 'h-2' }),
      other('4', { operation: 'createTransfer' }),
    ])
      await store.begin(write, LIMITS);
    await store.end(other('1'), 'done', 'po_1');
    await store.begin(WRITE, LIMITS);
    expect(await store.rivals(WRITE, ['po_1', 'po_2'])).toEqual({ made: ['po_1'], open: 1 });
    expect(await store.rivals(WRITE, [])).toEqual({ made: [], open: 1 });
    await store.end(WRITE, 'done', 'po_2');
    expect(await store.rivals(WRITE, ['po_2'])).toEqual({ made: [], open: 1 });
  });

  it('whose call was answered once are not given up but done', async () => {
    await store.begin(WRITE, LIMITS);
    await store.end(WRITE, 'done', 'po_1');
    await store.begin(WRITE, UNLEASED);
    await bench.pass(LIMITS.withinMs + 1);
    expect(await store.giveUp(KEYED, LIMITS)).toEqual([]);
    expect(await store.begin(WRITE, LIMITS)).toMatchObject({ reason: 'expired', objectId: 'po_1' });
  });
});

describe('the log of creating calls', () => {
  beforeEach(() => database.db('service_writes').delete());

  it('keeps no request beyond what it is needed for', async () => {
    const log = createServiceWriteLog(database.db);
    for (const outcome of ['done', 'refused', 'unsent', 'unknown', 'lost'] as const) {
      const write: NotedWrite = { ...WRITE, key: outcome };
      await log.begin(write, LIMITS);
      await log.end(write, outcome, null);
    }
    expect(await database.db('service_writes').whereNotNull('request').orderBy('key').pluck('key')).toEqual([
      'lost',
      'unknown',
    ]);
    expect(await countUnsettledWrites(database.db)).toEqual({ open: 1, lost: 1 });
  });

  it('gives one of many callers the first use of a key', async () => {
    const log = createServiceWriteLog(database.db);
    const begun = await Promise.all(Array.from({ length: 8 }, () => log.begin(WRITE, LIMITS)));
    expect(begun.filter((one) => one.ok && !one.again)).toHaveLength(1);
  });

  it('holds any key that a caller may choose', async () => {
    const log = createServiceWriteLog<NotedWrite['operation']>(database.db);
    const write: NotedWrite = { ...WRITE, key: `\0\ud800${'é'.repeat(250)}`, request: '"\0"' };
    await log.begin(write, UNLEASED);
    expect(await log.claim(KEYED, LIMITS)).toMatchObject({ key: write.key, request: write.request });
  });
});
