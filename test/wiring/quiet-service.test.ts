import { expect, test } from 'vitest';
import { statusLines } from '../../src/cli/status.js';
import { runKinds } from '../../src/domain/run-kinds.js';
import { createLog } from '../../src/log.js';
import { createMetrics } from '../../src/metrics.js';
import { askWhenQuiet } from '../../src/reconcile/schedule/ask-when-quiet.js';
import { loadState } from '../../src/records/alerts/load-state.js';
import { recordHeartbeat } from '../../src/records/process-heartbeats.js';
import { lastCalls, noteAnswers } from '../../src/records/service-notes.js';
import { defaultContract } from '../../src/service-api/contract.js';
import { createClosers } from '../../src/wiring/closers.js';
import { createServiceClient } from '../../src/wiring/service-client.js';
import { partsFor, send, startService } from '../cli/doctor-service.js';
import { useFreshDatabase } from '../support/database.js';
import { until } from '../support/drill.js';
import { NO_SERVICE } from '../support/shell.js';
import { readAll } from './fault-steps.js';

const database = useFreshDatabase();
const log = createLog('silent');
const now = () => new Date();
const runEverySeconds = Object.fromEntries(runKinds.map((kind) => [kind, 300]));

/** Nothing is due, and nobody calls the service but the loop. */
async function quiet(answers: Parameters<typeof startService>[0], quietMs: number) {
  const { db } = database;
  await readAll(db, 10);
  await recordHeartbeat(db, ['alerts']);
  const service = await startService(answers);
  const closers = createClosers(log);
  const { config } = partsFor(db, service.url);
  const settings = { ...config, SERVICE_BASE_URL: service.url, SERVICE_RATE: 500 };
  const runtime = { config: settings, contract: defaultContract, db, log, metrics: createMetrics(), now, closers };
  const retryPolicy = { retries: 3, pauseMs: 1, failures: 10_000 };
  const client = await createServiceClient(runtime, { decidesAnswers: true, retryPolicy });
  const stop = new AbortController();
  let returned = 0;
  const times = { quietMs, lookMs: 5 };
  const ended = askWhenQuiet({ db, client, log, now }, { signal: stop.signal, onReturn: () => (returned += 1), times });
  const known = () => loadState(db, { now: now(), kinds: runKinds, runEverySeconds });
  const end = async () => {
    stop.abort();
    await ended;
    await closers.close();
    await service.close();
  };
  return { db, service, known, end, returned: () => returned };
}

const titles = async (known: () => ReturnType<typeof loadState>) =>
  (await known()).state.problems.map((one) => one.title);
const AWAY = 'The service does not answer';

test.each([
  ['answers 503', ({ response }: { response: Parameters<typeof send>[0] }) => send(response, 503, {})],
  ['gives no answer', ({ response }: { response: Parameters<typeof send>[0] }) => void response.destroy()],
])('a service that stops while nothing is called (%s) is known to be away, and known to be back', async (_, fail) => {
  let isDown = false;
  const { known, end, returned, db } = await quiet({ '*': (about) => (isDown ? fail(about) : []) }, 20);
  await until('it is asked', async () => (await lastCalls(db)).answeredAt !== null);
  expect(await titles(known)).not.toContain(AWAY);
  isDown = true;
  await until('it is known', async () => (await titles(known)).includes(AWAY));
  expect(returned()).toBe(0);
  isDown = false;
  await until('its return is known', async () => !(await titles(known)).includes(AWAY));
  await until('what failed is made again', async () => returned() > 0);
  await end();
});

test('while others call it, it is not asked', async () => {
  const { service, end, db } = await quiet({}, 60_000);
  await noteAnswers(db, { answeredAt: Date.now(), failed: [] });
  let looks = 0;
  db.on('query', ({ sql }: { sql: string }) => (looks += Number(sql.includes('"attemptedAt"'))));
  await until('it looked thrice', async () => looks > 3);
  await end();
  expect(service.asked).toEqual([]);
});

