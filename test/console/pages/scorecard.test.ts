import request from 'supertest';
import { beforeAll, expect, test } from 'vitest';
import { bearer, testConsole } from '../../support/console.js';
import { seedConsole } from '../../support/console-samples.js';
import { session, visit } from '../../support/console-visit.js';
import { useDatabase } from '../../support/database.js';

const database = useDatabase();
let app: ReturnType<typeof testConsole>['app'];

beforeAll(async () => {
  await seedConsole(database.db);
  ({ app } = testConsole(database.db, { now: () => new Date('2026-11-20T00:00:00Z') }));
}, 60_000);

test('the page, the API and the CSV have the same figures of a month, and say what is not known', async () => {
  const viewer = await visit(app, 'viewer');
  const page = await viewer.get('/scorecard?month=2026-10');
  expect(page.text).toContain('Scorecard 2026-10');
  expect(page.text).toContain('payment_intent.completed');
  expect(page.text).toContain('30 days of 31 not counted');
  expect(page.text).toMatch(/Counted .* and again every ten minutes: what came since is not in it/);
  expect(page.text).toContain('99.95 %');
  expect(page.main).toContain('href="/scorecard/2026-10.csv"');
  expect(page.main).not.toContain('<img src=x');

  const { body } = await request(app).get('/api/v1/scorecard?month=2026-10').set(bearer('viewer'));
  expect(body).toMatchObject({
    events: { expected: 1_200, received: 1_181, late: 7, missed: 3, never_generated: 2, not_sent: 1 },
    api: { answered: 9_430, availability: '99.95' },
    rejectedRequests: [{ reason: 'invalid_signature', requests: 12 }],
  });

  const { get } = await session(app, 'viewer');
  const csv = await get('/scorecard/2026-10.csv');
  expect(csv.get('Content-Disposition')).toContain('scorecard-2026-10.csv');
  expect(csv.text).toContain('all events,expected,1200,');
  expect(csv.text).toContain('all events,missed,3,the service’s delivery history');
});

test('a month that was never counted says so, and what is no month is refused', async () => {
  const viewer = await visit(app, 'viewer');
  const page = await viewer.get('/scorecard');
  expect(page.text).toContain('Scorecard 2026-11');
  expect(page.text).toContain('20 days of 20 not counted');
  expect(page.text).toContain('Counted not yet: the scheduler counts every ten minutes');
  expect((await viewer.get('/scorecard?month=2026-13')).status).toBe(400);
  expect((await (await session(app, 'viewer')).get('/scorecard/2026-13.csv')).status).toBe(404);
  expect((await request(app).get('/api/v1/scorecard?month=october').set(bearer('viewer'))).status).toBe(400);
  expect((await request(app).get('/scorecard/2026-10.csv')).status).toBe(401);
});

test.each([
  { withHistory: [false], missed: 'Missed – not known: the history is not read', share: false, csv: 'missed,,' },
  { withHistory: [false, true], missed: 'Missed 0 at least: 1 of 2 days read', share: false, csv: 'missed,0,' },
  { withHistory: [true], missed: 'Missed 0 0.00 %', share: true, csv: 'missed,0,' },
])('what only the delivery history shows is no zero before it was read: $withHistory', async (known) => {
  const { db } = database;
  await db('scorecard_days').where('day', '<', '2026-10-01').delete();
  const tally = { 'payout.failed': { classes: { received: 8 }, delays: { 10: 8 } } };
  const rows = known.withHistory.map((withHistory, n) => {
    const counts = JSON.stringify({ tally, rejected: {}, calls: {}, withHistory });
    return { day: `2026-09-0${n + 1}`, time_zone: 'UTC', counted_at: '2026-09-03T00:00:00Z', counts };
  });
  await db('scorecard_days').insert(rows);
  const page = await (await visit(app, 'viewer')).get('/scorecard?month=2026-09');
  expect(page.text).toContain(known.missed);
  expect(page.text).toContain(known.missed.replace('Missed', 'Never generated'));
  expect(page.text).toContain('Late 0');
  expect(page.text.includes('100.00 %')).toBe(known.share);
  const csv = await (await session(app, 'viewer')).get('/scorecard/2026-09.csv');
  expect(csv.text).toContain(`all events,${known.csv}`);
  const { body } = await request(app).get('/api/v1/scorecard?month=2026-09').set(bearer('viewer'));
  expect(body.notKnown.includes('missed')).toBe(known.csv === 'missed,,');
  expect(body.notKnown).not.toContain('received');
});
