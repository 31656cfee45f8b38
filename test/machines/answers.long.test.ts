import { readdirSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, expect, type TestContext, test } from 'vitest';
import { z } from 'zod';
import { emptyYear, makeMonth } from '../drills/year/make-month.js';
import { open } from '../sandbox/random-world.js';
import { createEmptyDatabase } from '../support/database.js';
import { DRILL_MS, report, STEP_MS, until } from '../support/drill.js';
import { programBefore } from '../support/earlier-program.js';
import { createInstallation, type Installation } from '../support/installation.js';
import { createLoad } from '../support/load.js';
import { unmarked } from '../support/month-files.js';
import { runCli, startCli } from '../support/run-cli.js';
import { sized } from '../support/sizes.js';
import { lost } from './lost.js';

const PAYMENTS = sized(40, 400);
const MONTHS = sized(3, 12);
const OF_A_MONTH = sized(8, 250);
const TOKEN = 'answers-token-answers-token';
const NEWEST = readdirSync(path.join(import.meta.dirname, '../../migrations'))
  .filter((name) => /^\d{4}_/.test(name))
  .toSorted()
  .at(-1)!;
/** Each prints the same of the same database. */
const VERBS = [
  'events list',
  'deliveries missed',
  'rejections list',
  'breaks list',
  'balances',
  'books chart',
  'books accounts 2026-03',
  'match --state matched',
  'match',
  'periods list',
  'alerts list',
  'parts',
  'callbacks list',
  'orders show drill-1',
  'calls list',
  'refunds list',
  'secrets status',
  'audit verify',
];
const FORMATS = ['csv', 'ndjson', 'xlsx', 'hledger', 'beancount'];

const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

const document = z.object({ paths: z.record(z.string(), z.looseObject({ get: z.unknown().optional() })) });
const list = z.object({ items: z.array(z.record(z.string(), z.unknown())) });

type Answers = Map<string, unknown>;
type Surroundings = Pick<Installation, 'cwd' | 'env'> & { program?: string };

/** What a program answers of the database: the API, its metrics, its commands and its files. */
async function answersOf(program: string | undefined, { cwd, env }: Installation): Promise<Answers> {
  const surroundings = { cwd, env: { ...env, CONSOLE_TOKENS: `all:admin:${TOKEN}` }, ...(program && { program }) };
  const answers: Answers = new Map();
  const console = startCli(['console'], surroundings);
  closers.push(() => console.end('SIGKILL'));
  const [, url = ''] = await console.stdoutMatch(/^console +(http\S+)/m);
  const headers = { Authorization: `Bearer ${TOKEN}` };
  const ask = async (at: string) => {
    const response = await fetch(url + at, { headers });
    const body: unknown = response.headers.get('content-type')?.includes('json')
      ? await response.json()
      : await response.text();
    answers.set(at, { status: response.status, body });
    return body;
  };
  const { paths } = document.parse(await ask('/api/v1/openapi.json'));
  const gettable = Object.keys(paths).filter((at) => paths[at]?.get !== undefined);
  for (const at of gettable.filter((one) => !one.includes('{'))) await ask(`/api/v1${at}`);
  for (const at of gettable.filter((one) => one.includes('{'))) {
    const items = list.safeParse(bodyOf(answers.get(`/api/v1${at.slice(0, at.indexOf('/{'))}`))).data?.items ?? [];
    for (const item of items.slice(0, 3)) {
      const filled = at.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
        encodeURIComponent(String(item[name] ?? item['id'])),
      );
      await ask(`/api/v1${filled}`);
    }
  }
  const metrics = String(await ask('/metrics'));
  answers.set('/metrics', [...new Set(metrics.match(/^tallyhook_\w+/gm))].sort());
  expect(await console.end('SIGTERM')).toBe(0);
  for (const verb of VERBS) {
    const { code, stdout } = await runCli([...verb.split(' '), '--json'], { ...surroundings, longestMs: STEP_MS });
    answers.set(verb, { code, said: JSON.parse(stdout === '' ? 'null' : stdout) });
  }
  const month = new Date().toISOString().slice(0, 7);
  for (const format of FORMATS) answers.set(`export ${format}`, ofOpen(await exportOf(surroundings, month, format)));
  return answers;
}

