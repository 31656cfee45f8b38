import { expect, test } from 'vitest';
import { runReconcile } from '../../src/reconcile/schedule/run.js';
import { coverage } from '../../src/records/runs/coverage.js';
import { resettableDatabase } from '../support/resettable-database.js';
import { depsOf, serviceWith } from './fake-service.js';

const HOUR = 3_600_000;
const tick = { kind: 'payment-intents', full: false } as const;

const database = resettableDatabase();

const sweepOf = (run: { proof: Record<string, unknown> }) => (run.proof as { sweep: { name: string } }).sweep.name;

/** A payment of last year that no list of open states shows changes without an event. */
function changeUnseen(service: ReturnType<typeof serviceWith>): { id: string; version: number } {
  const old = [...service.list.rows.values()].find((row) => row.status === 'expired')!;
  old.version += 1;
  return old;
}

async function versionOf(id: string): Promise<unknown> {
  return JSON.parse((await database.db('payment_intents').where({ id }).first('shown')).shown).version;
}

test('a run soon after the last one does not read everything; one after a long pause does, by itself', async () => {
  const service = serviceWith(450);
  const deps = depsOf(database, service);
  await runReconcile(deps, tick);
  service.list.clock += 300_000;
  expect(sweepOf(await runReconcile(deps, tick))).toBe('none');
  const { id, version } = changeUnseen(service);
  service.list.clock += 26 * HOUR;
  const run = await runReconcile(deps, tick);
  expect({ sweep: sweepOf(run), complete: run.complete }).toEqual({ sweep: 'sweep:all', complete: true });
  expect(await versionOf(id)).toBe(String(version));
});

test('the first run in a restored database reads everything, however young the backup is', async () => {
  const service = serviceWith(450);
  const deps = depsOf(database, service);
  await runReconcile(deps, tick);
  const { id, version } = changeUnseen(service);
  service.list.clock += 300_000;
  const elsewhere = { oid: '1', system: '2', timeline: '3' };
  await database
    .db('watermarks')
    .where({ kind: 'continuity' })
    .update({ value: JSON.stringify(elsewhere) });
  expect(sweepOf(await runReconcile(deps, tick))).toBe('sweep:all');
  expect(await versionOf(id)).toBe(String(version));
  service.list.clock += 300_000;
  expect(sweepOf(await runReconcile(deps, tick))).toBe('none');
});

test('coverage says since when and up to when a kind is proven, and what is missing', async () => {
  const service = serviceWith(950);
  const deps = depsOf(database, service);
  const covered = async () => (await coverage(database.db, ['payment-intents', 'catalog'], deps.now()))[0];
  const nothing = { provenSince: null, completeUntil: null, ageSeconds: null, unread: [] };
  expect(await covered()).toEqual({ kind: 'payment-intents', ...nothing, reason: 'no run has ended yet' });

  const cut = await runReconcile(deps, { ...tick, pages: 4 });
  expect(cut.complete).toBe(false);
  const partly = await covered();
  expect(partly).toMatchObject({ completeUntil: null, unread: [{ createdAfter: null }] });
  expect(partly?.reason).toContain('goes on with the next run');
  const newest = [...service.list.rows.values()].map((row) => row.createdAt).sort((a, b) => b - a);
  const since = Date.parse(partly?.provenSince ?? '');
  expect(since).toBeGreaterThan(newest.at(-1)!);
  expect(since).toBeLessThan(newest[300]!);
  expect(partly?.unread[0]?.createdBefore).toBe(partly?.provenSince);

  const run = await runReconcile(deps, tick);
  service.list.clock += 90_000;
  expect(await covered()).toEqual({
    kind: 'payment-intents',
    provenSince: new Date(newest.at(-1)!).toISOString(),
    completeUntil: run.startedAt,
    ageSeconds: expect.closeTo((service.list.clock - Date.parse(run.startedAt)) / 1_000, 0),
    reason: null,
    unread: [],
  });
});
