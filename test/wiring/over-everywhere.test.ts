import request from 'supertest';
import { beforeEach, expect, test } from 'vitest';
import { diagnosisLines } from '../../src/cli/doctor.js';
import { runKinds } from '../../src/domain/run-kinds.js';
import { checkAlerts } from '../../src/notify/alert-loop.js';
import { loadState } from '../../src/records/alerts/load-state.js';
import { noteAnswers } from '../../src/records/service-notes.js';
import { ok } from '../../src/wiring/doctor/check.js';
import { mergeState } from '../../src/wiring/doctor/examine.js';
import { alertDeps } from '../notify/alert-deps.js';
import { bearer, testConsole } from '../support/console.js';
import { useFreshDatabase } from '../support/database.js';
import { useShell } from '../support/shell.js';
import { deliver } from './fault-steps.js';
import { allWell, readPlaces, runEverySeconds } from './five-places.js';

const database = useFreshDatabase();
const run = useShell(database);
const AWAY = 'The service does not answer';
const error = 'service_unavailable: getBalance: no connection (ECONNREFUSED)';
const check = () => checkAlerts({ ...alertDeps(database.db, () => new Date()), runEverySeconds });

beforeEach(async () => {
  const { db } = database;
  await allWell(db);
  const failed = [5, 4, 3].map((ago) => ({ at: Date.now() - ago * 1_000, operation: 'getBalance', error }));
  await noteAnswers(db, { answeredAt: null, failed });
});

test('while the service is away nothing offers what would fail, and what helps is one touch away', async () => {
  const before = (await readPlaces(database.db, run)).console;
  const alerts = await before.get('/alerts');
  expect(alerts.text).toContain(`The next check, within half a minute, adds to these alerts ${AWAY}`);
  expect(alerts.text).toContain('No alert fires yet The next check adds what is named above.');
  expect(alerts.text).not.toContain('none holds');

  await check();
  const { buttons, doctor, console } = await readPlaces(database.db, run);
  expect(buttons).toMatch(/href="\/alerts\/\d+"[^>]*>Open the runbook/);
  expect(buttons).not.toContain('Go to runs');
  const runs = await console.get('/runs');
  expect(runs.notices).toContain(AWAY);
  expect(runs.text).toContain('A run can be started once the service answers again');
  expect(runs.main).not.toContain('Start a run');
  const page = await console.get((/\/alerts\/\d+/.exec(buttons) ?? [''])[0]);
  expect(page.text).toContain('“The service answers again since …”');
  const summary = diagnosisLines(doctor, { all: false }).at(-1);
  expect(summary).toMatch(/: 1 to watch and \d+ not known yet/);
});

test('an alert that is over says so in every place, in the past, and counts nowhere', async () => {
  const { db } = database;
  await check();
  await noteAnswers(db, { answeredAt: Date.now(), failed: [] });
  await deliver(db, 'never_reached', 1, true);
  const { lines, console, status } = await readPlaces(db, run);
  expect(lines[0]).toMatch(/^state {5}critical: Deliveries of the service are missing here/);
  expect(lines[0]).not.toContain('more');
  expect(status.more).toBe(0);
  const { state } = await loadState(db, { now: new Date(), kinds: runKinds, runEverySeconds });
  const doctor = mergeState([ok('service', 'answers')], state, []);
  expect(doctor.map(({ name, status: of }) => [name, of])).toEqual([
    ['missed deliveries', 'finding'],
    ['service', 'ok'],
  ]);

  const over = {
    name: 'TallyhookServiceAway',
    status: 'firing',
    isOver: true,
    summary: 'The service did not answer',
    detail: expect.stringMatching(/^It was so: The payment service .* The alert ends within minutes\.$/) as string,
    remedy: '',
  };
  const { items } = (await run('alerts', 'list', '--json')).json as { items: { id: string }[] };
  expect(items).toEqual([expect.objectContaining(over)]);
  const id = items[0]?.id ?? '';
  expect((await run('alerts', 'show', id, '--json')).json).toMatchObject(over);
  const { app } = testConsole(db, { runEverySeconds });
  const api = (path: string) => request(app).get(`/api/v1/alerts${path}`).set(bearer('viewer'));
  expect((await api('')).body).toMatchObject({ items: [over] });
  expect((await api(`/${id}`)).body).toMatchObject(over);
  expect((await run('alerts', 'list')).stdout).toMatch(/firing, over +│ The service did not answer/);
  for (const path of ['/alerts', `/alerts/${id}`]) {
    const { text } = await console.get(path);
    expect(text).toContain('over, ends within minutes');
    expect(text).toContain('The service did not answer');
    expect(text).toContain('It was so: ');
    expect(text).not.toContain('Nothing is to be fixed here');
  }
});