/** The exit code and the files of a month. */
async function exportOf(surroundings: Surroundings, month: string, format: string) {
  const out = await mkdtemp(path.join(tmpdir(), 'answers-'));
  closers.push(() => rm(out, { recursive: true }));
  const args = ['export', month, '--format', format, '--out', out];
  const { code } = await runCli(args, { ...surroundings, longestMs: STEP_MS });
  const texts = (await readdir(out)).map(
    async (name) => [name, (await readFile(path.join(out, name))).toString('latin1')] as const,
  );
  return { code, files: Object.fromEntries(await Promise.all(texts)) };
}

/** An export of an open month, but for what its files say of that; hashes and workbooks are of all bytes. */
function ofOpen({ code, files }: Awaited<ReturnType<typeof exportOf>>) {
  const texts = Object.entries(files).filter(([name]) => !/\.(sha256|xlsx)$/.test(name));
  return { code, files: Object.fromEntries(texts.map(([name, text]) => [name, unmarked(name, text)])) };
}

const bodyOf = (answer: unknown) => z.looseObject({ body: z.unknown() }).safeParse(answer).data?.body;

/** The program of before the newest migration. */
async function earlierProgram(context: TestContext): Promise<{ program: string; commit: string }> {
  const earlier = await programBefore(NEWEST);
  if (earlier === null) return context.skip('NOT TRIED: git knows no earlier version here');
  closers.push(() => earlier.remove());
  return earlier;
}

test('after an upgrade all that was answered before is answered, with the same words; what is new is beside it', {
  timeout: DRILL_MS,
}, async (context) => {
  const { program, commit } = await earlierProgram(context);
  const database = await createEmptyDatabase();
  closers.push(() => database.drop());
  const installation = await createInstallation({ databaseUrl: database.url });
  closers.push(() => installation.close());
  const surroundings = { cwd: installation.cwd, env: installation.env, program, longestMs: STEP_MS };
  expect(await runCli(['migrate'], surroundings)).toMatchObject({ code: 0 });
  const all = startCli(['start'], surroundings);
  closers.push(() => all.end('SIGKILL'));
  await all.stdoutMatch(/^receiver /m);
  const load = createLoad(installation.sandbox);
  load.send(PAYMENTS);
  await until('all is applied', async () => {
    const { rows } = await database.db.raw(
      "SELECT count(*) FILTER (WHERE status = 'applied')::integer AS n FROM inbox",
    );
    return rows[0].n === load.events();
  });
  expect(await all.end('SIGTERM')).toBe(0);
  expect(await runCli(['reconcile', 'all'], surroundings)).toMatchObject({ code: 0 });
  // Posts what is known, as an export does by itself since then.
  const closing = ['periods', 'close', new Date().toISOString().slice(0, 7)];
  expect(await runCli(closing, surroundings)).toMatchObject({ code: 3 });
  const before = await answersOf(program, installation);
  expect(await installation.run(['migrate'])).toMatchObject({ code: 0, stdout: expect.stringContaining(NEWEST) });
  const after = await answersOf(undefined, installation);
  report(`answers since ${commit}`, { compared: before.size, payments: PAYMENTS });
  expect(before.size).toBeGreaterThan(60);
  expect([...before].flatMap(([asked, answer]) => lost(answer, after.get(asked), asked))).toEqual([]);
});

/** Bytes of each file of these months, in each format. */
async function filesOf(
  program: string | undefined,
  { cwd, env }: Pick<Installation, 'cwd' | 'env'>,
  months: readonly string[],
) {
  const files = new Map<string, string>();
  for (const month of months)
    for (const format of FORMATS) {
      const exported = await exportOf({ cwd, env, ...(program && { program }) }, month, format);
      expect(exported.code).toBe(0);
      for (const [name, text] of Object.entries(exported.files)) files.set(`${format} ${name}`, text);
    }
  return files;
}

