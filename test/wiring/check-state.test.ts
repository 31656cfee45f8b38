import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { loadConfig } from '../../src/config.js';
import { claimChannel, keepChannels, releaseChannel } from '../../src/records/alerts/alert-channels.js';
import { addNotice } from '../../src/records/alerts/settle-alerts.js';
import { bindInstallation } from '../../src/records/installation.js';
import { processHeartbeats, recordHeartbeat } from '../../src/records/process-heartbeats.js';
import { checkChannels, withState } from '../../src/wiring/doctor/examine.js';
import { useFreshDatabase } from '../support/database.js';

const database = useFreshDatabase();

const settings = { SERVICE_BASE_URL: 'http://127.0.0.1:1', SERVICE_API_KEY: 'key' };
const check = async (env: Record<string, string>) => {
  const config = loadConfig(['SERVICE_API_KEY'], { env: { ...settings, ...env } });
  const parts = { db: database.db, config, now: () => new Date() };
  const checks = await withState(parts, await checkChannels(parts));
  return Object.fromEntries(checks.map(({ name, status, found, remedy }) => [name, { status, found, remedy }]));
};

test('nobody checks and nobody is alerted: neither is taken for well', async () => {
  expect(await check({})).toMatchObject({
    alerts: { status: 'unknown' },
    'alert channels': { status: 'unknown', remedy: expect.stringContaining('tallyhook alerts test') },
  });
});

test('what was not proven is never called complete, though nobody is asked for anything yet', async () => {
  const found = await check({});
  const kinds = Object.entries(found).filter(([name]) => ['payouts', 'balances', 'payment-intents'].includes(name));
  expect(kinds).toHaveLength(3);
  for (const [name, one] of kinds)
    expect(one, name).toMatchObject({ status: 'unknown', found: expect.stringContaining('was never proven') });
  for (const { found: words } of Object.values(found)) expect(words).not.toContain('null');
});

test('each alert that fires is a finding with its remedy; one that is over, or not sent yet, is none', async () => {
  const since = new Date();
  const row = (name: string, subject: string, more: object = {}) => ({
    name,
    subject,
    severity: 'critical',
    summary: 'Webhooks are rejected',
    detail: '12 in a row.',
    since,
    seen_at: since,
    fired_at: since,
    ...more,
  });
  await database
    .db('alerts')
    .insert([
      row('TallyhookInvalidSignatures', ''),
      row('TallyhookDown', 'receiver'),
      row('TallyhookDown', 'worker'),
      row('TallyhookQueueDown', '', { fired_at: null }),
      row('TallyhookNoWebhooks', '', { resolved_at: since }),
    ]);
  const found = await check({});
  expect(found).toMatchObject({
    rejections: {
      status: 'finding',
      found: expect.stringContaining('Webhooks are rejected. 12 in a row.'),
      remedy: expect.stringContaining('WEBHOOK_SECRETS'),
    },
    'receiver, worker': { status: 'finding', remedy: expect.stringContaining('tallyhook serve') },
    queue: { status: 'ok' },
    webhooks: { status: 'ok' },
  });
});

test('a part that fell silent and a channel that fails are findings, with the remedy; nothing is sent', async () => {
  const { db } = database;
  // Nothing listens there: a probe that sent something would find that out.
  const env = { ALERT_SLACK_URL: 'http://127.0.0.1:1/secret-path' };
  await recordHeartbeat(db, ['receiver', 'worker', 'alerts']);
  await keepChannels(db, ['slack']);
  expect(await check(env)).toMatchObject({
    receiver: { status: 'ok' },
    worker: { status: 'ok' },
    alerts: { status: 'ok' },
    'alerts by slack': { status: 'unknown', found: 'never taken yet' },
  });
  await addNotice(db, { key: 'firing 1', message: { type: 'alert.firing' } }, ['slack']);
  const claimed = await claimChannel(db, 'slack', 60);
  if (claimed === null) throw new Error('nothing waits');
  await releaseChannel(db, claimed, { error: 'answered 500', retryInMs: 60_000 });
  await db('signs_of_life').update({ seen_at: db.raw("now() - interval '5 minutes'") });
  const found = await check(env);
  expect(found).toMatchObject({
    'receiver, worker': { status: 'finding', remedy: expect.stringContaining('tallyhook serve') },
    alerts: { status: 'finding', remedy: expect.stringContaining('tallyhook schedule') },
    'alerts by slack': { status: 'finding', found: expect.stringContaining('answered 500; 1 waits, next attempt at') },
  });
  expect(JSON.stringify(found)).not.toContain('secret-path');
});

test('a receiver and a worker that never gave a sign are silent since the installation was bound, or upgraded', async () => {
  const { db } = database;
  const bind = () => bindInstallation(db, { adoptedAt: new Date(), serviceBaseUrl: settings.SERVICE_BASE_URL });
  const parts = async () => (await processHeartbeats(db)).map(({ part, secondsAgo }) => [part, secondsAgo > 120]);
  await bind();
  expect(await parts()).toEqual([
    ['receiver', false],
    ['worker', false],
  ]);
  await db('signs_of_life').update({ seen_at: db.raw("now() - interval '5 minutes'") });
  await recordHeartbeat(db, ['worker']);
  await bind();
  expect(await check({})).toMatchObject({ receiver: { status: 'finding' }, worker: { status: 'ok' } });

  const upgrade = await readFile(new URL('../../migrations/0041_expected_parts.sql', import.meta.url), 'utf8');
  await db('signs_of_life').where({ part: 'worker' }).del();
  await db.raw(upgrade);
  expect(await parts()).toEqual([
    ['receiver', true],
    ['worker', false],
  ]);
  await db.raw(
    'SET session_replication_role = replica; DELETE FROM installation; DELETE FROM signs_of_life; RESET session_replication_role',
  );
  await db.raw(upgrade);
  expect(await parts()).toEqual([]);
});
