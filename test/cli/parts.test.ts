import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { findAlerts } from '../../src/domain/alerts/alerts.js';
import { loadAlertFacts } from '../../src/records/alerts/load-alert-facts.js';
import { giveSign } from '../../src/records/alerts/signs-of-life.js';
import { bindInstallation } from '../../src/records/installation.js';
import { useFreshDatabase } from '../support/database.js';
import { runHere } from '../support/run-here.js';

const database = useFreshDatabase();
let cwd: string;
beforeEach(async () => {
  cwd = await mkdtemp(path.join(tmpdir(), 'parts-'));
  await bind();
});
afterEach(async () => {
  await rm(cwd, { recursive: true, force: true });
});

const bind = () => bindInstallation(database.db, { adoptedAt: new Date(), serviceBaseUrl: 'http://127.0.0.1:1' });
const parts = async (...args: string[]) => {
  const { code, stdout, stderr } = await runHere(['parts', ...args, '--json'], {
    cwd,
    env: { DATABASE_URL: database.url, SERVICE_BASE_URL: 'http://127.0.0.1:1', LOG_LEVEL: 'silent' },
  });
  return { code, stderr, json: stdout.startsWith('{') ? JSON.parse(stdout) : null };
};
const allSilent = () => database.db('signs_of_life').update({ seen_at: database.db.raw("now() - interval '1 hour'") });
const silent = async () => {
  const facts = await loadAlertFacts(database.db, { now: new Date(), runEverySeconds: {} });
  return findAlerts(facts).flatMap(({ name, subject }) => (name === 'TallyhookDown' ? [subject] : []));
};

test('a part that was shut down for good raises no alert, however many others start; at work again it is expected again', async () => {
  const early = await parts('retire', 'receiver');
  expect([early.code, early.stderr]).toEqual([1, expect.stringContaining('Stop every process of it')]);
  await allSilent();
  expect(await silent()).toEqual(['receiver', 'worker']);

  expect(await parts('retire', 'receiver', '--dry-run')).toMatchObject({ code: 0, json: { status: 'silent' } });
  expect(await silent()).toEqual(['receiver', 'worker']);
  expect(await database.db('actions')).toEqual([]);
  const retired = await parts('retire', 'receiver', '--note', 'the shop takes them itself');
  expect(retired).toMatchObject({ code: 0, json: { part: 'receiver', status: 'retired', dryRun: false } });
  await bind();
  expect(await silent()).toEqual(['worker']);
  expect((await parts('list')).json.items).toMatchObject([
    { part: 'receiver', status: 'retired', lastSignAt: null },
    { part: 'worker', status: 'silent', lastSignAt: expect.stringMatching(/^\d{4}-/) },
  ]);
  expect((await parts('retire', 'receiver')).code).toBe(2);
  expect((await parts('retire', 'alerts')).code).toBe(2);
  expect(await database.db('actions')).toMatchObject([
    { action: 'retire part', target: 'part receiver', reason: 'the shop takes them itself', outcome: 'done' },
  ]);

  await giveSign(database.db, ['receiver']);
  expect((await parts('list')).json.items[0]).toMatchObject({ part: 'receiver', status: 'at_work' });
  await allSilent();
  expect(await silent()).toEqual(['receiver', 'worker']);
}, 300_000);

test('a retirement is taken back: from then on its silence counts', async () => {
  await allSilent();
  expect((await parts('restore', 'worker')).code).toBe(2);
  expect((await parts('retire', 'worker')).code).toBe(0);
  expect(await parts('restore', 'worker', '--note', 'by mistake')).toMatchObject({
    code: 0,
    json: { part: 'worker', status: 'at_work' },
  });
  await allSilent();
  expect(await silent()).toContain('worker');
  expect(await database.db('actions').orderBy('id').pluck('action')).toEqual(['retire part', 'restore part']);
}, 300_000);
