import { expect, test } from 'vitest';
import { availabilityOf, outcomeOf } from '../../src/domain/scorecard/scorecard-shape.js';
import { createLog } from '../../src/log.js';
import { createMetrics } from '../../src/metrics.js';
import { failingCalls } from '../../src/records/service-notes.js';
import { defaultContract } from '../../src/service-api/contract.js';
import { createClosers } from '../../src/wiring/closers.js';
import { countCalls, createServiceClient } from '../../src/wiring/service-client.js';
import { partsFor, send, startService } from '../cli/doctor-service.js';
import { useDatabase } from '../support/database.js';
import { until } from '../support/drill.js';

const database = useDatabase();
const hour = new Date('2026-10-05T10:00:00Z');
const now = () => new Date('2026-10-05T10:59:59Z');
const log = createLog('silent');

test('how an attempt ended', () => {
  expect(([200, 204, 400, 404, 408, 429, 302, 500, 503, 'no_answer'] as const).map(outcomeOf)).toEqual([
    'answered',
    'answered',
    'refused',
    'refused',
    'failed',
    'limited',
    'failed',
    'failed',
    'failed',
    'no_answer',
  ]);
  expect(availabilityOf({})).toBeNull();
  expect(availabilityOf({ answered: 19_999, failed: 1 })).toBe('99.99');
  expect(availabilityOf({ refused: 1, limited: 2 })).toBe('100.00');
});

test('attempts of several processes are counted by the hour, and none is lost at the end', async () => {
  const { db } = database;
  const closers = createClosers(log);
  const [one, other] = [countCalls({ db, log, now, closers }), countCalls({ db, log, now, closers })];
  for (let n = 0; n < 50; n += 1) {
    one.add('getBalance', 200);
    other.add('getBalance', n % 2 === 0 ? 200 : 503);
  }
  await closers.close();
  expect(await db('service_call_counts').orderBy('outcome')).toEqual([
    { hour, operation: 'getBalance', outcome: 'answered', count: '75' },
    { hour, operation: 'getBalance', outcome: 'failed', count: '25' },
  ]);
});

test('what the database does not take is kept and counted later', async () => {
  const { db } = database;
  await db('service_call_counts').delete();
  await db.raw('ALTER TABLE service_call_counts RENAME TO away');
  const calls = countCalls({ db, log, now });
  calls.add('getBalance', 200);
  await new Promise(setImmediate);
  await db.raw('SELECT 1');
  await db.raw('ALTER TABLE away RENAME TO service_call_counts');
  await until('it is counted', async () => (await db('service_call_counts').sum('count as n').first())?.n === '1');
});

test('the scheduler’s calls say for all whether the service answers; those of a command on some machine do not', async () => {
  const { db } = database;
  let isDown = true;
  const service = await startService({ '*': ({ response }) => (isDown ? send(response, 503, {}) : []) });
  const closers = createClosers(log);
  const config = { ...partsFor(db, service.url).config, SERVICE_BASE_URL: service.url };
  const runtime = {
    config,
    contract: defaultContract,
    db,
    log,
    metrics: createMetrics(),
    now: () => new Date(),
    closers,
  };
  const client = (decidesAnswers: boolean) =>
    createServiceClient(runtime, { decidesAnswers, retryPolicy: { retries: 1, pauseMs: 1 } });
  const [scheduler, command] = [await client(true), await client(false)];
  await expect(command.listPublicAssets()).rejects.toThrow('503');
  await closers.close();
  expect(await failingCalls(db)).toBeNull();
  await expect(scheduler.listPublicAssets()).rejects.toThrow('503');
  await until('the failure is known', async () => (await failingCalls(db))?.attempts === 2);
  expect(await failingCalls(db)).toMatchObject({
    operations: ['listPublicAssets'],
    error: expect.stringMatching(/^service_unavailable: listPublicAssets: .*503/) as string,
  });
  isDown = false;
  await scheduler.listPublicAssets();
  await until('the answer is known', async () => (await failingCalls(db)) === null);
  await closers.close();
  await service.close();
});
