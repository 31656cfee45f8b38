import { mkdtemp, rm } from 'node:fs/promises';
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
import { acceptedBy, hasNginx, type Nginx, startNginx } from '../support/nginx.js';
import { type CliProcess, startCli } from '../support/run-cli.js';
import { eventBody, SECRET, signedHeaders } from '../support/signed.js';
import { sized } from '../support/sizes.js';
import { atRate } from '../support/steady-load.js';
import { createTcpProxy, type TcpProxy, throughProxy } from '../support/tcp-proxy.js';

const RATE = sized(100, 500);
const RESTARTS = sized(4, 20);
/** At SIGTERM a receiver serves on for so long. */
const DRAIN_SECONDS = 1;

let cwd: string;
const database = useFreshDatabase();
/** Between the receivers and Postgres. */
let way: TcpProxy;
let sandbox: Sandbox;
let nginx: Nginx;
let ports: number[];
let secret: string;
const receivers: CliProcess[] = [];

async function begin(): Promise<void> {
  cwd = await mkdtemp(path.join(tmpdir(), 'proxy-'));
  way = await createTcpProxy(Number(new URL(database.url).port));
  sandbox = await startSandbox({
    confirmationSeconds: 0,
    kytSeconds: 0,
    retrySchedule: Array.from({ length: 60 }, () => 1),
  });
  ports = [await freePort(null), await freePort(null)];
  nginx = await startNginx(ports);
  ({ secret } = sandbox.control.addEndpoint({ url: `http://127.0.0.1:${nginx.port}/webhooks` }));
  await Promise.all([startReceiver(0), startReceiver(1)]);
  await until('nginx passes webhooks on', async () => (await send('begin')) === 200);
}

async function end(): Promise<void> {
  for (const cli of receivers.splice(0)) await cli.end('SIGKILL');
  await nginx.close();
  await sandbox.close();
  await way.close();
  await rm(cwd, { recursive: true, force: true });
}

async function startReceiver(which: number): Promise<void> {
  const cli = startCli(['serve'], {
    cwd,
    env: {
      DATABASE_URL: throughProxy(database.url, way),
      SERVICE_BASE_URL: sandbox.url,
      SERVICE_API_KEY: 'sandbox-api-key',
      WEBHOOK_SECRETS: `drill=${secret},load=${SECRET}`,
      HOST: '127.0.0.1',
      PORT: String(ports[which]),
      METRICS_PORT: '0',
      DRAIN_SECONDS: String(DRAIN_SECONDS),
      LOG_LEVEL: 'warn',
    },
  });
  receivers[which] = cli;
  await cli.stdoutMatch(/^receiver +http/m);
}

const agent = new Agent({ keepAlive: true, maxSockets: 200 });

/** The status, or what the connection said. */
function send(id: string): Promise<number | string> {
  const body = eventBody(id, { id, timestamp: Math.floor(Date.now() / 1000) });
  return new Promise((resolve) => {
    const sent = request(
      { agent, port: nginx.port, host: '127.0.0.1', path: '/webhooks', method: 'POST', headers: signedHeaders(body) },
      (answer) => answer.resume().on('end', () => resolve(answer.statusCode ?? 'none')),
    );
    sent.setTimeout(30_000, () => sent.destroy(new Error('no answer')));
    sent.on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message)).end(body);
  });
}

/** Sends at a rate, whatever is answered, until `work` is done; counts the answers. */
async function under(work: (answers: Readonly<Record<string, number>>) => Promise<void>) {
  const answers: Record<string, number> = {};
  const open: Promise<void>[] = [];
  const act = (n: number) => {
    open.push(send(`load-${n}`).then((got) => void (answers[got] = (answers[got] ?? 0) + 1)));
  };
  const { times } = await atRate(RATE, act, () => work(answers));
  await Promise.all(open);
  return { sent: times, answers };
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
  const [, metrics = ''] = await receivers[which]!.stdoutMatch(/^metrics +(http\S+)/m);
  return acceptedBy(metrics);
}

async function inTurn(signal: NodeJS.Signals): Promise<void> {
  for (let turn = 0; turn < RESTARTS; turn += 1) {
    await receivers[turn % 2]!.end(signal);
    await startReceiver(turn % 2);
    // The proxy has to see it before the other one goes.
    await until('the proxy sends to it again', async () => (await takenBy(turn % 2)) > 0);
  }
}

describe.runIf(hasNginx())('two receivers behind nginx, as docs/deploy.md says', () => {
  beforeEach(begin);
  afterEach(end);

  test('restarted in turn under load: every request is answered 200', { timeout: DRILL_MS }, async () => {
    const { sent, answers } = await under(() => inTurn('SIGTERM'));
    report(`nginx, ${RESTARTS} restarts`, { sent, ...answers });
    expect(answers).toEqual({ 200: sent });
    expect(await stored('load-%')).toBe(sent);
  });

  test('without a database: the receivers’ own 503 is passed on, then 200 again', { timeout: DRILL_MS }, async () => {
    const { sent, answers } = await under(async (got) => {
      const others = () => Object.entries(got).reduce((sum, [answer, n]) => sum + (answer === '200' ? 0 : n), 0);
      await until('events are stored', () => (got['200'] ?? 0) > RATE / 2);
      await way.refuse();
      await until('the outage is felt', () => others() > RATE * 2);
      await way.pass();
      const before = got['200'] ?? 0;
      await until('events are stored again', () => (got['200'] ?? 0) > before + RATE);
    });
    report('nginx, no database', { sent, ...answers });
    expect(Object.keys(answers)).toEqual(['200', '503']);
    expect(await stored('load-%')).toBeGreaterThanOrEqual(answers['200'] ?? 0);
  });

  test('killed in turn: what is lost is counted, and the service’s retries bring it', {
    timeout: DRILL_MS,
  }, async () => {
    const paying = new AbortController();
    const { sent, answers } = await under(async () => {
      const pays = payNowAndThen(paying.signal);
      await inTurn('SIGKILL');
      paying.abort();
      await pays;
    });
    const accepted = answers['200'] ?? 0;
    await sandbox.control.deliveriesIdle();
    const deliveries = await loggedDeliveries(sandbox);
    const retried = deliveries.filter(({ attempts }) => attempts.length > 1).length;
    report(`nginx, ${RESTARTS} kills`, {
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
  });
});
