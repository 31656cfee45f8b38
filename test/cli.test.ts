import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { readPostmaster } from '../src/embedded-postgres/cluster.js';
import { freePort } from '../src/embedded-postgres/free-port.js';
import { homeOf } from '../src/embedded-postgres/identity.js';
import { openEmbeddedPostgres } from '../src/embedded-postgres/open-embedded-postgres.js';
import { isAlive } from '../src/embedded-postgres/process.js';
import { type Sandbox, startSandbox } from '../src/sandbox/start-sandbox.js';
import { expectAskedMetrics } from './deploy/asked-metrics.js';
import { createEmptyDatabase, createTestDatabase, type TestDatabase } from './support/database.js';
import { hasPromtool, promtool } from './support/promtool.js';
import { type CliProcess, runCli, startCli } from './support/run-cli.js';
import { runHere } from './support/run-here.js';

let cwd: string;
let sandbox: Sandbox;
const running: CliProcess[] = [];

beforeAll(async () => {
  sandbox = await startSandbox({});
});
afterAll(() => sandbox.close());

beforeEach(async () => {
  cwd = await mkdtemp(path.join(tmpdir(), 'cli-'));
});
afterEach(async () => {
  for (const cli of running.splice(0)) await cli.end('SIGKILL');
  // Whoever was killed left nobody to stop the server: join and leave.
  const dir = path.join(cwd, '.tallyhook');
  if (existsSync(dir) && (await postmaster()) !== null) await (await openEmbeddedPostgres({ dir })).close();
  await rm(cwd, { recursive: true, force: true });
});

const postmaster = async () => readPostmaster(path.join(homeOf(path.join(cwd, '.tallyhook', 'postgres')), 'data'));

const settings = (more: Record<string, string> = {}): Record<string, string> => ({
  SERVICE_BASE_URL: sandbox.url,
  SERVICE_API_KEY: 'sandbox-api-key',
  // Else calls wait for their turn.
  SERVICE_RATE: '1000/s',
  WEBHOOK_SECRETS: 'test=whsec_test',
  CONSOLE_TOKENS: 'ann:admin:ann-has-a-long-token',
  PORT: '0',
  HOST: '127.0.0.1',
  CONSOLE_PORT: '0',
  ...more,
});

function start(args: string[], env: Record<string, string>): CliProcess {
  const cli = startCli(args, { cwd, env });
  running.push(cli);
  return cli;
}

async function addressOf(cli: CliProcess, name: string): Promise<string> {
  return (await cli.stdoutMatch(new RegExp(`^${name} +(http://\\S+)$`, 'm')))[1]!;
}

const readiness = async (url: string) => {
  const response = await fetch(`${url}/readyz`);
  return { status: response.status, ...((await response.json()) as { ok: boolean; problems: string[] }) };
};

async function expectHealth(cli: CliProcess): Promise<void> {
  const url = await addressOf(cli, 'metrics');
  expect(await readiness(url)).toMatchObject({ status: 200 });
  expect(await (await fetch(`${url}/metrics`)).text()).toContain('tallyhook_build_info');
}

describe('words and exit codes', () => {
  test.each([
    [['--help'], 0, /start[\s\S]*migrate[\s\S]*sandbox/],
    [['--version'], 0, /^\d+\.\d+\.\d+/],
    [['help', 'sandbox'], 0, /--seed/],
  ])('%s is answered on stdout', async (args, code, pattern) => {
    const result = await runHere(args, { cwd });
    expect(result).toMatchObject({ code, stderr: '' });
    expect(result.stdout).toMatch(pattern);
  });

  test('a process of its own says the same, with the same code', async () => {
    expect(await runCli(['frobnicate'], { cwd })).toEqual(await runHere(['frobnicate'], { cwd }));
  });

  test.each([
    [['frobnicate'], /unknown command 'frobnicate'/],
    [[], /Usage/],
    [['start', '--fast'], /unknown option '--fast'/],
    [['sandbox', '--port', '99999'], /Accepted is a whole number from 0 to 65535/],
  ])('%s is a mistake of usage', async (args, pattern) => {
    const result = await runHere(args, { cwd });
    expect(result).toMatchObject({ code: 2, stdout: '' });
    expect(result.stderr).toMatch(pattern);
  });

  test('start with nothing configured lists what is missing, and makes nothing', async () => {
    const { code, stderr } = await runHere(['start'], { cwd });
    expect(code).toBe(2);
    for (const name of ['SERVICE_BASE_URL', 'SERVICE_API_KEY', 'WEBHOOK_SECRETS', 'CONSOLE_TOKENS']) {
      expect(stderr).toContain(`${name}\n    missing`);
    }
    expect(existsSync(path.join(cwd, '.tallyhook'))).toBe(false);
  });

  test('of the roles that run alone the receiver asks for no key of the service', async () => {
    expect((await runHere(['serve'], { cwd })).stderr).not.toContain('SERVICE_API_KEY');
    for (const role of ['work', 'schedule', 'console', 'doctor'])
      expect((await runHere([role], { cwd })).stderr).toMatch(/SERVICE_API_KEY\n {4}missing.*\n.*the receiver alone/);
  });

  test('.env is read, and the environment wins', async () => {
    await writeFile(path.join(cwd, '.env'), 'PORT=wrong\nLOG_LEVEL=wrong\n');
    const { stderr } = await runHere(['migrate'], { cwd, env: { PORT: '1' } });
    expect(stderr).toContain('LOG_LEVEL\n    given "wrong"');
    expect(stderr).not.toContain('PORT\n');
  });
});