/** Nothing is wrong, or breaks were found. */
const FOUND = expect.toSatisfy((code) => code === 0 || code === 3);

test('months that an earlier program closed are the same bytes, breaks and releases the same, before and after all is read again', {
  timeout: DRILL_MS,
}, async (context) => {
  const { program, commit } = await earlierProgram(context);
  const database = await createEmptyDatabase();
  closers.push(() => database.drop());
  const cwd = await mkdtemp(path.join(tmpdir(), 'year-'));
  closers.push(() => rm(cwd, { recursive: true }));
  const today = new Date();
  const first = (n: number) => Date.UTC(today.getUTCFullYear(), today.getUTCMonth() - MONTHS + n, 1, 0, 0, 30);
  const began = Date.now();
  const world = { ...(await open({ realNow: () => first(0) + Date.now() - began })), ...emptyYear() };
  const { control, url } = world.sandbox;
  control.setFaults({ links: true });
  control.deposit(null, 'USDT.TRC20', '1000.000001');
  const env = {
    SERVICE_BASE_URL: url,
    SERVICE_API_KEY: 'sandbox-api-key',
    SERVICE_RATE: '1000/s',
    WEBHOOK_SECRETS: `drill=whsec_${Buffer.alloc(32, 7).toString('base64')}`,
    LOG_LEVEL: 'warn',
    DATABASE_URL: database.url,
    ADOPTED_AT: new Date(first(0) - 3_600_000).toISOString(),
  };
  const old = (...args: string[]) => runCli(args, { cwd, env, program: program, longestMs: STEP_MS });
  const now = (...args: string[]) => runCli(args, { cwd, env, longestMs: STEP_MS });
  expect(await old('migrate')).toMatchObject({ code: 0 });
  expect(await old('reconcile', 'all')).toMatchObject({ code: FOUND });
  const months: string[] = [];
  for (let n = 0; n < MONTHS; n += 1) {
    await makeMonth(world, { month: n, payments: OF_A_MONTH, seconds: (first(n + 1) - first(n)) / 1_000 - 7_200 });
    expect(await old('reconcile', 'all')).toMatchObject({ code: FOUND });
    control.advance(Math.ceil((first(n + 1) - control.now()) / 1_000));
    const month = new Date(first(n)).toISOString().slice(0, 7);
    expect(await old('periods', 'close', month, '--reason', 'a drill')).toMatchObject({ code: 0 });
    months.push(month);
  }
  control.advance(Math.ceil((Date.now() - control.now()) / 1_000));
  // As whole as it is read afterwards: what was a break while a record was not read yet is closed by it.
  for (let n = 0; n < 2; n += 1) expect(await old('reconcile', 'all', '--full')).toMatchObject({ code: FOUND });
  const stand = async () => ({
    files: await filesOf(undefined, { cwd, env }, months),
    breaks: await database.db('breaks').select('id', 'kind', 'entity_kind', 'entity_id', 'status').orderBy('id'),
    orders: await database
      .db('orders')
      .select('reference', 'status', 'release_safe', 'release_reason')
      .orderBy('reference'),
    periods: await database.db('periods').select('*').orderBy('month'),
  });
  const files = await filesOf(program, { cwd, env }, months);
  expect(await now('migrate')).toMatchObject({ code: 0, stdout: expect.stringContaining(NEWEST) });
  const before = await stand();
  expect(before.files).toEqual(files);
  expect(await now('audit', 'verify')).toMatchObject({ code: 0 });
  expect(await now('reconcile', 'all', '--full')).toMatchObject({ code: FOUND });
  expect(await stand()).toEqual(before);
  expect(await now('audit', 'verify')).toMatchObject({ code: 0 });
  expect([files.size > MONTHS * 30, before.orders.length > MONTHS * OF_A_MONTH * 0.9]).toEqual([true, true]);
  report(`closed months since ${commit}`, {
    files: files.size,
    orders: before.orders.length,
    breaks: before.breaks.length,
  });
});
