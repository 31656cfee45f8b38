import { existsSync } from 'node:fs';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Client } from 'pg';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readPostmaster } from '../../src/embedded-postgres/cluster.js';
import { freePort } from '../../src/embedded-postgres/free-port.js';
import { retireSecret } from '../../src/records/deliveries/secrets.js';
import { acceptsNoSecret } from '../../src/records/process-heartbeats.js';
import { onCluster, useFreshDatabase } from '../support/database.js';
import { until } from '../support/drill.js';
import { type CliProcess, startCli } from '../support/run-cli.js';
import { eventBody, SECRET, signedHeaders } from '../support/signed.js';

let cwd: string;
const database = useFreshDatabase();
let cli: CliProcess | undefined;
let urls: { receiver: string; metrics: string };

beforeEach(async () => {
  cwd = await mkdtemp(path.join(tmpdir(), 'start-'));
});
afterEach(async () => {
  await cli?.end('SIGKILL');
  await rm(cwd, { recursive: true, force: true });
});

async function start(role: string, more: Record<string, string> = {}): Promise<CliProcess> {
  const [port, metricsPort] = [await freePort(null), await freePort(null)];
  urls = { receiver: `http://127.0.0.1:${port}`, metrics: `http://127.0.0.1:${metricsPort}` };
  cli = startCli([role], {
    cwd,
    env: {
      DATABASE_URL: database.url,
      SERVICE_BASE_URL: 'http://127.0.0.1:9',
      SERVICE_API_KEY: 'key',
      WEBHOOK_SECRETS: `test=${SECRET}`,
      CONSOLE_TOKENS: 'ann:admin:ann-has-a-token-of-her-own',
      HOST: '127.0.0.1',
      PORT: String(port),
      CONSOLE_PORT: String(metricsPort),
      METRICS_PORT: String(metricsPort),
      ...more,
    },
  });
  return cli;
}

const probe = async (url: string) => {
  const answer = await fetch(`${url}/readyz`);
  return { status: answer.status, connection: answer.headers.get('connection'), ...((await answer.json()) as object) };
};

async function send(id: string): Promise<number> {
  const body = eventBody(id, { timestamp: Math.floor(Date.now() / 1000) });
  return (await fetch(`${urls.receiver}/webhooks`, { method: 'POST', body, headers: signedHeaders(body) })).status;
}

test('the receiver says no as soon as it could not store, and names who is in its way', async () => {
  const serving = await start('serve');
  await serving.stdoutMatch(/^receiver +http/m);
  const name = new URL(database.url).pathname.slice(1);
  const saysYes = async () => (await probe(urls.receiver)).status === 200;
  await until('ready', saysYes);
  await onCluster(`ALTER DATABASE ${name} ALLOW_CONNECTIONS false`);
  await onCluster(`SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE datname = '${name}'`);
  expect(await send('evt_away')).toBe(503);
  expect(await probe(urls.receiver)).toMatchObject({ status: 503 });
  await onCluster(`ALTER DATABASE ${name} ALLOW_CONNECTIONS true`);
  await until('ready again', saysYes);
  const holder = await database.db.transaction();
  await holder.raw('LOCK TABLE inbox IN ACCESS EXCLUSIVE MODE');
  await until('no while the inbox is locked', async () => !(await saysYes()));
  expect(await probe(urls.metrics)).toMatchObject({ problems: [expect.stringContaining('inbox is locked')] });
  await holder.rollback();
  await until('ready after the lock', saysYes);
  expect(await send('evt_back')).toBe(200);
});

test('a receiver whose every secret is retired says so where alerts and Prometheus read it', async () => {
  const { db } = database;
  await retireSecret(db, { label: 'test', fingerprint: 'f', by: 'ops', note: null, now: new Date() });
  const serving = await start('serve');
  await serving.stdoutMatch(/^receiver +http/m);
  expect(await send('refused')).toBe(401);
  await until('its sign is there', () => acceptsNoSecret(db));
  const scrape = await (await fetch(`${urls.metrics}/metrics`)).text();
  expect(scrape).toContain('\ntallyhook_secrets{state="accepted"} 0\n');
});

