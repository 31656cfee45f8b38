import { expect, test } from 'vitest';
import { loadConfig } from '../../src/config.js';
import { createLog } from '../../src/log.js';
import { scorecardLoop } from '../../src/wiring/roles/start-schedule.js';
import { useDatabase } from '../support/database.js';
import { until } from '../support/drill.js';
import { NO_SERVICE } from '../support/shell.js';

const database = useDatabase();
const config = { ...loadConfig(), SERVICE_BASE_URL: NO_SERVICE, BOOKS_TIMEZONE: 'UTC' };

test('the leader counts this month, and the last one while its end may change; it ends with the signal', async () => {
  const { db } = database;
  const stop = new AbortController();
  const now = () => new Date('2026-11-03T12:00:00Z');
  const loop = scorecardLoop({ db, log: createLog('silent'), now, config }, stop.signal);
  await until('the days are counted', async () => {
    const row = await db('scorecard_days').count('* as n').first();
    return Number(row?.n) === 34;
  });
  stop.abort();
  await loop;
  const [{ first, last }] = await db('scorecard_days').select(
    db.raw('min(day)::text AS first'),
    db.raw('max(day)::text AS last'),
  );
  expect([first, last]).toEqual(['2026-10-01', '2026-11-03']);
});

test('what the database does not answer is tried again later', async () => {
  const stop = new AbortController();
  const warned: string[] = [];
  const log = { warn: (_about: object, message: string) => warned.push(message) };
  const db = (() => {
    throw new Error('gone');
  }) as never;
  const loop = scorecardLoop({ db, log: log as never, now: () => new Date(), config }, stop.signal);
  await until('it is said', async () => warned.length === 1);
  stop.abort();
  await loop;
  expect(warned).toEqual(['scorecard not counted']);
});
