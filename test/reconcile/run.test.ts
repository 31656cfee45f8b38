import { expect, test, vi } from 'vitest';
import { kinds } from '../../src/reconcile/deps.js';
import { runReconcile } from '../../src/reconcile/schedule/run.js';
import { listRuns, startRun } from '../../src/records/runs/runs.js';
import { resettableDatabase } from '../support/resettable-database.js';
import { sized } from '../support/sizes.js';
import { DAY, depsOf, FakeService, rateLimited, serviceWith, unauthorized } from './fake-service.js';
import { MovingList } from './moving-list.js';
import { Random } from './random.js';

const kind = kinds[0];
/** Payments in the list, and after how many of its pages the reading of them is stopped. */
const [BACKFILL, CUT_AFTER] = process.env['TALLYHOOK_LONG'] ? [20_000, 120] : [1_500, 8];
const tick = { kind, full: false };

const database = resettableDatabase();

async function held(): Promise<Map<string, string>> {
  const rows = await database.db<{ id: string; shown: string }>('payment_intents').select('id', 'shown');
  return new Map(rows.map(({ id, shown }) => [id, JSON.parse(shown).version]));
}

function listed({ list }: FakeService): Map<string, string> {
  const rows = [...list.rows.values()].filter((row) => row.deletedAt === null);
  return new Map(rows.map((row) => [row.id, String(row.version)]));
}

async function countRows(): Promise<Record<string, number>> {
  const tables = [
    'payment_intents',
    'payins',
    'orders',
    'changes',
    'breaks',
    'runs',
    'watermarks',
    'unread_intervals',
    'reading_marks',
  ];
  const counts = await Promise.all(
    tables.map(async (table) => [table, Number((await database.db(table).count())[0]?.['count'])]),
  );
  return Object.fromEntries(counts);
}

/** Lets only so many calls through. */
function failAfter({ list }: FakeService, calls: number, error: () => Error): void {
  let left = calls;
  list.beforeCall = () => {
    left -= 1;
    if (left < 0) throw error();
  };
}

test('a first run reads the whole list and proves it; the next one reads only what may have changed', async () => {
  const service = serviceWith(350);
  const deps = depsOf(database, service);
  const first = await runReconcile(deps, tick);
  expect(first).toMatchObject({ kind, full: false, status: 'succeeded', complete: true, changed: 350, error: null });
  expect(first.seen).toBeGreaterThanOrEqual(350);
  expect(first.calls).toBe(service.asked.length);
  expect(await held()).toEqual(listed(service));

  for (const row of service.list.rows.values()) if (row.seq % 10 === 0) service.list.advance(row);
  service.list.clock += 300_000;
  service.asked = [];
  const second = await runReconcile(deps, tick);
  expect(second).toMatchObject({ status: 'succeeded', complete: true });
  expect(second.calls).toBeLessThan(first.calls);
  expect(await held()).toEqual(listed(service));
  expect((await listRuns(database.db, { kind })).items.map((run) => run.id)).toEqual([second.id, first.id]);
});

test('a backfill that is stopped in the middle goes on where it was, without a gap', async () => {
  const service = serviceWith(BACKFILL);
  const deps = depsOf(database, service);
  failAfter(service, CUT_AFTER, rateLimited);
  const cut = await runReconcile(deps, tick);
  expect(cut).toMatchObject({ status: 'failed', complete: false, calls: CUT_AFTER + 1 });
  expect(cut.error).toContain('service_rate_limited');
  expect(await database.db('watermarks').where({ kind })).toEqual([]);
  const before = (await held()).size;
  expect(before).toBeGreaterThan(80 * CUT_AFTER);

  service.list.beforeCall = () => {};
  for (let many = 0; many < 300; many++) service.list.mutate();
  service.list.clock += 30 * DAY;
  const headOfSecond = service.asked.length;
  const second = await runReconcile(deps, tick);
  expect(second).toMatchObject({ status: 'succeeded', complete: true });
  const [head, rest] = (second.proof as { head: { calls: number; complete: boolean }[] }).head;
  expect(head).toMatchObject({ complete: true });
  expect(head?.calls).toBeLessThan(10);
  expect(rest).toMatchObject({ complete: true });
  expect(rest?.calls).toBeLessThan(BACKFILL / 100 - CUT_AFTER + 15);
  expect(service.asked.slice(headOfSecond).filter(({ status }) => status !== undefined).length).toBeGreaterThan(0);
  expect(await held()).toEqual(listed(service));
  expect(await database.db('breaks').count()).toEqual([{ count: '0' }]);
}, 90_000);

