import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { remedyOf } from '../../src/domain/alerts/alerts.js';
import { runKinds } from '../../src/domain/run-kinds.js';
import type { Problem } from '../../src/domain/state/state.js';
import { type AlertDeps, checkAlerts } from '../../src/notify/alert-loop.js';
import { openAlerts } from '../../src/records/alerts/settle-alerts.js';
import { secretsStatus } from '../../src/webhook/rotation.js';
import { startService } from '../cli/doctor-service.js';
import { alertDeps } from '../notify/alert-deps.js';
import { testConsole } from '../support/console.js';
import { visit } from '../support/console-visit.js';
import { useFreshDatabase } from '../support/database.js';
import { useShell } from '../support/shell.js';
import { deliver, readAll, reject } from './fault-steps.js';
import { faults } from './faults.js';
import { allWell, readPlaces, runEverySeconds } from './five-places.js';

/*
 * Each fault is played, and read where people look: the status line, the overview, the doctor, the alerts and the command.
 * They agree on what is worst and on the numbers, and none is green.
 */
const database = useFreshDatabase();
const run = useShell(database);

beforeEach(() => allWell(database.db));

const slack: AlertDeps['channels'][number] = { name: 'slack', send: async () => ({ ok: true, httpStatus: 200 }) };
let service: Awaited<ReturnType<typeof startService>>;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());
const read = () => readPlaces(database.db, run, service.url);

/** They are of no list. */
const NO_LISTS = ['/doctor', '/audit'];
const PAGE_SIZE = 50;

/** Its page lists what it counts, all of it and nothing else; rejected requests are counted there. */
async function leadsTo({ page, count }: Pick<Problem, 'page' | 'count'>): Promise<void> {
  const admin = await visit(testConsole(database.db, { runKinds, runEverySeconds }).app, 'admin');
  const { main, text, status } = await admin.get(page);
  expect([page, status]).toEqual([page, 200]);
  const [path = ''] = page.split('?');
  if (NO_LISTS.includes(path)) return;
  const list = main.slice(main.indexOf('id="list"'));
  const rows = (list.slice(0, list.indexOf('</table>')).match(/<tr/g)?.length ?? 1) - 1;
  if (path === '/rejections') expect(text).toMatch(new RegExp(`\\b${count}\\b`));
  else if (count !== null) expect([page, rows]).toEqual([page, Math.min(count, PAGE_SIZE)]);
  else if (page.includes('status=')) expect([page, rows]).not.toEqual([page, 0]);
}

