import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import type { Knex } from 'knex';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { MerchantClient, NotSentError, OutcomeUnknownError } from '../../src/client.js';
import { type Sandbox, startSandbox } from '../../src/sandbox/start-sandbox.js';
import { useDatabase } from '../support/database.js';
import { DRILL_MS, report, until } from '../support/drill.js';
import { sized } from '../support/sizes.js';

const ROUNDS = sized(1, 100);
const ASSET = 'USDT.TRC20';
const ADDRESS = 'TQn9Y2khEsLJW1ChVWFMSMeRDow5KcbLSE';

const operations = ['createDirectPayment', 'createPayout', 'createRefund'] as const;
/** How far a call has come, and how many there are at the service by then. */
const moments = { 'key written': 0, 'request arrived': 0, done: 1, answered: 1 } as const;
type Operation = (typeof operations)[number];
type Moment = keyof typeof moments;
type Way = 'aborted' | 'killed';

interface Call {
  operation: Operation;
  way: Way;
  /** Its idempotency key, and the reference of what it makes. */
  key: string;
  given: readonly object[];
  /** Of a refund. */
  payment: string | null;
}

const database = useDatabase();
let sandbox: Sandbox;
let account: string;
let gate: Awaited<ReturnType<typeof startGate>>;
const children = new Set<ChildProcess>();

beforeAll(async () => {
  sandbox = await startSandbox({ confirmationSeconds: 0, kytSeconds: 0 });
  sandbox.control.setFaults({ links: true });
  account = sandbox.control.createAccount({ label: 'Ann' });
  sandbox.control.deposit(account, ASSET, '1000000');
  gate = await startGate();
});
afterAll(async () => {
  for (const child of children) child.kill('SIGKILL');
  await gate.close();
  await sandbox.close();
});

