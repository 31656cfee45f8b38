import { beforeEach, expect, test } from 'vitest';
import { findAlerts } from '../../src/domain/alerts/alerts.js';
import { loadAlertFacts } from '../../src/records/alerts/load-alert-facts.js';
import { bindInstallation } from '../../src/records/installation.js';
import { recordHeartbeat } from '../../src/records/process-heartbeats.js';
import { useFreshDatabase } from '../support/database.js';
import { NO_SERVICE, useShell } from '../support/shell.js';

const database = useFreshDatabase();
beforeEach(() => bind());

const bind = () => bindInstallation(database.db, { adoptedAt: new Date(), serviceBaseUrl: NO_SERVICE });
const shell = useShell(database);
const parts = (...words: string[]) => shell('parts', ...words, '--json');
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

  await recordHeartbeat(database.db, ['receiver']);
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
