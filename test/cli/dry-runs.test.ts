import { existsSync } from 'node:fs';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { recordAction } from '../../src/records/actions/record-action.js';
import { sealRows } from '../../src/records/audit/seal-rows.js';
import { verifySignature } from '../../src/webhook/verify-signature.js';
import { createEmptyDatabase, useFreshDatabase } from '../support/database.js';
import { runHere } from '../support/run-here.js';
import { isAll } from '../support/sizes.js';

const SECRET = 'whsec_dry';

const database = useFreshDatabase();
let cwd: string;
beforeEach(async () => {
  cwd = await mkdtemp(path.join(tmpdir(), 'dry-'));
});
afterEach(async () => {
  await rm(cwd, { recursive: true, force: true });
});

const run = async (args: string[], more: Record<string, string> = {}) => {
  const env = { DATABASE_URL: database.url, WEBHOOK_SECRETS: `live=${SECRET}`, LOG_LEVEL: 'silent', ...more };
  return runHere(args, { cwd, env });
};
const json = async (...args: string[]) => {
  const { code, stdout, stderr } = await run([...args, '--json']);
  return { code, stderr, printed: JSON.parse(stdout || 'null') };
};
const act = (note: string) =>
  recordAction(database.db, { actor: 'cli:test', action: 'run', reason: note, details: {}, outcome: 'asked' });
const seal = () => sealRows({ db: database.db, now: () => new Date() });
const written = async () => [await readdir(cwd), await database.db('seals'), await database.db('actions')];
const names = (printed: { items: { name: string }[] }) => printed.items.map(({ name }) => name);

test('export --dry-run lists the files that the export then writes, and writes none', async () => {
  for (const format of isAll ? ['csv', 'xlsx', 'hledger'] : ['csv', 'hledger']) {
    const words = ['export', '2026-03', '--format', format, '--out', 'books'];
    const rehearsed = await json(...words, '--dry-run');
    // Nothing is posted: that is said, and no export of it is called well.
    const findings = ['nothing is posted until the end of 2026-03'];
    const printed = { month: '2026-03', format, status: 'open', findings, dryRun: true };
    expect(rehearsed).toMatchObject({ code: 3, printed });
    expect(rehearsed.printed.dir).toBe(path.join(cwd, 'books'));
    expect(existsSync(path.join(cwd, 'books'))).toBe(false);
    const ran = await run(words);
    expect(ran.code).toBe(3);
    expect(ran.stderr).toContain('2026-03 is open: it may still change\nnothing is posted until the end of 2026-03\n');
    expect(names(rehearsed.printed).sort()).toEqual((await readdir(path.join(cwd, 'books'))).sort());
    await rm(path.join(cwd, 'books'), { recursive: true });
  }
  const printed = await run(['export', '2026-03', '--format', 'hledger', '--out', 'books', '--dry-run']);
  expect(printed.stdout).toContain('2026-03.journal');
  expect(printed.stderr).toContain(`nothing was written; it would be to ${path.join(cwd, 'books')}`);
}, 120_000);

test('audit export --dry-run and audit pack --dry-run say what would be written where, and write and seal nothing', async () => {
  const month = new Date().toISOString().slice(0, 7);
  const [exporting, packing] = [
    ['audit', 'export', '--out', 'seals'],
    ['audit', 'pack', month, '--out', path.join('for', 'pack.zip')],
  ];
  expect((await json(...exporting, '--dry-run')).code).toBe(2);
  await act('first');
  await seal();
  await act('second');
  const before = await written();

  const exported = await json(...exporting, '--dry-run');
  expect(exported).toMatchObject({
    code: 0,
    printed: { from: '1', to: '1', dryRun: true, dir: path.join(cwd, 'seals') },
  });
  const packed = await json(...packing, '--dry-run');
  expect(packed).toMatchObject({
    code: 0,
    printed: { month, status: 'open', dryRun: true, dir: path.join(cwd, 'for') },
  });
  // Sealed first would be what is not sealed yet.
  expect(packed.printed.seals).toMatchObject({ to: '2' });
  expect(await written()).toEqual(before);

  expect((await run(exporting)).code).toBe(0);
  expect(names(exported.printed).sort()).toEqual((await readdir(path.join(cwd, 'seals'))).sort());
  expect((await run(packing)).code).toBe(0);
  expect(names(packed.printed).sort()).toEqual((await readdir(path.join(cwd, 'for'))).sort());
  const far = ['audit', 'pack', '2999-01', '--out', 'x.zip'];
  expect(await run([...far, '--dry-run'])).toMatchObject({ code: 2, stderr: (await run(far)).stderr });
}, 120_000);