test('after a minute without an answer nobody says that all is well, whoever asks or fails to', async () => {
  const { db } = database;
  await readAll(db, 10);
  const known = () => loadState(db, { now: now(), kinds: runKinds, runEverySeconds });
  await noteAnswers(db, { answeredAt: Date.now() - 50_000, failed: [] });
  expect((await known()).state.severity).toBeNull();
  await noteAnswers(db, { answeredAt: Date.now() - 40_000, failed: [] });
  await db('watermarks')
    .where({ name: 'answered' })
    .update({ value: { last: Date.now() - 61_000 } });
  expect((await known()).state).toMatchObject({
    severity: 'medium',
    problems: [
      { title: 'Whether the service answers is not known', detail: expect.stringContaining('1 min ago') as string },
    ],
  });
});

test('from the first answer after an outage on it answers again, and what it held back is named until it is released', async () => {
  const { db } = database;
  const read = async () => {
    const known = await loadState(db, { now: now(), kinds: runKinds, runEverySeconds });
    const { problems } = known.state;
    const lines = statusLines(known).join('\n');
    return { lines, all: problems.map((one) => [one.title, ...one.follows.map(({ title }) => title)]) };
  };
  const HELD = '2 paid orders held since the service was away';
  const BACK = /^The service answers again since \d{4}-\d\d-\d\d \d\d:\d\d UTC$/;
  const error = 'service_unavailable: getBalance: no connection (ECONNREFUSED)';
  const at = (secondsAgo: number) => new Date(Date.now() - secondsAgo * 1_000);
  await db('installation').insert({ adopted_at: at(9_000), service_base_url: NO_SERVICE });
  await readAll(db, 100);
  await readAll(db, 30, error);
  const failed = [50, 40, 30].map((ago) => ({ at: at(ago).getTime(), operation: 'getBalance', error }));
  await noteAnswers(db, { answeredAt: null, failed });
  const order = { status: 'paid_unverified', release_safe: false, release_reason: 'paid_unverified' };
  const since = { created_at: at(20), updated_at: at(20) };
  await db('orders').insert([
    { ...order, ...since, reference: 'a' },
    { ...order, ...since, reference: 'b' },
    { ...order, created_at: at(900), updated_at: at(900), reference: 'held before' },
  ]);
  const away = await read();
  expect([away.all.length, away.all[0]?.[0]]).toEqual([1, AWAY]);
  expect(away.all[0]).toContain(HELD);

  await noteAnswers(db, { answeredAt: at(7).getTime(), failed: [] });
  const back = await read();
  expect([back.all.length, back.all[0]?.[0]]).toEqual([1, expect.stringMatching(BACK)]);
  expect(back.all[0]).toContain(HELD);
  expect(back.lines).toContain('not read yet since the service answers again');
  expect(back.lines).not.toContain('does not answer');

  await readAll(db, 1);
  expect((await read()).all).toEqual([[expect.stringMatching(BACK), HELD]]);

  // One poll of several: its payment is read since, and its payins are not. Another is paid since.
  const entity = { entity_kind: 'order', field: 'status', source_type: 'webhook', source_ref: '1' };
  const to_value = JSON.stringify('paid_unverified');
  await db('changes').insert([
    { ...entity, to_value, entity_id: 'a', changed_at: at(20) },
    { ...entity, to_value, entity_id: 'paid since', changed_at: at(3) },
  ]);
  const half = { status: 'paid', release_reason: 'payins_unread', updated_at: at(2) };
  await db('orders').where({ reference: 'a' }).update(half);
  await db('orders').insert({ ...order, created_at: at(900), updated_at: at(3), reference: 'paid since' });
  const { all, lines } = await read();
  expect(all).toEqual([[expect.stringMatching(BACK), HELD]]);
  expect(lines).not.toContain('well:');
  // What a person is to do about it is no matter of the service.
  await db('orders').where({ reference: 'a' }).update({ release_reason: 'out_of_range' });
  expect((await read()).all[0]).toContain('1 paid order held since the service was away');
  await db('orders').update({ status: 'paid', release_safe: true });
  expect((await read()).all).toEqual([]);
});
