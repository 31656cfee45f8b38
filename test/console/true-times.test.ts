import { beforeAll, expect, it } from 'vitest';
import { before } from '../../src/domain/alerts/condition.js';
import { checkAlerts } from '../../src/notify/alert-loop.js';
import { openAlerts } from '../../src/records/alerts/settle-alerts.js';
import { recordHeartbeat } from '../../src/records/process-heartbeats.js';
import { alertDeps } from '../notify/alert-deps.js';
import { testConsole } from '../support/console.js';
import { visit } from '../support/console-visit.js';
import { useDatabase } from '../support/database.js';

/* A time that is shown is that of the fact, and the same on every page. */
const database = useDatabase();
let now = new Date();
const secondsLater = (seconds: number) => {
  now = before(now, -seconds);
};
const OLDEST = before(now, 135.125);
const check = () => checkAlerts(alertDeps(database.db, () => now));
const pageAt = async (path: string) =>
  (await (await visit(testConsole(database.db, { now: () => now }).app, 'viewer')).get(path)).main;
const timesOf = async (path: string) =>
  [...(await pageAt(path)).matchAll(/<time datetime="([^"]+)"/g)].map(([, at]) => at);

beforeAll(async () => {
  const { db } = database;
  const opened = { 'A-1': OLDEST, 'A-2': before(now, 20.5) };
  const about = { kind: 'duplicate_payment', severity: 'critical', entity_kind: 'order', evidence: '{}' };
  await db('breaks').insert(Object.entries(opened).map(([id, at]) => ({ ...about, entity_id: id, opened_at: at })));
  await recordHeartbeat(db, ['receiver', 'worker']);
});

it('an alert is since what it was about began when it was found, on Overview, Alerts and the page of the break', async () => {
  await check();
  const at = OLDEST.toISOString();
  expect((await openAlerts(database.db)).map(({ since }) => since.toISOString())).toEqual([at]);
  for (const path of ['/', '/alerts', '/breaks/1'])
    expect([path, await timesOf(path)]).toEqual([path, expect.arrayContaining([at])]);
});

it('and stays so once the oldest break is closed, whose age is said by itself', async () => {
  const { db } = database;
  await db('breaks').where({ entity_id: 'A-1' }).update({ status: 'resolved', resolved_at: now });
  secondsLater(47.25);
  await check();
  const [alert] = await openAlerts(db);
  expect(alert).toMatchObject({ since: OLDEST, detail: expect.stringContaining('the oldest for 1 min.') as string });
  expect(alert?.fired_at?.getTime()).toBeGreaterThan(OLDEST.getTime());
  for (const path of ['/', '/alerts'])
    expect([path, await timesOf(path)]).toEqual([path, expect.arrayContaining([OLDEST.toISOString()])]);
});
