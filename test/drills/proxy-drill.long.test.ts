import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { freePort } from '../../src/embedded-postgres/free-port.js';
import { type Sandbox, startSandbox } from '../../src/sandbox/start-sandbox.js';
import { useFreshDatabase } from '../support/database.js';
import { loggedDeliveries } from '../support/deliveries.js';
import { DRILL_MS, report, until } from '../support/drill.js';
import { type CliProcess, startCli } from '../support/run-cli.js';
import { eventBody, SECRET, signedHeaders } from '../support/signed.js';
import { sized } from '../support/sizes.js';

const RATE = sized(100, 500);
const RESTARTS = sized(4, 20);
const ROOT = path.join(import.meta.dirname, '../..');

/** As docs/deploy.md has it, but for the ports. */
const proxies = {
  nginx: {
    drainSeconds: 1,
    file: (block: string) => `daemon off; pid nginx.pid; error_log stderr error; worker_processes 1;
      events { worker_connections 4000; } http { access_log off; ${block} }`,
    args: (file: string) => ['-p', path.dirname(file), '-e', 'stderr', '-c', file],
  },
} as const;
type Proxy = keyof typeof proxies;

/** Said aloud, so that nobody takes a skip for a pass. */
function isInstalled(program: Proxy): boolean {
  try {
    execFileSync(program, ['-v'], { stdio: 'ignore' });
    return true;
  } catch {
    process.stderr.write(`\n!!! No ${program} on the PATH: its settings in docs/deploy.md are NOT TRIED !!!\n`);
    return false;
  }
}

let cwd: string;
const database = useFreshDatabase();
let sandbox: Sandbox;
let proxyPort: number;
let ports: number[];
let secret: string;
const processes: ChildProcess[] = [];
const receivers: CliProcess[] = [];

beforeEach(async () => {
  cwd = await mkdtemp(path.join(tmpdir(), 'proxy-'));
  await chmod(cwd, 0o755);
  sandbox = await startSandbox({
    confirmationSeconds: 0,
    kytSeconds: 0,
    retrySchedule: Array.from({ length: 60 }, () => 1),
  });
  proxyPort = await freePort(null);
  ports = [await freePort(null), await freePort(null)];
  ({ secret } = sandbox.control.addEndpoint({ url: `http://127.0.0.1:${proxyPort}/webhooks` }));
});
afterEach(async () => {
  for (const cli of receivers.splice(0)) await cli.end('SIGKILL');
  for (const child of processes.splice(0)) {
    const gone = once(child, 'exit');
    child.kill('SIGTERM');
    await gone;
  }
  await sandbox.close();
  await rm(cwd, { recursive: true, force: true });
});

async function startReceiver(which: number, drainSeconds: number): Promise<void> {
  const cli = startCli(['serve'], {
    cwd,
    env: {
      DATABASE_URL: database.url,
      SERVICE_BASE_URL: sandbox.url,
      SERVICE_API_KEY: 'sandbox-api-key',
      WEBHOOK_SECRETS: `drill=${secret},load=${SECRET}`,
      HOST: '127.0.0.1',
      PORT: String(ports[which]),
      METRICS_PORT: '0',
      DRAIN_SECONDS: String(drainSeconds),
      LOG_LEVEL: 'warn',
    },
  });
  receivers[which] = cli;
  await cli.stdoutMatch(/^receiver +http/m);
}

async function startProxy(proxy: Proxy): Promise<void> {
  const [, block = ''] = new RegExp(`\`\`\`${proxy}\n([\\s\\S]*?)\`\`\``).exec(
    readFileSync(path.join(ROOT, 'docs/deploy.md'), 'utf8'),
  )!;
  const { file, args } = proxies[proxy];
  const name = path.join(cwd, `${proxy}.conf`);
  const placed = block
    .replace(/127\.0\.0\.1:8080/, `127.0.0.1:${ports[0]}`)
    .replace(/127\.0\.0\.1:8090/, `127.0.0.1:${ports[1]}`)
    .replace(/listen 8000/, `listen 127.0.0.1:${proxyPort}`);
  await writeFile(name, file(placed));
  processes.push(spawn(proxy, args(name), { stdio: 'ignore' }));
  await until(`${proxy} passes webhooks on`, async () => (await send('begin')) === 200);
}

const agent = new Agent({ keepAlive: true, maxSockets: 200 });