test('a service that refuses fails the run, and the next complete one starts from the same mark', async () => {
  const service = serviceWith(150);
  const deps = depsOf(database, service);
  await runReconcile(deps, tick);
  const marks = await database.db('watermarks').orderBy('name');
  // Short of the pause after which everything is read again.
  service.list.clock += 100 * 60_000;
  failAfter(service, 2, unauthorized);
  const failed = await runReconcile(deps, tick);
  expect(failed).toMatchObject({ status: 'failed', complete: false, proof: {} });
  expect(failed.error).toContain('service_unauthorized');
  expect(failed.finishedAt).not.toBeNull();
  expect(await database.db('watermarks').orderBy('name')).toEqual(marks);
  service.list.beforeCall = () => {};
  expect(await runReconcile(deps, tick)).toMatchObject({ status: 'succeeded', complete: true });
});

test('a dry run says what would change and writes nothing', async () => {
  const service = serviceWith(250);
  const deps = depsOf(database, service);
  const empty = await countRows();
  const dryRunIds = await runReconcile(deps, { ...tick, dryRun: true });
  expect(dryRunIds).toMatchObject({ id: null, status: 'succeeded', complete: true });
  expect(dryRunIds.changed).toBe(250);
  expect(await countRows()).toEqual(empty);

  await runReconcile(deps, tick);
  const before = await countRows();
  expect(await runReconcile(deps, { kind, full: true, dryRun: true })).toMatchObject({
    id: null,
    complete: true,
    changed: 0,
  });
  expect(await countRows()).toEqual(before);
});

test('the run of a process that went away is aborted by the next one, and may not write any more', async () => {
  const service = serviceWith(350);
  const deps = depsOf(database, service);
  await startRun(database.db, kind, false, deps.now());
  let calls = 0;
  service.list.beforeCall = () => {
    calls += 1;
  };
  const slow = new FakeService(service.list);
  const reply = slow.reply.bind(slow);
  slow.reply = async (...request) => {
    const answer = await reply(...request);
    // While the second page is on its way, and the first is saved, another process takes this run for dead.
    if (calls === 2) {
      await vi.waitFor(async () => expect((await held()).size).toBe(100), { timeout: 10_000 });
      await startRun(database.db, kind, false, deps.now());
    }
    return answer;
  };
  const lost = await runReconcile({ ...deps, client: slow }, tick);
  expect(lost).toMatchObject({ status: 'aborted', complete: false });
  expect((await held()).size).toBe(100);
  const runs = (await listRuns(database.db, { kind })).items;
  expect(runs.map((run) => run.status)).toEqual(['running', 'aborted', 'aborted']);
});

test('stopping ends the run between two pages', async () => {
  const service = serviceWith(500);
  const deps = depsOf(database, service);
  const stop = new AbortController();
  let calls = 0;
  service.list.beforeCall = () => {
    calls += 1;
    if (calls === 3) stop.abort();
  };
  const run = await runReconcile(deps, { ...tick, signal: stop.signal });
  expect(run).toMatchObject({ status: 'aborted', complete: false, calls: 3 });
  service.list.beforeCall = () => {};
  expect(await runReconcile(deps, tick)).toMatchObject({ status: 'succeeded', complete: true });
  expect(await held()).toEqual(listed(service));
});

test('a tick at twenty pages of open payments stays within some thirty calls', async () => {
  const page = sized(20, 100);
  const list = new MovingList(new Random(7), { semantics: 'orm', pageCap: page, deletes: false, grainMs: 1 });
  const service = new FakeService(list);
  list.restlessness = 0;
  list.grow(23 * page, 6 * DAY);
  const states = ['waiting_address_selection', 'pending', 'confirming'];
  for (const row of list.rows.values()) row.status = row.seq <= 3 * page ? 'completed' : list.random.pick(states);
  list.clock += 60_000;
  const deps = depsOf(database, service);
  await runReconcile(deps, tick);
  list.clock += 300_000;
  for (let many = 0; many < 0.3 * page; many++) list.mutate();
  const run = await runReconcile(deps, tick);
  expect(run).toMatchObject({ complete: true });
  expect(run.calls).toBeLessThan(40);
}, 60_000);
