import { expect, test } from 'vitest';
import { kinds } from '../../src/reconcile/deps.js';
import { runReconcile } from '../../src/reconcile/schedule/run.js';
import { resettableDatabase } from '../support/resettable-database.js';
import { depsOf, serviceWith } from './fake-service.js';

const kind = kinds[0];
const tick = { kind, full: false };
const full = { kind, full: true };

const database = resettableDatabase();

test('more missing records than can be polled at once: the run does not claim to be complete', async () => {
  const service = serviceWith(2_100);
  const deps = depsOf(database, service);
  await runReconcile(deps, tick);
  const rows = [...service.list.rows.values()];
  for (const row of rows.slice(50, 2_080)) row.deletedAt = service.list.clock;
  service.list.clock += 60_000;
  const first = await runReconcile(deps, full);
  expect(first).toMatchObject({ status: 'succeeded', complete: false });
  expect(first.breaksOpened).toBeGreaterThanOrEqual(2_000);
  service.list.clock += 60_000;
  const rest = 2_030 - first.breaksOpened;
  expect(await runReconcile(deps, full)).toMatchObject({ complete: true, breaksOpened: rest });
}, 60_000);