test('whoever reads the addresses can send at once; on SIGTERM it says no and serves on for DRAIN_SECONDS', async () => {
  const serving = await start('serve', { DRAIN_SECONDS: '1' });
  await serving.stdoutMatch(/^receiver +http/m);
  expect(await send('first')).toBe(200);
  expect(await probe(urls.receiver)).toMatchObject({ status: 200, ok: true });
  const began = performance.now();
  serving.child.kill('SIGTERM');
  const leaving = { status: 503, ok: false, connection: 'close' };
  await until('readyz says no', async () => (await probe(urls.receiver)).status === 503, { intervalMs: 5 });
  expect(await probe(urls.receiver)).toEqual(leaving);
  expect(await probe(urls.metrics)).toEqual({ ...leaving, problems: ['stopping'] });
  expect(await send('while it leaves')).toBe(200);
  expect(await serving.end(null)).toBe(0);
  expect(performance.now() - began).toBeGreaterThan(1_000);
  await expect(send('after')).rejects.toThrow();
});

test('a start that hangs on a lock is not ready, names its step on the private port, and ends on SIGTERM at once', async () => {
  const holder = new Client({ connectionString: database.url });
  await holder.connect();
  await holder.query('BEGIN; LOCK TABLE installation IN ACCESS EXCLUSIVE MODE');
  const serving = await start('serve', { DRAIN_SECONDS: '300' });
  await until('its step is named', async () => {
    expect(await probe(urls.metrics)).toMatchObject({ status: 503, problems: ['starting: database'] });
    return true;
  });
  expect(await probe(urls.receiver)).toMatchObject({ status: 503, ok: false });
  expect(Object.keys(await probe(urls.receiver)).toSorted()).toEqual(['connection', 'ok', 'status']);
  expect(await send('too soon')).toBe(503);
  await until('the slow step is logged', () => serving.output.stderr.includes('start step is slow'));
  const began = performance.now();
  expect(await serving.end('SIGTERM')).toBe(0);
  expect(performance.now() - began).toBeLessThan(10_000);
  expect(serving.output.stdout).toBe('');
  await holder.end();
});

test('a queue that can’t be opened is named on the private port, and webhooks are taken all the same', async () => {
  const silent = createServer((socket) => void socket.on('error', () => {}).resume()).listen(0, '127.0.0.1');
  await until('it listens', () => silent.listening);
  const { port } = silent.address() as { port: number };
  await start('serve', { REDIS_URL: `redis://127.0.0.1:${port}` });
  await until('webhooks are taken', async () => (await probe(urls.receiver)).status === 200);
  expect(await probe(urls.metrics)).toMatchObject({
    status: 503,
    problems: ['queue: events could not be opened yet'],
  });
  expect(await send('stored')).toBe(200);
  silent.close();
});

test('SIGTERM while the embedded database is made leaves no server and no port', async () => {
  const starting = await start('start', { DATABASE_URL: '', DRAIN_SECONDS: '300' });
  const folder = path.join(cwd, '.tallyhook', 'postgres');
  await until('its files are being made', () => existsSync(path.join(folder, 'data.new')), { intervalMs: 2 });
  expect(await starting.end('SIGTERM')).toBe(0);
  await expect(probe(urls.receiver)).rejects.toThrow();
  expect(existsSync(path.join(folder, 'data', 'postmaster.pid'))).toBe(false);
  expect(await readdir(path.join(folder, 'members'))).toEqual([]);
  expect(existsSync(path.join(folder, 'lock'))).toBe(false);
});

/** Of the embedded database; each step of them has a limit of its own. */
const TWO_STARTS_MS = 120_000;

test(
  'SIGHUP, or a second SIGTERM amid the drain, ends the process at once, and its embedded database with it',
  async () => {
    const data = path.join(cwd, '.tallyhook', 'postgres', 'data');
    const begin = async () => {
      const running = await start('start', { DATABASE_URL: '', DRAIN_SECONDS: '300' });
      await running.stdoutMatch(/^receiver +http/m);
      expect(readPostmaster(data)).not.toBeNull();
      return running;
    };
    const end = async (running: CliProcess, code: number) => {
      expect(await running.end(null)).toBe(code);
      await until('the server is gone', () => readPostmaster(data) === null);
      expect(await readdir(path.join(data, '..', 'members'))).toEqual([]);
    };
    const hungUp = await begin();
    hungUp.child.kill('SIGHUP');
    await end(hungUp, 129);
    const drained = await begin();
    drained.child.kill('SIGTERM');
    await until('it drains', () => drained.output.stderr.includes('draining'));
    const drainsSince = performance.now();
    await until('a second signal is no repeat of the first', () => performance.now() - drainsSince > 2_000);
    drained.child.kill('SIGTERM');
    await end(drained, 130);
  },
  TWO_STARTS_MS,
);