/** The status, or what the connection said. */
function send(id: string): Promise<number | string> {
  const body = eventBody(id, { id, timestamp: Math.floor(Date.now() / 1000) });
  return new Promise((resolve) => {
    const sent = request(
      { agent, port: proxyPort, host: '127.0.0.1', path: '/webhooks', method: 'POST', headers: signedHeaders(body) },
      (answer) => answer.resume().on('end', () => resolve(answer.statusCode ?? 'none')),
    );
    sent.setTimeout(30_000, () => sent.destroy(new Error('no answer')));
    sent.on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message)).end(body);
  });
}

/** Sends at a rate, whatever is answered, until `work` is done; counts the answers. */
async function under(work: () => Promise<void>): Promise<{ sent: number; answers: Record<string, number> }> {
  const state = { done: false };
  const working = work().finally(() => (state.done = true));
  const answers: Record<string, number> = {};
  const open: Promise<void>[] = [];
  const began = performance.now();
  while (!state.done) {
    const due = ((performance.now() - began) / 1000) * RATE;
    while (open.length < due)
      open.push(send(`load-${open.length}`).then((got) => void (answers[got] = (answers[got] ?? 0) + 1)));
    await delay(5);
  }
  await working;
  await Promise.all(open);
  return { sent: open.length, answers };
}

async function stored(eventIds: string): Promise<number> {
  const [found] = await database.db('inbox').whereLike('event_id', eventIds).count<{ count: string }[]>('* as count');
  return Number(found?.count);
}

/** What the service itself sends meanwhile, and sends again where there was no 200. */
async function payNowAndThen(signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const id = sandbox.control.createPayment({ amount: '12.5', currency: 'USDT.TRC20' });
    sandbox.control.pay(id, { percent: 100 });
    await delay(100);
  }
}

async function takenBy(which: number): Promise<number> {
  const [, metrics] = await receivers[which]!.stdoutMatch(/^metrics +(http\S+)/m);
  const text = await (await fetch(`${metrics}/metrics`)).text();
  return Number(/^tallyhook_webhook_requests_total\{result="accepted"\} (\d+)/m.exec(text)?.[1] ?? 0);
}

async function inTurn(signal: NodeJS.Signals, drainSeconds: number): Promise<void> {
  for (let turn = 0; turn < RESTARTS; turn += 1) {
    await receivers[turn % 2]!.end(signal);
    await startReceiver(turn % 2, drainSeconds);
    // The proxy has to see it before the other one goes.
    await until('the proxy sends to it again', async () => (await takenBy(turn % 2)) > 0);
  }
}

describe.each(Object.keys(proxies) as Proxy[])('two receivers behind %s, as docs/deploy.md says', (proxy) => {
  const has = isInstalled(proxy);
  const { drainSeconds } = proxies[proxy];
  beforeEach(async () => {
    if (!has) return;
    await Promise.all([startReceiver(0, drainSeconds), startReceiver(1, drainSeconds)]);
    await startProxy(proxy);
  });

  test.skipIf(!has)('restarted in turn under load: every request is answered 200', { timeout: DRILL_MS }, async () => {
    const { sent, answers } = await under(() => inTurn('SIGTERM', drainSeconds));
    report(`${proxy}, ${RESTARTS} restarts`, { sent, ...answers });
    expect(answers).toEqual({ 200: sent });
    expect(await stored('load-%')).toBe(sent);
  });

  test.skipIf(!has)(
    'killed in turn: what is lost is counted, and the service’s retries bring it',
    { timeout: DRILL_MS },
    async () => {
      const paying = new AbortController();
      const { sent, answers } = await under(async () => {
        const pays = payNowAndThen(paying.signal);
        await inTurn('SIGKILL', drainSeconds);
        paying.abort();
        await pays;
      });
      const accepted = answers['200'] ?? 0;
      await sandbox.control.deliveriesIdle();
      const deliveries = await loggedDeliveries(sandbox);
      const retried = deliveries.filter(({ attempts }) => attempts.length > 1).length;
      report(`${proxy}, ${RESTARTS} kills`, {
        sent,
        lost: sent - accepted,
        ...answers,
        deliveries: deliveries.length,
        retried,
      });
      expect(accepted / sent).toBeGreaterThan(0.99);
      expect(await stored('load-%')).toBeGreaterThanOrEqual(accepted);
      expect(deliveries.filter(({ status }) => status !== 'succeeded')).toEqual([]);
      const ids = deliveries.map(({ inboxId }) => inboxId);
      const [found] = await database.db('inbox').whereIn('id', ids).count<{ count: string }[]>('* as count');
      expect(Number(found?.count)).toBe(new Set(ids).size);
    },
  );
});