test('migrate --dry-run lists the migrations that migrate then runs', async () => {
  const empty = await createEmptyDatabase();
  try {
    const at = { DATABASE_URL: empty.url };
    const rehearsed = await run(['migrate', '--dry-run'], at);
    expect(rehearsed.code).toBe(0);
    expect(rehearsed.stderr).toMatch(
      /^\d+ migrations would be run\n.*schema of the queues would be brought up to date/s,
    );
    const { items, dryRun } = JSON.parse((await run(['migrate', '--dry-run', '--json'], at)).stdout);
    expect([items.map(({ name }: { name: string }) => `${name}\n`).join(''), dryRun]).toEqual([rehearsed.stdout, true]);
    expect((await empty.db.raw(`SELECT FROM pg_tables WHERE schemaname IN ('public', 'bullmq')`)).rows).toEqual([]);
    expect((await run(['migrate'], at)).stdout).toBe(rehearsed.stdout);
    expect(await run(['migrate', '--dry-run'], at)).toMatchObject({
      code: 0,
      stdout: '',
      stderr: 'already up to date\n',
    });
    expect(JSON.parse((await run(['migrate', '--json'], at)).stdout)).toEqual({ items: [], dryRun: false });
  } finally {
    await empty.drop();
  }
}, 120_000);

test('trigger --dry-run says what it would send, and sends nothing', async () => {
  let requests = 0;
  let answer = '{"received":true,"id":"1","duplicate":false}';
  const receiver = createServer((_req, res) => {
    requests += 1;
    res.end(answer);
  });
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/webhooks`;
  try {
    const words = ['trigger', 'payout.failed', '--url', url, '--data', '{"id":"po_1"}'];
    const { code, stdout } = await run([...words, '--dry-run']);
    expect([code, requests]).toEqual([0, 0]);
    const { method, url: to, secret, headers, body } = JSON.parse(stdout);
    expect({ method, to, secret }).toEqual({ method: 'POST', to: url, secret: 'live' });
    const given = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), [String(value)]]);
    const secrets = [{ label: 'live', secret: SECRET }];
    const verdict = verifySignature(Buffer.from(body), Object.fromEntries(given), secrets);
    expect(verdict).toMatchObject({ ok: true, envelope: { event: 'payout.failed', data: { id: 'po_1' } } });
    expect(stdout).not.toContain(SECRET);
    expect((await run([...words, '--dry-run', '--json'])).code).toBe(0);
    expect(await run([...words, '--json'])).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('"status": 200'),
    });
    expect(requests).toBe(1);
    for (answer of ['<html>ok</html>', '{}', 'null', '{"received":false}'])
      expect(await run(words)).toMatchObject({ code: 1, stderr: expect.stringContaining('That is not our receiver') });
  } finally {
    receiver.close();
  }
}, 120_000);

test('secrets retire --leaked --dry-run says what comes of it, and changes nothing; then that comes of it', async () => {
  const { db } = database;
  const received_at = new Date();
  await db('report_checks').insert({ inbox_id: 7, secret_label: 'live', received_at, state: 'not_sent' });
  const forged = { kind: 'event_not_sent', severity: 'critical', entity_kind: 'event', entity_id: '7', evidence: '{}' };
  await db('breaks').insert(forged);
  const words = ['secrets', 'retire', 'live', '--leaked'];
  expect(await run(words)).toMatchObject({ code: 2, stderr: expect.stringContaining('--leaked takes --note') });
  const wanted = {
    label: 'live',
    retired: true,
    disproved: 0,
    undecided: 0,
    orders: [],
    breaks: { event_not_sent: 1 },
  };
  const noted = [...words, '--note', 'in a paste'];
  expect(await json(...noted, '--dry-run')).toMatchObject({ code: 0, printed: { ...wanted, dryRun: true } });
  expect(await db('breaks').first('status')).toEqual({ status: 'open' });
  expect([await db('secrets'), await db('actions')]).toEqual([[], []]);

  const done = await run(noted);
  expect(done).toMatchObject({ code: 0, stdout: expect.stringContaining('breaks resolved: 1 event_not_sent') });
  expect(await db('breaks').first('status')).toEqual({ status: 'resolved' });
  expect(await db('break_steps').first('note')).toEqual({ note: 'in a paste' });
  expect(await db('secrets').first()).toMatchObject({ label: 'live', leaked_at: expect.any(Date) });
  expect(await db('actions').orderBy('id').pluck('action')).toEqual(['retire secret', 'secret leaked']);
}, 120_000);
