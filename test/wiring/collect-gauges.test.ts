import { pino } from 'pino';
import { expect, it } from 'vitest';
import { createMetrics } from '../../src/metrics.js';
import { collectGauges } from '../../src/wiring/collect-gauges.js';
import { useFreshDatabase } from '../support/database.js';
import { completed, storeEvents } from '../support/events.js';

const database = useFreshDatabase();

it('the backlog is counted by state, with the age of its oldest event', async () => {
  const metrics = createMetrics();
  collectGauges({ db: database.db, metrics, log: pino({ level: 'silent' }) });
  await storeEvents(
    database.db,
    ['a', 'b', 'c', 'd'].map((name) => completed(name)),
  );
  await database.db('inbox').where('id', '<=', 2).update({ status: 'failed' });
  await database.db('inbox').where({ id: 4 }).update({ status: 'dead' });
  await database
    .db('inbox')
    .where({ id: 1 })
    .update({ received_at: database.db.raw("now() - interval '90 seconds'") });
  const text = await metrics.registry.metrics();
  for (const line of ['{state="received"} 1', '{state="failed"} 2', '{state="dead"} 1', 'oldest_seconds 9']) {
    expect(text).toContain(`tallyhook_event_backlog${line.startsWith('{') ? '' : '_'}${line}`);
  }
});

it('what was swallowed is counted until it is recovered, whatever came since', async () => {
  const metrics = createMetrics();
  collectGauges({ db: database.db, metrics, log: pino({ level: 'silent' }) });
  const of = { ours: true, poll_from: 1, poll_ref: 'run', created_at: new Date(Date.now() - 60_000) };
  const swallowed = { ...of, class: 'phantom', open: true, missed: false, payload: '{}' };
  const came = { ...of, class: 'received', created_at: new Date() };
  await database.db('deliveries').insert([
    { ...swallowed, id: 'wd_1' },
    { ...swallowed, id: 'wd_2' },
  ]);
  await database.db('deliveries').insert({ ...came, id: 'wd_3' });
  const text = await metrics.registry.metrics();
  expect(text).toContain('tallyhook_swallowed_deliveries 0\n');
  expect(text).toContain('tallyhook_swallowed_to_recover 2\n');
});
