import { expect, test } from 'vitest';
import { runReconcile } from '../../src/reconcile/schedule/run.js';
import { resettableDatabase } from '../support/resettable-database.js';
import { depsOf, serviceWith } from './fake-service.js';

const HOUR = 3_600_000;
const YEAR = 365 * 24 * HOUR;
const tick = { kind: 'payment-intents', full: false } as const;

const database = resettableDatabase();

const sweepOf = (run: { proof: Record<string, unknown> }) => (run.proof as { sweep: { name: string } }).sweep.name;

test('a clock of ours that was a year ahead, and is right again, does not put the reading of everything off for a year', async () => {
  const service = serviceWith(250);
  const deps = depsOf(database, service);
  let ahead = YEAR;
  const ours = { ...deps, now: () => new Date(service.list.clock + ahead) };
  expect(await runReconcile(ours, tick)).toMatchObject({ complete: true });
  ahead = 0;
  service.list.clock += 8 * 24 * HOUR;
  const [gone] = service.list.rows.values();
  gone!.deletedAt = service.list.clock;
  const run = await runReconcile(ours, tick);
  expect(sweepOf(run)).toBe('sweep:all');
  expect(await database.db('payment_intents').whereNotNull('absent_since').pluck('id')).toEqual([gone!.id]);
  service.list.clock += 300_000;
  expect(sweepOf(await runReconcile(ours, tick))).toBe('none');
});

test('where the clock of the service goes back, what it shows until it has caught up is not called proven', async () => {
  const service = serviceWith(250);
  const deps = depsOf(database, service);
  const reply = service.reply.bind(service);
  let ahead = HOUR;
  service.reply = async (...request) => {
    const answer = await reply(...request);
    return { ...answer, from: answer.from + ahead, to: answer.to + ahead };
  };
  expect(await runReconcile(deps, tick)).toMatchObject({ complete: true });
  ahead = 0;
  service.list.clock += 300_000;
  const moved = [...service.list.rows.values()].find(({ status }) => status === 'pending')!;
  service.list.advance(moved);
  const run = await runReconcile(deps, tick);
  expect(run).toMatchObject({ status: 'succeeded', complete: false });
  expect(run.proof['reason']).toMatch(/clock of the service went back/);
  service.list.clock += 30 * 60_000;
  expect(await runReconcile(deps, tick)).toMatchObject({ complete: false });
  service.list.clock += HOUR;
  expect(await runReconcile(deps, tick)).toMatchObject({ complete: true });
  const row = await database.db('payment_intents').where({ id: moved.id }).first();
  expect(row.status).toBe(moved.status);
});

test('a copy of the list that lags behind does not make a payment absent that another has just shown', async () => {
  const service = serviceWith(320);
  const deps = depsOf(database, service);
  await runReconcile(deps, tick);
  service.list.clock += 300_000;
  service.list.grow(1, 1);
  const [recent] = [...service.list.rows.values()].slice(-1);
  const reply = service.reply.bind(service);
  let calls = 0;
  // The second call and those after it are answered by a copy that has not seen the newest payment yet.
  service.reply = async (...request) => {
    calls += 1;
    if (calls === 3) recent!.deletedAt = service.list.clock;
    return reply(...request);
  };
  expect((await runReconcile(deps, tick)).status).toBe('succeeded');
  service.list.clock += 1_000;
  await runReconcile(deps, tick);
  expect(await database.db('payment_intents').where({ id: recent!.id })).toHaveLength(1);
  expect(await database.db('breaks').where({ kind: 'record_not_at_service' })).toEqual([]);
  recent!.deletedAt = null;
  service.list.clock += 300_000;
  expect(await runReconcile(deps, tick)).toMatchObject({ status: 'succeeded', complete: true });
});