describe('what is wrong is the same wherever it is read', () => {
  it('nothing: every place is green, and the command ends with 0', async () => {
    const { status, overview, doctor, command, code, lines } = await readPlaces(database.db, run);
    // What the doctor alone has met so far.
    const away = doctor.find(({ name }) => name === 'service');
    expect(away?.remedy).toBe(remedyOf({ name: 'TallyhookServiceAway', subject: '' }));
    expect(status).toMatchObject({
      tone: 'good',
      items: [{ text: expect.stringMatching(/^All proven, the oldest at /) }],
    });
    expect(overview).toContain('Nothing is to be done');
    expect(command).toMatchObject({ severity: null, problems: [], needsPerson: false });
    expect(code).toBe(0);
    expect(lines).toHaveLength(5);
    expect(lines[0]).toMatch(/^state {5}well: All proven, the oldest at /);
  });

  it.each(faults)('$what', async ({ play, title, severity, count, follows, says = [], alert, forNobody = false }) => {
    const { db } = database;
    await play(db);
    const { status, overview, doctor, command, lines, code } = await read();

    const [first] = command.problems;
    expect([first?.title, first?.severity, first?.count ?? undefined]).toEqual([title, severity, count]);
    expect(command.severity).toBe(severity);
    expect([command.needsPerson, code]).toEqual(forNobody ? [false, 0] : [true, 3]);
    expect(lines[0]).toContain(`${severity}: ${title}`);
    if (follows !== undefined)
      expect([command.problems.length, first?.follows.map((one) => one.title)]).toEqual([1, follows]);

    const tone = severity === 'critical' || severity === 'high' ? 'bad' : 'warn';
    expect(status.tone).toBe(tone);
    expect(status.items[0]).toMatchObject({ tone, text: expect.stringContaining(title) as string });
    if (count !== undefined) expect(status.items[0]?.text).toMatch(new RegExp(`\\b${count}\\b`));

    for (const one of [first, ...(first?.follows ?? [])]) if (one !== undefined) await leadsTo(one);

    expect(overview).not.toContain('Nothing is to be done');
    expect(overview).toContain(title);
    expect(overview.indexOf(severity)).toBeGreaterThan(-1);
    if (count !== undefined) expect(overview).toMatch(new RegExp(`\\b${count}\\b`));

    const told = doctor.filter(({ status: of }) => of !== 'ok');
    const checks = first?.checks ?? [];
    expect(
      told.some(({ name }) => checks.every((check) => name.includes(check))),
      checks.join(),
    ).toBe(true);
    expect(doctor.filter(({ name, status: of }) => of === 'ok' && checks.includes(name))).toEqual([]);
    if (command.needsPerson) expect(told.some(({ status: of }) => of === 'finding')).toBe(true);

    const spoken = [`${first?.detail} ${first?.remedy}`, overview, told.map((of) => `${of.found} ${of.remedy}`).join()];
    for (const sentence of says) for (const place of spoken) expect(place).toContain(sentence);

    // Whoever checks says that it is at work, so what it finds of itself is what stood before.
    const fails = () => Promise.reject(new Error('connect ECONNREFUSED'));
    await checkAlerts({ ...alertDeps(db, () => new Date()), runEverySeconds, askQueue: fails, channels: [slack] });
    const alerts = await openAlerts(db);
    if (alert !== undefined) expect(alerts.map(({ name }) => name)).toContain(alert);
    const sent = alerts.filter(({ name }) => name === first?.name).map((one) => `${one.detail} ${remedyOf(one)}`);
    for (const sentence of says) for (const words of sent) expect(words).toContain(sentence);

    // One remedy, and one moment, wherever the same is said.
    const found = told.find(
      ({ name, status: of }) => of === 'finding' && checks.every((check) => name.includes(check)),
    );
    if (command.needsPerson) expect(found?.remedy).toBe(first?.remedy);
    for (const one of alerts) {
      const same = command.problems.find(({ name, subjects }) => name === one.name && subjects.join() === one.subject);
      if (same === undefined || one.fired_at === null) continue;
      expect(remedyOf(one)).toBe(same.remedy);
      if (same.seconds === null) continue;
      const apart = (Date.now() - one.since.getTime()) / 1_000 - same.seconds;
      expect(Math.abs(apart)).toBeLessThan(9);
    }
  });

  it('a service that is down is one finding of the doctor, whatever cannot be read because of it', async () => {
    await readAll(database.db, 5, 'service_unavailable: listPayouts: no answer');
    const { doctor } = await readPlaces(database.db, run);
    expect(doctor.filter(({ status }) => status === 'finding').map(({ name }) => name)).toEqual(['service']);
    const [cause] = doctor.filter(({ status }) => status === 'finding');
    expect(cause?.follows?.join()).toContain('is not proven');
    const kinds = doctor.filter(({ name }) => (runKinds as readonly string[]).includes(name));
    expect(kinds.map(({ status, remedy, because }) => [status, remedy, because])).toEqual(
      runKinds.map(() => ['unknown', null, 'The service does not answer']),
    );
  });

  it('the overview has the button for what can be done, and none for what would fail', async () => {
    const { db } = database;
    const shown = async () => {
      const { app } = testConsole(db, { runKinds, runEverySeconds });
      const page = await (await visit(app, 'admin')).get('/');
      const labels = ['Recover 1', 'Recover a time range', 'Start a run', 'Replay all that were given up'];
      return labels.filter((label) => page.main.includes(`${label}…`));
    };
    expect(await shown()).toEqual([]);
    await db('callbacks').insert({ reference: 'a', status: 'dead', seq: 1, data: '{}', changed_at: new Date() });
    await deliver(db, 'phantom', 1, true);
    expect(await shown()).toEqual(['Replay all that were given up']);
    await db('deliveries').update({ payload: '{}', created_at: new Date() });
    expect(await shown()).toEqual(['Recover 1', 'Replay all that were given up']);
    await readAll(db, 5, 'the list could not be read');
    expect(await shown()).toEqual(['Recover 1', 'Start a run', 'Replay all that were given up']);
    await readAll(db, 2, 'service_unavailable: listPayouts: no answer');
    expect(await shown()).toEqual(['Replay all that were given up']);
  });

  it('an alert that is over has no colour anywhere, and asks nobody for anything', async () => {
    const { db } = database;
    await deliver(db, 'never_reached', 1, true);
    const asked = { ...alertDeps(db, () => new Date()), runEverySeconds, channels: [slack] };
    await checkAlerts({ ...asked, now: () => new Date(Date.now() - 180_000) });
    await checkAlerts({ ...asked, now: () => new Date(Date.now() - 20_000) });
    const shown = async () => {
      const console = await visit(testConsole(db, { runKinds, runEverySeconds }).app, 'admin');
      return { ...(await read()), alerts: (await console.get('/alerts')).main };
    };
    const fires = await shown();
    expect([fires.status.tone, fires.code]).toEqual(['bad', 3]);
    expect(fires.alerts).toContain('badge tone-bad">critical');
    await db('deliveries').update({ missed: false, open: false });
    await db('alerts').update({ seen_at: new Date(Date.now() - 60_000) });
    const { status, overview, command, lines, code, alerts } = await shown();
    const title = 'Not any more: Deliveries of the service are missing here';
    expect(status).toMatchObject({ tone: 'good', items: [{ tone: 'good' }, { tone: 'quiet', text: title }] });
    expect(overview).toMatch(/over Not any more: .* Nothing\./);
    expect([command.severity, command.needsPerson, code]).toEqual([null, false, 0]);
    expect(lines[0]).toMatch(`; ${title}`);
    expect(alerts).toContain('badge tone-quiet">over, ends within minutes');
    expect(alerts).not.toContain('tone-bad');
  });

  it('the numbers of rejected requests are those of all, also beside samples', async () => {
    await reject(database.db, 'invalid_signature', 100, 100);
    const { overview, command, lines } = await read();
    expect(command.webhooks.rejected).toBe(100);
    expect(lines[1]).toContain('100 rejected');
    expect(overview).toContain('100 requests rejected');
    expect(overview).not.toMatch(/\b12 (rejected|requests)/);
    const listed = await run('rejections', 'list', '--json');
    expect(listed.json).toMatchObject({ counts: [{ reason: 'invalid_signature', day: 100 }] });
    const { app } = testConsole(database.db, {
      runKinds,
      runEverySeconds,
      secretsStatus: () => secretsStatus(database.db, [{ label: 'new', secret: 'whsec_0123456789abcdef' }]),
    });
    const admin = await visit(app, 'admin');
    const pages = [await admin.get('/secrets'), await admin.get('/rejections')].map(({ main }) => main);
    for (const page of pages) expect(page).toMatch(/\b100\b/);
    expect(pages[0]).toContain('Webhooks are rejected for their signature: 100');
    expect(pages[0]).toContain('Look at “new”: nothing has ever come under it. Put the endpoint’s secret');
    await checkAlerts({ ...alertDeps(database.db, () => new Date()), runEverySeconds, channels: [slack] });
    const [alert] = await openAlerts(database.db);
    expect(alert?.detail).toMatch(/^100 in the last hour/);
    // Twelve samples are kept; what the clock says is no number of theirs.
    const clocks = /<time[^]*?<\/time>|\d{4}-\d\d-\d\d \d\d:\d\d(:\d\d)?/g;
    for (const text of [...pages, alert?.detail, command.problems[0]?.detail])
      expect(text?.replaceAll(clocks, '')).not.toMatch(/\b12\b/);
  });
});
