import request from 'supertest';
import { beforeAll, describe, expect, it, test } from 'vitest';
import { statusOf } from '../../src/console/status.js';
import { inlineValue, runbookPanel, runbookSections } from '../../src/console/view/runbook.js';
import { alerts, conditions } from '../../src/domain/alerts/alerts.js';
import { checkAlerts } from '../../src/notify/alert-loop.js';
import { loadState } from '../../src/records/alerts/load-state.js';
import { openBreaks } from '../../src/records/breaks/breaks.js';
import { beginCanary, endCanary } from '../../src/records/inbox/canaries.js';
import { alertDeps } from '../notify/alert-deps.js';
import { bearer, testConsole } from '../support/console.js';
import { visit } from '../support/console-visit.js';
import { useDatabase } from '../support/database.js';
import { useShell } from '../support/shell.js';

const database = useDatabase();
const run = useShell(database);
const now = new Date();
let app: ReturnType<typeof testConsole>['app'];
let id: string;

/** A critical break is open, and its alert fires. */
beforeAll(async () => {
  const { db } = database;
  const entity = { kind: 'order', id: 'A-1' } as const;
  await db.transaction((trx) => openBreaks(trx, [{ kind: 'duplicate_payment', entity, evidence: {} }]));
  await checkAlerts(alertDeps(db, () => now));
  ({ app } = testConsole(db));
  id = String((await db('alerts').where({ name: 'TallyhookCriticalBreak' }).first('id')).id);
});

const api = (role: string, path: string) => request(app).get(`/api/v1/alerts/${path}`).set(bearer(role));
const post = (role: string, path: string, body: object) =>
  request(app).post(`/api/v1/alerts/${path}`).set(bearer(role)).send(body);
const inHours = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString();
const state = () => loadState(database.db, { now: new Date(), runEverySeconds: {} });