/** Stands before the service. A call whose key it holds gets no answer: from the request on, or once it is done. */
async function startGate() {
  let moment: Moment | null = null;
  const reached = new Set<string>();
  /** Of calls whose answer is let through: each keeps its row, so that nobody can write down that it ended. */
  const locks: Knex.Transaction[] = [];
  const server = createServer((request, response) => void pass(request, response).catch(() => response.destroy()));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');

  async function pass(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const key = String(request.headers['idempotency-key']);
    const held = moment;
    if (held === 'request arrived') return void reached.add(key);
    const answer = await fetch(`${sandbox.url}${request.url}`, {
      method: 'POST',
      headers: {
        authorization: String(request.headers.authorization),
        'content-type': 'application/json',
        'idempotency-key': key,
      },
      body: Buffer.concat(parts),
    });
    const body = await answer.text();
    if (held === 'done') return void reached.add(key);
    if (held === 'answered') {
      const trx = await database.db.transaction();
      await trx('service_writes').where({ key }).forUpdate().first();
      locks.push(trx);
    }
    response.writeHead(answer.status, { 'content-type': 'application/json' }).end(body);
    if (held === 'answered') reached.add(key);
  }

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** Until `open`. */
    hold: (at: Moment) => {
      moment = at;
    },
    hasReached: (key: string) => reached.has(key),
    open: async () => {
      moment = null;
      for (const trx of locks.splice(0)) await trx.rollback();
    },
    close: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

const options = () => ({
  baseUrl: gate.url,
  apiKey: 'sandbox-api-key',
  databaseUrl: database.url,
  callsPerSecond: 1_000,
});

function planned(operation: Operation, way: Way, moment: Moment, round: number): Call {
  const key = [operation, way, moment.replace(' ', '-'), round].join('.');
  const about = { operation, way, key, payment: null };
  if (operation === 'createDirectPayment')
    return { ...about, given: [{ requestedCoin: ASSET, amount: '25', customer: {}, merchantReference: key }] };
  const payout = { assetCode: ASSET, amount: '1', destinationAddress: ADDRESS, merchantReference: key };
  if (operation === 'createPayout') return { ...about, given: [account as unknown as object, payout] };
  const payment = sandbox.control.createPayment({ amount: '40', currency: ASSET, customerRefundAddress: ADDRESS });
  sandbox.control.pay(payment);
  return { ...about, given: [{ paymentIntentId: payment, amount: '10' }], payment };
}

type Answer = Promise<{ data: { id: string } }>;
function made(client: MerchantClient, { operation, given, key }: Call, signal?: AbortSignal): Answer {
  const method = client[operation] as (...given: unknown[]) => Answer;
  return method.call(client, ...given, { idempotencyKey: key, ...(signal && { signal }) });
}

interface Truth {
  paymentIntents: { id: string; merchantReference: string | null }[];
  payouts: { id: string; merchantReference: string | null; paymentIntentId?: string | null }[];
}

/** Ids of what the service has of each call. */
async function atService(): Promise<(call: Call) => string[]> {
  const truth = (await (await fetch(`${sandbox.url}/sandbox/truth`)).json()) as Truth;
  return ({ key, payment }) =>
    [...truth.paymentIntents, ...truth.payouts]
      .filter((one) =>
        payment === null ? one.merchantReference === key : 'paymentIntentId' in one && one.paymentIntentId === payment,
      )
      .map(({ id }) => id);
}

/** A process of the store that makes one call. */
function startStore(call: Call): ChildProcess {
  const code = `const { options, operation, given } = JSON.parse(process.argv[1]);
    const { MerchantClient } = await import(${JSON.stringify(path.join(inject('program'), 'client.js'))});
    await new MerchantClient(options)[operation](...given);`;
  const given = [...call.given, { idempotencyKey: call.key }];
  const words = JSON.stringify({ options: options(), operation: call.operation, given });
  const child = spawn(process.execPath, ['--input-type=module', '-e', code, words], { stdio: 'ignore' });
  children.add(child);
  return child;
}

/** Starts the calls, lets all of them come to the moment, and ends them there. Returns how those that were aborted ended. */
async function endedAt(moment: Moment, calls: readonly Call[]): Promise<Map<Call, unknown>> {
  const stop = new AbortController();
  const client = new MerchantClient(options());
  if (moment === 'key written') await turnsIn(30);
  else gate.hold(moment);
  const aborted = calls.filter(({ way }) => way === 'aborted');
  const killed = calls.filter(({ way }) => way === 'killed').map(startStore);
  const ends = Promise.all(
    aborted.map(
      async (call) => [call, await made(client, call, stop.signal).catch((error: unknown) => error)] as const,
    ),
  );
  await until(`all calls: ${moment}`, async () => {
    if (moment !== 'key written') return calls.every(({ key }) => gate.hasReached(key));
    const written = await database.db('service_writes').whereIn(
      'key',
      calls.map(({ key }) => key),
    );
    return written.length === calls.length || written.length;
  });
  stop.abort(new Error('enough'));
  for (const child of killed) {
    child.kill('SIGKILL');
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    expect(child.signalCode).toBe('SIGKILL');
    children.delete(child);
  }
  await gate.open();
  await turnsIn(0);
  const ended = new Map<Call, unknown>(await ends);
  await client.close();
  return ended;
}

/** `now() - interval`: its turn is there at once. */
const turnsIn = (seconds: number) =>
  database
    .db('service_rate')
    .insert({ name: 'merchant-api', next_at: database.db.raw('now() + make_interval(secs => ?)', [seconds]) })
    .onConflict('name')
    .merge();

/** What the error says of a call that was aborted at the moment. */
function expectSaid(moment: Moment, { key }: Call, end: unknown): void {
  if (moment === 'answered') expect(end).toMatchObject({ data: { id: expect.any(String) } });
  else if (moment === 'key written') expect(end).toBeInstanceOf(NotSentError);
  else {
    expect(end).toBeInstanceOf(OutcomeUnknownError);
    expect(end).toMatchObject({ idempotencyKey: key, cause: { message: 'enough' } });
  }
}

test.each(Object.keys(moments) as Moment[])(
  `abort and kill −9 of a payment, a payout and a refund, ${ROUNDS} times each: %s; there is one, and the same key shows which`,
  { timeout: DRILL_MS },
  async (moment) => {
    let ends = 0;
    for (let round = 0; round < ROUNDS; round++) {
      const ways: readonly Way[] = ['aborted', 'killed'];
      const calls = operations.flatMap((operation) => ways.map((way) => planned(operation, way, moment, round)));
      const ended = await endedAt(moment, calls);
      const before = await atService();
      for (const call of calls) expect([call.key, before(call).length]).toEqual([call.key, moments[moment]]);
      for (const [call, end] of ended) expectSaid(moment, call, end);

      // Another process of the store, that knows no more than the key.
      const client = new MerchantClient(options());
      const answers = await Promise.all(calls.map((call) => made(client, call)));
      await client.close();
      const after = await atService();
      for (const [n, call] of calls.entries())
        expect([call.key, after(call)]).toEqual([call.key, [answers[n]?.data.id]]);
      ends += calls.length;
    }
    report(`client, ${moment}`, { ends });
  },
);
