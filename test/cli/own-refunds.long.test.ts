import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createKeyStore, MerchantClient } from '../../src/index.js';
import { getOrder } from '../../src/records/orders/orders.js';
import { useDatabase } from '../support/database.js';
import { DRILL_MS, until } from '../support/drill.js';
import { createInstallation, type Installation } from '../support/installation.js';
import { type CliProcess, startCli } from '../support/run-cli.js';
import { runHere } from '../support/run-here.js';

/** Beside a reader that is busy, from the moment a refund is written down until its order is held. */
const SECONDS = 15_000;
const REFUND_TO = { customerRefundAddress: 'TCustomer0000000001' };

const database = useDatabase();
let installation: Installation;
/** Payments by the reference of their order. */
const payments = new Map<string, string>();
const others: CliProcess[] = [];

beforeAll(async () => {
  const env = { ADOPTED_AT: '2020-01-01T00:00:00Z' };
  installation = await createInstallation({ databaseUrl: database.url, env });
  const { control } = installation.sandbox;
  // Neither a list of payouts nor an event names a refund.
  control.setFaults({ payoutsList: false, drop: 1 });
  for (const reference of ['library', 'killed', 'lost']) {
    const id = control.createPayment({
      amount: '100',
      currency: 'USDT.TRC20',
      merchantReference: reference,
      ...REFUND_TO,
    });
    control.pay(id);
    payments.set(reference, id);
  }
  await installation.start('schedule');
  startScheduler();
  for (const reference of payments.keys()) await untilReleased(reference);
}, DRILL_MS);
afterAll(async () => {
  for (const cli of others) await cli.end('SIGKILL');
  await installation.close();
});

const startScheduler = () => others.push(startCli(['schedule'], { cwd: installation.cwd, env: installation.env }));
/** The time of a process that was killed is over. One that begins checks at once; those that run, every 20 s. */
async function leaseEnds(paymentIntentId: string, begunAgo = '0'): Promise<void> {
  await holdTurns(0);
  await database.db.raw(
    `UPDATE service_writes SET leased_until = now(), begun_at = begun_at - ?::interval WHERE payment_intent_id = ?`,
    [begunAgo, paymentIntentId],
  );
}
const release = async (reference: string) => (await getOrder(database.db, reference))?.release;
const untilReleased = (reference: string) =>
  until(`${reference} is safe`, async () => (await release(reference))?.safe === true || release(reference));
const untilHeld = (reference: string) =>
  until(`${reference} is held`, async () => (await release(reference))?.reason === 'refund_in_progress', {
    timeoutMs: SECONDS,
  });
const untilLinked = (paymentIntentId: string) =>
  until('the payout is linked', async () => {
    const row = await database.db('payouts').where({ payment_intent_id: paymentIntentId }).first('id');
    return row !== undefined;
  });
const holdTurns = (seconds: number) =>
  database.db.raw(`UPDATE service_rate SET next_at = now() + make_interval(secs => ?)`, [seconds]);

/** A refund of the CLI that is killed when it is written down and waits for its turn to be sent. */
async function killedBeforeItIsSent(paymentIntentId: string): Promise<void> {
  const body = path.join(installation.cwd, 'refund.json');
  await writeFile(body, JSON.stringify({ paymentIntentId }));
  await holdTurns(120);
  const cli = startCli(['api', 'createRefund', '--body', body], { cwd: installation.cwd, env: installation.env });
  others.push(cli);
  const written = () => database.db('service_writes').where({ payment_intent_id: paymentIntentId });
  await until('the call is written down', async () => (await written()).length === 1);
  expect(await cli.end('SIGKILL')).toBe('SIGKILL');
}

test(
  'a refund by a store’s own process holds its order, and is linked though nothing but the call names its payment',
  async () => {
    const keyStore = await createKeyStore({ databaseUrl: database.url });
    const client = new MerchantClient({ baseUrl: installation.sandbox.url, apiKey: 'sandbox-api-key', keyStore });
    const paymentIntentId = payments.get('library') ?? '';
    const { data } = await client.createRefund({ paymentIntentId });
    await keyStore.close();
    await untilHeld('library');
    await untilLinked(paymentIntentId);
    expect(await getOrder(database.db, 'library')).toMatchObject({ refunds: [data.id], release: { safe: false } });
  },
  DRILL_MS,
);

test(
  'a refund whose process was killed holds its order until it is settled, and what was made goes on holding it',
  async () => {
    const paymentIntentId = payments.get('killed') ?? '';
    await killedBeforeItIsSent(paymentIntentId);
    await untilHeld('killed');
    await leaseEnds(paymentIntentId);
    await untilLinked(paymentIntentId);
    await until('the call is done', async () => {
      const row = await database
        .db('service_writes')
        .where({ payment_intent_id: paymentIntentId })
        .first('status', 'derived');
      return row?.status === 'done' && row.derived === true;
    });
    expect(await release('killed')).toMatchObject({ safe: false, reason: 'refund_in_progress' });
  },
  DRILL_MS,
);

test(
  'a lost refund holds its order until a person says what came of it',
  async () => {
    const paymentIntentId = payments.get('lost') ?? '';
    const key = `refund-${paymentIntentId}`;
    await killedBeforeItIsSent(paymentIntentId);
    await leaseEnds(paymentIntentId, '1 hour');
    await until(
      'it is given up',
      async () => (await database.db('service_writes').where({ key }).first())?.status === 'lost',
    );
    await untilHeld('lost');

    const settled = await runHere(['calls', 'settle', key, '--as', 'not_done', '--note', 'looked'], installation);
    expect(settled).toMatchObject({ code: 0 });
    await untilReleased('lost');
  },
  DRILL_MS,
);