describe('an alert', () => {
  it('has a page with what it is, what to do, and what the runbook says', async () => {
    const page = await (await visit(app, 'viewer')).get(`/alerts/${id}`);
    expect(page.heading).toContain('Duplicate payment');
    expect(page.badges).toEqual(expect.arrayContaining(['critical', 'firing']));
    const runbook = page.panel('Runbook: A critical break is open');
    expect(runbook).toContain('money may be lost');
    for (const label of ['It means', 'Check', 'Do']) expect(runbook).toContain(`<dt>${label}</dt>`);
    expect(page.text).toContain('Nobody did anything yet');
    expect(page.main).not.toContain('Silence…');
    expect((await (await visit(app, 'viewer')).get('/alerts/9999')).status).toBe(404);
  });

  it('is acknowledged at the console, by a reason, and everybody sees by whom', async () => {
    const omar = await visit(app, 'operator');
    const after = await omar.press(await omar.get(`/alerts/${id}`), 'I am at it', { reason: 'calling the bank' });
    expect(after.flash).toContain('you are at it');
    expect(after.text).toContain('omar acknowledge alert calling the bank');
    expect((await (await visit(app, 'viewer')).get('/')).text).toContain(`alert ${id}: runbook omar is at it`);
    expect((await omar.get('/alerts')).text).toContain('omar');
    const { body } = await api('viewer', id);
    expect(body).toMatchObject({ id, status: 'firing', acknowledgedBy: 'omar', silencedUntil: null });
    const [action] = await database.db('actions').where({ action: 'acknowledge alert' });
    expect(action).toMatchObject({ actor: 'omar', target: `alert ${id}`, reason: 'calling the bank', outcome: 'done' });
  });

  it('is silenced until a time, and shown and counted as before', async () => {
    const before = await state();
    const until = inHours(2);
    const answer = await post('operator', `${id}/silence`, { until, note: 'known' });
    expect([answer.status, answer.body]).toEqual([
      200,
      expect.objectContaining({ silencedUntil: until, silencedBy: 'omar' }),
    ]);
    const after = await state();
    expect(after.state.severity).toBe('critical');
    expect(after.state.problems.map(({ title, count }) => [title, count])).toEqual(
      before.state.problems.map(({ title, count }) => [title, count]),
    );
    expect(statusOf(after).tone).toBe('bad');
    expect((await request(app).get('/readyz')).status).toBe(200);
    const page = await (await visit(testConsole(database.db).app, 'viewer')).get('/');
    expect(page.text).toContain(`silent until ${until.slice(0, 16).replace('T', ' ')} UTC`);
    expect((await run('status')).code).toBe(3);
  });

  it('is refused a silence without an end, by who may not, and where nothing fires', async () => {
    const asked = [
      await post('operator', `${id}/silence`, { until: inHours(169), note: 'n' }),
      await post('operator', `${id}/silence`, { until: inHours(-1), note: 'n' }),
      await post('operator', `${id}/silence`, { note: 'n' }),
      await post('operator', `${id}/acknowledge`, {}),
      await post('viewer', `${id}/acknowledge`, { note: 'n' }),
      await post('operator', '9999/acknowledge', { note: 'n' }),
    ];
    expect(asked.map(({ status }) => status)).toEqual([400, 400, 400, 400, 403, 404]);
    await database.db('alerts').insert({
      name: 'Over',
      severity: 'critical',
      summary: 's',
      detail: 'd',
      since: now,
      seen_at: now,
      fired_at: now,
      resolved_at: now,
    });
    const { id: over } = await database.db('alerts').where({ name: 'Over' }).first('id');
    expect((await post('operator', `${over}/silence`, { until: inHours(1), note: 'n' })).status).toBe(409);
  });

  it('is shown, acknowledged and silenced by commands', async () => {
    const shown = await run('alerts', 'show', id);
    expect([shown.code, shown.stdout]).toEqual([0, expect.stringMatching(/^runbook +docs\/runbook\.md#a-critical/m)]);
    const ack = await run('alerts', 'ack', id, '--note', 'me', '--json');
    expect(ack.json).toMatchObject({ acknowledgedBy: expect.stringMatching(/^os:/) as string });
    const tried = await run('alerts', 'silence', id, '--until', '3h', '--note', 'why', '--dry-run', '--json');
    const { silencedUntil } = tried.json as { silencedUntil: string };
    expect(Date.parse(silencedUntil) - Date.now()).toBeGreaterThan(2.9 * 3_600_000);
    expect((await api('viewer', id)).body.silencedUntil).not.toBe(silencedUntil);
    for (const until of ['8d', 'banana', '2020-01-01'])
      expect((await run('alerts', 'silence', id, '--until', until, '--note', 'n')).code).toBe(2);
    expect((await run('alerts', 'show', '9999')).code).toBe(2);
  });
});

describe('an alert about deliveries that are not here', () => {
  const at = (minutes: number) => new Date(now.getTime() - minutes * 60_000);
  const swallow = (n: number, minutes: number, inboxId: string | null = null) =>
    database.db('deliveries').insert({
      id: `wd_${n}`,
      class: 'phantom',
      ours: true,
      missed: false,
      open: inboxId === null,
      inbox_id: inboxId,
      recovered_at: inboxId === null ? null : now,
      payload: '{}',
      created_at: at(minutes),
      poll_from: 1,
      poll_ref: 'run',
    });

  it('counts as of now, begins recovery with the first of them, and leads to a list that still has the recovered', async () => {
    const { db } = database;
    await swallow(1, 90, '7');
    for (const n of [2, 3, 4]) await swallow(n, 60 - n);
    await checkAlerts(alertDeps(db, () => now));
    const { id: own } = await db('alerts').where({ name: 'TallyhookNothingArrives' }).first('id');
    await swallow(5, 1);
    const omar = await visit(testConsole(db).app, 'operator');
    const page = await omar.get(`/alerts/${own}`);
    const minute = (minutes: number) => at(minutes).toISOString().slice(0, 16);
    expect(page.text).toContain('4 deliveries in a row');
    expect(page.text).toContain(`The first was sent at ${minute(58).replace('T', ' ')} UTC`);
    expect(page.text).toContain(`deliveries recover --since ${minute(58)}Z`);
    for (const path of [`/alerts/${own}`, '/', '/deliveries']) {
      const { main } = await omar.get(path);
      expect(main, path).toContain('Recover 4…');
      expect(main, path).toContain(`value="${minute(58).replace('T', ' ')}"`);
    }
    expect(page.main).toContain('href="/deliveries?show=phantom"');
    const shown = async (show: string) => {
      const { main } = await omar.get(`/deliveries?show=${show}`);
      return [1, 2, 3, 4, 5].filter((n) => main.includes(`>wd_${n}<`));
    };
    expect(await shown('phantom')).toEqual([1, 2, 3, 4, 5]);
    await db('deliveries').whereIn('id', ['wd_4', 'wd_5']).update({ class: 'rejected' });
    await db('deliveries').where({ id: 'wd_3' }).update({ class: 'received' });
    expect(await shown('lost')).toEqual([1, 2, 4, 5]);
  });
});

test('Overview says when the newest canary came back, or how far it came', async () => {
  const { db } = database;
  const send = async (nonce: string, error: string | null) => {
    const canary = { nonce, body: Buffer.from(nonce), everySeconds: 1 };
    await db('canaries').update({ sent_at: db.raw("now() - interval '5 minutes'") });
    const id = await beginCanary(db, canary);
    await endCanary(db, id ?? '', { answeredMs: 9, storedMs: 5, appliedMs: 20, error });
    const shown = await (await visit(testConsole(db).app, 'viewer')).get('/');
    return /The canary [^.]*\./.exec(shown.text)?.[0].replace(/\d{4}-\d\d-\d\d \d\d:\d\d/, 'then');
  };
  expect(await send('first', null)).toBe('The canary came back at then UTC.');
  expect(await send('second', 'answered 502')).toBe('The canary of then UTC failed: answered 502.');
});

describe('the runbook in the console', () => {
  it('has what to do about each alert that the console shows, in words that are no HTML', () => {
    for (const { name, runbook } of conditions) {
      const section = runbookPanel(runbook);
      expect([name, section.is]).toEqual([name, 'panel']);
      const parts = runbookSections().get(runbook)?.parts ?? [];
      expect(parts.map(({ label }) => label).join(), name).toMatch(/It means.*Check.*[Dd]o/);
      for (const { text } of parts) expect(JSON.stringify(inlineValue(text)), name).not.toMatch(/\*|`|\]\(/);
    }
    expect(alerts.filter(({ runbook }) => runbookSections().get(runbook) === undefined)).toEqual([]);
  });

  it('takes code, links, bold text and emphasis apart, and nothing for HTML', () => {
    const value = inlineValue('Run `a <b>`, see [the page](operate.md#x) or [below](#y), **now** *A b* <script>.');
    expect(value).toEqual({
      is: 'line',
      values: [
        { is: 'text', text: 'Run ' },
        { is: 'id', id: 'a <b>' },
        { is: 'text', text: ', see ' },
        { is: 'text', text: 'the page' },
        { is: 'text', text: ' (docs/operate.md#x)', quiet: true },
        { is: 'text', text: ' or ' },
        { is: 'text', text: 'below' },
        { is: 'text', text: ', ' },
        { is: 'text', text: 'now' },
        { is: 'text', text: ' ' },
        { is: 'text', text: '“A b”' },
        { is: 'text', text: ' <script>.' },
      ],
    });
  });
});