describe('sandbox', () => {
  test('prints where it is, and ends with 0 on SIGTERM', async () => {
    const cli = start(['sandbox', '--seed', '7'], {});
    const url = await addressOf(cli, 'sandbox');
    const answer = await fetch(`${url}/v1/payment-intents`, { headers: { authorization: 'Bearer sandbox-api-key' } });
    expect(answer.status).toBe(200);
    expect(await cli.end('SIGTERM')).toBe(0);
  });
});

const FIRST_RUN = /^tallyhook_reconcile_last_success_timestamp_seconds\{kind="payment-intents"\} \d/m;

describe('start', () => {
  test('on the embedded database: ready within seconds, a scrape has what is asked for, a verb joins, Ctrl-C leaves no process', async () => {
    const cli = start(['start'], settings());
    const receiver = await addressOf(cli, 'receiver');
    const console = await addressOf(cli, 'console');
    expect(await readiness(receiver)).toEqual({ status: 200, ok: true });
    expect(await readiness(console)).toEqual({ status: 200, ok: true, problems: [] });
    expect((await fetch(`${receiver}/metrics`)).status).toBe(404);
    const scrape = () => fetch(`${console}/metrics`).then((answer) => answer.text());
    await vi.waitFor(async () => expect(await scrape()).toMatch(FIRST_RUN), { timeout: 60_000, interval: 250 });
    await expectAskedMetrics(await scrape());
    if (hasPromtool()) expect(promtool(['check', 'metrics'], await scrape())).toEqual({ status: 0, output: '' });

    expect(await runHere(['migrate'], { cwd })).toMatchObject({
      code: 0,
      stdout: '',
      stderr: expect.stringContaining(`this is the embedded database in ${path.join(cwd, '.tallyhook')}\n`),
    });
    const { pid } = (await postmaster())!;

    // A terminal sends it to the whole group, and npm passes it on once more.
    cli.child.kill('SIGINT');
    expect(await cli.end('SIGINT')).toBe(130);
    expect(isAlive(pid)).toBe(false);
  });
});

describe('roles of their own, on one database', () => {
  let database: TestDatabase;
  beforeEach(async () => {
    database = await createTestDatabase();
  });
  afterEach(() => database.drop());

  test('each runs alone, shows its health on METRICS_PORT, and ends with 0 on SIGTERM', async () => {
    const env = settings({ DATABASE_URL: database.url, METRICS_PORT: '0' });
    // `serve` below.
    const roles = [start(['work'], env), start(['schedule'], env)];
    for (const cli of roles) await expectHealth(cli);
    expect(await Promise.all(roles.map((cli) => cli.end('SIGTERM')))).toEqual([0, 0]);
  });

  test('each port that is taken is named, with the setting to blame', async () => {
    const servers = [createServer().listen(0, '127.0.0.1'), createServer().listen(0, '127.0.0.1')];
    await vi.waitUntil(() => servers.every((server) => server.listening));
    const [port, consolePort] = servers.map((server) => (server.address() as AddressInfo).port);
    const { code, stderr } = await runHere(['start'], {
      cwd,
      env: settings({ DATABASE_URL: database.url, PORT: String(port), CONSOLE_PORT: String(consolePort) }),
    });
    for (const server of servers) server.close();
    expect(code).toBe(2);
    expect(stderr).toContain(`\nPORT\n    given 127.0.0.1:${port}, but another program listens there`);
    expect(stderr).toContain(`CONSOLE_PORT\n    given 127.0.0.1:${consolePort}, but another program listens there`);
  });
});

test('a receiver before its schema answers probes, refuses events with 503, and begins once migrated', async () => {
  const database = await createEmptyDatabase();
  const port = await freePort(null);
  // A receiver alone has no key of the service.
  const env = settings({ DATABASE_URL: database.url, PORT: String(port), METRICS_PORT: '0', SERVICE_API_KEY: '' });
  const cli = start(['serve'], env);
  const url = `http://127.0.0.1:${port}`;
  await vi.waitFor(async () => expect(await readiness(url)).toMatchObject({ status: 503, ok: false }), 10_000);
  expect((await fetch(`${url}/livez`)).status).toBe(200);
  const refused = await fetch(`${url}/webhooks`, { method: 'POST', body: '{}' });
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '5']);

  expect((await runHere(['migrate'], { cwd, env })).code).toBe(0);
  await addressOf(cli, 'receiver');
  expect(await readiness(url)).toMatchObject({ status: 200 });
  await expectHealth(cli);
  expect(await cli.end('SIGTERM')).toBe(0);
  await database.drop();
});
