import { mkdtemp, rm } from 'node:fs/promises';
import { Agent, type IncomingMessage, request } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { freePort } from '../../src/embedded-postgres/free-port.js';
import { type Sandbox, startSandbox } from '../../src/sandbox/start-sandbox.js';
import { useFreshDatabase } from '../support/database.js';
import { type LoggedDelivery, loggedDeliveries } from '../support/deliveries.js';
import { DRILL_MS, report, until } from '../support/drill.js';
import { acceptedBy, hasProxy, type Proxy, type ProxyName, proxyNames, startProxy } from '../support/proxy.js';
import { type CliProcess, startCli } from '../support/run-cli.js';
import { eventBody, SECRET, signedHeaders } from '../support/signed.js';
import { sized } from '../support/sizes.js';
import { atRate } from '../support/steady-load.js';
import { createTcpProxy, type TcpProxy, throughProxy } from '../support/tcp-proxy.js';

const RATE = sized(100, 500);
const RESTARTS = sized(4, 20);
/** At SIGTERM a receiver serves on for so long. */
const DRAIN_SECONDS = sized(1, 5);
/** More than a proxy keeps in memory of a request. */
const LARGE = 'x'.repeat(100_000);

let cwd: string;
const database = useFreshDatabase();
/** Between the receivers and Postgres. */
let way: TcpProxy;
let sandbox: Sandbox;
let proxy: Proxy;
let ports: number[];
let secret: string;
const receivers: CliProcess[] = [];

async function begin(name: ProxyName): Promise<void> {
  cwd = await mkdtemp(path.join(tmpdir(), 'proxy-'));
  way = await createTcpProxy(Number(new URL(database.url).port));
  sandbox = await startSandbox({
    confirmationSeconds: 0,
    kytSeconds: 0,
    retrySchedule: Array.from({ length: 60 }, () => 1),
  });
  ports = [await freePort(null), await freePort(null)];
  proxy = await startProxy(name, ports);
  ({ secret } = sandbox.control.addEndpoint({ url: `http://127.0.0.1:${proxy.port}/webhooks` }));
  await Promise.all([startReceiver(0), startReceiver(1)]);
  await until('the proxy passes webhooks on', async () => (await send('begin')) === 200);
}

async function end(): Promise<void> {
  for (const cli of receivers.splice(0)) await cli.end('SIGKILL');
  await proxy.close();
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

/** A receiver's 503 says when to come again. */
function nameAnswer({ statusCode = 0, headers }: IncomingMessage): number | string {
  return statusCode >= 500 && headers['retry-after'] === undefined ? `${statusCode} of the proxy` : statusCode;
}

/** The status, or what the connection said. */
function send(id: string, filler = ''): Promise<number | string> {
  const body = eventBody(id, { id, filler, timestamp: Math.floor(Date.now() / 1000) });
  return new Promise((resolve) => {
    const sent = request(
      { agent, port: proxy.port, host: '127.0.0.1', path: '/webhooks', method: 'POST', headers: signedHeaders(body) },
      (answer) => answer.resume().on('end', () => resolve(nameAnswer(answer))),
    );
    sent.setTimeout(30_000, () => sent.destroy(new Error('no answer')));
    sent.on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message)).end(body);
  });
}

const wasRefused = ({ attempts }: LoggedDelivery) => attempts.some((status) => status !== 200);

/** Sends at a rate, whatever is answered, until `work` is done; counts the answers, other ones than 200 to large bodies by themselves. */
async function under(work: (answers: Readonly<Record<string, number>>) => Promise<void>) {
  const answers: Record<string, number> = {};
  const open: Promise<void>[] = [];
  const act = (n: number) => {
    const isLarge = n % 10 === 0;
    const count = (got: number | string) => {
      const answer = isLarge && got !== 200 ? `${got} large` : got;
      answers[answer] = (answers[answer] ?? 0) + 1;
    };
    open.push(send(`load-${n}`, isLarge ? LARGE : '').then(count));
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

async function inTurn(signal: NodeJS.Signals): Promise<void> {
  for (let turn = 0; turn < RESTARTS; turn += 1) {
    await receivers[turn % 2]!.end(signal);
    await startReceiver(turn % 2);
    // The proxy has to see it before the other one goes.
    await until('the proxy sends to it again', async () => (await acceptedBy(receivers[turn % 2]!)) > 0);
  }
}

for (const name of proxyNames)
  describe.runIf(hasProxy(name))(`two receivers behind ${name}, as docs/deploy.md says`, () => {
    beforeEach(() => begin(name));
    afterEach(end);

    test('restarted in turn under load: every request is answered 200', { timeout: DRILL_MS }, async () => {
      const { sent, answers } = await under(() => inTurn('SIGTERM'));
      report(`${name}, ${RESTARTS} restarts`, { sent, ...answers });
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
      report(`${name}, no database`, { sent, ...answers });
      expect(new Set(Object.keys(answers))).toEqual(new Set(['200', '503', '503 large']));
      expect(await stored('load-%')).toBeGreaterThanOrEqual(answers['200'] ?? 0);
    });

    test('killed in turn, then at once: nothing that the proxy can send twice is lost, and the service’s retries bring the rest', {
      timeout: DRILL_MS,
    }, async () => {
      const paying = new AbortController();
      const pays = payNowAndThen(paying.signal);
      const { sent, answers } = await under(() => inTurn('SIGKILL'));
      await Promise.all(receivers.map((receiver) => receiver.end('SIGKILL')));
      await until('a delivery fails', async () => (await loggedDeliveries(sandbox)).some(wasRefused));
      await Promise.all([startReceiver(0), startReceiver(1)]);
      paying.abort();
      await pays;
      let deliveries: LoggedDelivery[] = [];
      await until('the retries bring the rest', async () => {
        deliveries = await loggedDeliveries(sandbox);
        return deliveries.every(({ status }) => status === 'succeeded');
      });
      const { 200: accepted = 0, ...lost } = answers;
      report(`${name}, ${RESTARTS} kills`, {
        sent,
        200: accepted,
        ...lost,
        deliveries: deliveries.length,
        retried: deliveries.filter(wasRefused).length,
      });
      expect(Object.keys(lost).filter((answer) => answer !== '503' && !answer.endsWith(' large'))).toEqual([]);
      expect(accepted / sent).toBeGreaterThan(0.99);
      expect(await stored('load-%')).toBeGreaterThanOrEqual(accepted);
      const ids = deliveries.map(({ inboxId }) => inboxId);
      const [found] = await database.db('inbox').whereIn('id', ids).count<{ count: string }[]>('* as count');
      expect(Number(found?.count)).toBe(new Set(ids).size);
    });
  });
