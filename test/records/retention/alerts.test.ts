import type { Knex } from 'knex';
import { beforeEach, expect, test } from 'vitest';
import { channelViews, keepChannels } from '../../../src/records/alerts/alert-channels.js';
import { listNotices } from '../../../src/records/alerts/list-notices.js';
import { listAlerts, settleAlerts } from '../../../src/records/alerts/settle-alerts.js';
import { useFreshDatabase } from '../../support/database.js';
import { pruneIn } from './aged.js';

const database = useFreshDatabase();
let db: Knex;
beforeEach(async () => {
  db = database.db;
});

const DAY_MS = 86_400_000;
const alert = (subject: string) =>
  ({ name: 'TallyhookDown', subject, severity: 'critical', summary: 'silent', detail: 'no sign' }) as const;
const check = (subjects: string[], daysAgo: number) =>
  db.transaction((trx) =>
    settleAlerts(trx, subjects.map(alert), { now: new Date(Date.now() - daysAgo * DAY_MS), channels: ['slack'] }),
  );

test('alerts that are over and what was sent of them go by their age; what fires stays, with what was sent', async () => {
  await keepChannels(db, ['slack']);
  await check(['gone', 'firing'], 101);
  await check(['gone', 'firing'], 100.5);
  await check(['firing'], 100);
  await check(['firing'], 0);
  await db('alert_notices').update({ status: 'sent', created_at: new Date(Date.now() - 100 * DAY_MS) });
  expect(await pruneIn(db, 0)).toMatchObject({ done: { alerts: 1, 'alert notices': 2 } });
  expect((await listAlerts(db, {})).items.map(({ subject }) => subject)).toEqual(['firing']);
  const { items } = await listNotices(db, {});
  expect(items.map(({ type, subject }) => `${type} ${subject}`)).toEqual(['alert.firing firing']);
  expect(await pruneIn(db, 0)).toMatchObject({ done: {} });
});

test('what a channel that is not configured any more was to send does not wait for ever', async () => {
  await keepChannels(db, ['slack']);
  await check(['receiver'], 1);
  await check(['receiver'], 0);
  expect(await channelViews(db)).toMatchObject([{ channel: 'slack', waiting: 1, lastOkAt: null }]);
  await keepChannels(db, ['mail']);
  expect(await channelViews(db)).toMatchObject([
    { channel: 'mail', waiting: 0 },
    { channel: 'slack', waiting: 0 },
  ]);
});
