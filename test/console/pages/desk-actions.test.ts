import { beforeAll, describe, expect, it, vi } from 'vitest';
import { notesOf, recordHeartbeat } from '../../../src/records/process-heartbeats.js';
import { secretSample, testConsole } from '../../support/console.js';
import { seedConsole } from '../../support/console-samples.js';
import { type Reader, visit } from '../../support/console-visit.js';
import { useDatabase } from '../../support/database.js';

const store = useDatabase();
let operator: Reader;
let finance: Reader;
let commands: ReturnType<typeof testConsole>['commands'];
let others = [{ ...secretSample, label: 'new', missing: ['it is the newest that matched'] }];
const runDoctor = vi.fn(async () => [
  { name: 'endpoint', status: 'finding' as const, found: 'it is inactive', remedy: 'switch it on' },
]);

beforeAll(async () => {
  await seedConsole(store.db);
  const secretsStatus = async () => {
    const { retired_at: at } = await store.db('secrets').where({ label: 'old' }).first();
    const old =
      at === null ? secretSample : { ...secretSample, verdict: 'retired' as const, retiredAt: at.toISOString() };
    return { items: [old, ...others] };
  };
  const { app, ...rest } = testConsole(store.db, { secretsStatus, runDoctor });
  ({ commands } = rest);
  [operator, finance] = await Promise.all([visit(app, 'operator'), visit(app, 'finance')]);
});

const newestAction = () => store.db('actions').orderBy('id', 'desc').first();

describe('a break', () => {
  it('is written off by finance with a note, and by nobody who may not', async () => {
    const { id } = await store.db('breaks').where({ kind: 'rejected_delivery' }).first();
    const { text } = await operator.get(`/breaks/${id}`);
    expect(text).toContain('Resolve…');
    expect(text).not.toContain('Write off…');

    const page = await finance.get(`/breaks/${id}`);
    expect(page.text).not.toContain('Resolve…');
    const after = await finance.press(page, 'Write off', { reason: 'paid out by hand' });
    expect(after.flash).toContain('written off');
    expect(after.text).toContain('paid out by hand');
    expect(await store.db('breaks').where({ id }).first()).toMatchObject({ status: 'written_off' });
    const kept = await store.db('actions').where({ action: 'write off break', target: `break ${id}` });
    expect(kept).toMatchObject([{ actor: 'fina', outcome: 'done', reason: 'paid out by hand' }]);
  });
});

describe('a secret', () => {
  it('is not retired while something is missing, then by force with the reason that the form still has, and is taken back', async () => {
    const { get, press } = operator;
    const refused = await press(await get('/secrets'), 'Retire', { force: 'no', reason: 'it leaked' });
    expect([refused.status, refused.flash]).toEqual([409, expect.stringContaining('still pending')]);
    expect(refused.flash).toMatch(/Nothing was changed\.$/);
    expect(refused.form('Retire').fields).toMatchObject({ force: 'no', reason: 'it leaked' });
    expect(await store.db('secrets').where({ label: 'old' }).first()).toMatchObject({ retired_at: null });
    expect(await newestAction()).toMatchObject({ action: 'retire secret', target: 'secret old', outcome: 'refused' });
    const retired = await press(refused, 'Retire', { force: 'yes' });
    expect(retired.flash).toContain('retired');
    expect(await store.db('secrets').where({ label: 'old' }).first()).toMatchObject({ retired_by: 'omar' });
    const kept = await store.db('actions').where({ action: 'retire secret' }).orderBy('id');
    expect(kept.map(({ outcome }) => outcome)).toEqual(['refused', 'done']);
    const again = await press(retired, 'Accept it again', { reason: 'it did not leak' });
    expect(again.flash).toContain('accepted again');
    expect(await store.db('secrets').where({ label: 'old' }).first()).toMatchObject({ retired_at: null });
  });

  it('is said to be the last one, when it is, and where another is put in', async () => {
    const { get, press } = operator;
    await recordHeartbeat(store.db, ['receiver', ...notesOf({ accepted: 2, fromFile: true })]);
    const page = await get('/secrets');
    const kept = others;
    others = [];
    const retired = await press(page, 'Retire', { force: 'yes', reason: 'it leaked' });
    others = kept;
    expect(retired.flash).toContain('NO WEBHOOK IS ACCEPTED without "old"');
    expect(retired.flash).toContain('the file of WEBHOOK_SECRETS_FILE, which is read again at once');
    expect(retired.flash).not.toMatch(/WEBHOOK_SECRETS\b(?!_)/);
    expect((await press(retired, 'Accept it again', { reason: 'it did not' })).flash).toContain('accepted again');
  });
});

describe('a secret that leaked', () => {
  it('shows first what comes of it, and does it once that is confirmed', async () => {
    const { get, press } = operator;
    const preview = await press(await get('/secrets'), 'It leaked', { reason: 'found in a paste' });
    expect(preview.path).toMatch(/\/old\/leaked$/);
    expect(preview.text).toContain('breaks resolved: none');
    expect(await store.db('secrets').where({ label: 'old' }).first()).toMatchObject({ leaked_at: null });
    expect((await press(preview, 'It leaked')).flash).toContain('retired as one that leaked');
    expect(await store.db('secrets').where({ label: 'old' }).first()).toMatchObject({ leaked_at: expect.any(Date) });
    expect(await newestAction()).toMatchObject({
      action: 'secret leaked',
      reason: 'found in a paste',
      outcome: 'done',
    });
  });
});

describe('runs and checks', () => {
  it('are asked for, and the checks’ result is kept for everybody', async () => {
    const { get, press } = operator;
    const page = await get('/runs?kind=invoices');
    expect(page.form('Start a run').fields).toMatchObject({ kind: 'invoices' });
    const asked = await press(page, 'Start a run', { full: 'yes', reason: 'after the outage' });
    expect(asked.flash).toContain('full run of invoices');
    expect(commands.run).toHaveBeenCalledExactlyOnceWith({ kind: 'invoices', full: true });

    const doctor = await get('/doctor');
    expect(runDoctor).not.toHaveBeenCalled();
    await press(doctor, 'Run the checks now');
    await vi.waitFor(async () => {
      const { text } = await get('/doctor');
      expect(text).toContain('1 finding: something is to be done');
      expect(text).toContain('switch it on');
    }, 20_000);
    expect(runDoctor).toHaveBeenCalledOnce();
  });
});
