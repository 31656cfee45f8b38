import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { useDatabase } from '../support/database.js';
import { useFolder } from '../support/folder.js';
import { type CliProcess, startCli } from '../support/run-cli.js';
import { sized } from '../support/sizes.js';
import { callSettings } from './call-settings.js';

const RUNS = sized(5, 50);

/** When the process is killed. */
const moments = ['key written, nothing sent', 'request arrived, nothing done', 'payout made, no answer read'] as const;
type Moment = (typeof moments)[number];

/** A service that honours idempotency keys, as the specification promises, and holds answers back when asked to. */
interface Service {
  url: string;
  moment: Moment | null;
  /** Requests for a payout since `moment` was set. */
  arrived: number;
  payouts: { account: string; key: string }[];
  close(): Promise<void>;
}

const database = useDatabase();
let service: Service;
const cwd = useFolder();
const running: CliProcess[] = [];

beforeAll(async () => {
  service = await startService();
});
afterAll(async () => {
  for (const cli of running) await cli.end('SIGKILL');
  await service.close();
});

async function startService(): Promise<Service> {
  const server = createServer((request, response) => void answer(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const close = async () => {
    server.close();
    server.closeAllConnections();
    await once(server, 'close');
  };
  return { url: `http://127.0.0.1:${port}`, moment: null, arrived: 0, payouts: [], close };
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const json = (value: unknown) =>
    void response.setHeader('Content-Type', 'application/json').end(JSON.stringify(value));
  const account = /^\/v1\/accounts\/(\w+)\/payouts$/.exec(request.url ?? '')?.[1];
  if (account === undefined) {
    // The call that follows then waits for its turn, with its key written.
    if (service.moment === 'key written, nothing sent') await holdTurns(60);
    return json([]);
  }
  service.arrived += 1;
  if (service.moment === 'request arrived, nothing done') return;
  const key = String(request.headers['idempotency-key']);
  const known = service.payouts.some((payout) => payout.key === key);
  if (!known) service.payouts.push({ account, key });
  if (service.moment === null) json({ id: `po_${account}`, status: 'pending' });
}

async function holdTurns(seconds: number): Promise<void> {
  await database.db.raw(`UPDATE service_rate SET next_at = now() + make_interval(secs => ?)`, [seconds]);
}

const settings = () => callSettings(service, database);

async function killedAt(moment: Moment, account: string): Promise<void> {
  const body = path.join(cwd, 'payout.json');
  await writeFile(body, JSON.stringify({ assetCode: 'USDT.TRON', amount: '1', destinationAddress: 'TAbc' }));
  Object.assign(service, { moment, arrived: 0 });
  const cli = startCli(['api', 'createPayout', '--path', `id=${account}`, '--body', body], { cwd, env: settings() });
  running.push(cli);
  const written = () => database.db('service_writes').where('request', 'like', `%${account}%`);
  await vi.waitFor(async () => expect(await written()).toHaveLength(1), { timeout: 20_000, interval: 10 });
  const comes = moment === 'key written, nothing sent' ? 0 : 1;
  await vi.waitFor(() => expect(service.arrived).toBe(comes), { timeout: 20_000, interval: 5 });
  expect(await cli.end('SIGKILL')).toBe('SIGKILL');
  service.moment = null;
  await holdTurns(0);
}

it(`makes exactly one payout each, killed ${RUNS} times between writing the key and reading the answer`, async () => {
  const accounts = Array.from({ length: RUNS }, (_, run) => `acc${run}x`);
  for (const [run, account] of accounts.entries()) await killedAt(moments[run % moments.length]!, account);
  expect(await database.db('service_writes').where({ status: 'open' })).toHaveLength(RUNS);
  expect(service.payouts.length).toBeLessThan(RUNS);

  // The time in which the killed process itself might still have been at it.
  await database.db('service_writes').update({ leased_until: new Date() });
  const scheduler = startCli(['schedule'], { cwd, env: settings() });
  running.push(scheduler);
  await vi.waitFor(
    async () => expect(await database.db('service_writes').where({ status: 'done' })).toHaveLength(RUNS),
    { timeout: 30_000, interval: 100 },
  );
  expect(await scheduler.end('SIGTERM')).toBe(0);
  expect(service.payouts.map(({ account }) => account).toSorted()).toEqual(accounts.toSorted());
  expect(new Set(service.payouts.map(({ key }) => key)).size).toBe(RUNS);
}, 300_000);
