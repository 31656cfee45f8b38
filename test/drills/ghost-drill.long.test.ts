import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Sandbox, startSandbox } from '../../src/sandbox/start-sandbox.js';
import { useFreshDatabase } from '../support/database.js';
import { DRILL_MS, report, until } from '../support/drill.js';
import { createInstallation, type Installation } from '../support/installation.js';
import { progress } from '../support/reckoning.js';

interface Order {
  status: string;
  paymentIntents: string[];
  release: { safe: boolean; reason: string; provenAt: string | null };
}

const database = useFreshDatabase();
let installation: Installation;
let otherEnvironment: Sandbox;

beforeEach(async () => {
  installation = await createInstallation({ databaseUrl: database.url });
  otherEnvironment = await startSandbox({ seed: 2, confirmationSeconds: 0 });
});
afterEach(async () => {
  await installation?.close();
  await otherEnvironment?.close();
});

test('authentic events of payments that the service does not have never make a paid order', {
  timeout: DRILL_MS,
}, async () => {
  const { sandbox, endpoint } = installation;
  const { db } = database;
  await installation.start('serve', 'work');

  sandbox.control.testSend(endpoint.id, 'payment_intent.completed');
  otherEnvironment.control.addEndpoint({ url: endpoint.url, secret: endpoint.secret });
  payFor(otherEnvironment, 'of-another-environment');
  payFor(sandbox, 'of-ours');
  const events = 1 + 4 + 4;
  await until('every event is applied', async () => (await progress(db)).applied === events);

  const ghosts = (await references()).filter((reference) => reference !== 'of-ours');
  expect(ghosts).toHaveLength(2);
  for (const reference of [...ghosts, 'of-ours']) {
    expect(await orderOf(reference)).toMatchObject({ status: 'paid_unverified', release: { safe: false } });
  }

  // A list may lag behind its events: of what is younger than half a minute nothing is said yet.
  sandbox.control.advance(40);
  const { stdout, code } = await installation.run(['reconcile', 'payment-intents', '--full', '--json']);
  expect(code).toBe(3);
  expect(JSON.parse(stdout)).toMatchObject({ status: 'succeeded', complete: true, breaksOpened: 2 });

  expect(await orderOf('of-ours')).toMatchObject({ status: 'paid', release: { safe: true, reason: 'proven' } });
  const missing: string[] = [];
  for (const reference of ghosts) {
    const order = await orderOf(reference);
    // What events alone said, and the service denies, is nothing: the break stays.
    const release = { safe: false, reason: 'awaiting_payment', provenAt: null };
    expect(order).toMatchObject({ status: 'awaiting_payment', release, paymentIntents: [] });
    missing.push(...(await db('payment_intents').where({ reported_reference: reference }).pluck('id')));
  }
  const breaks = await installation.run(['breaks', 'list', '--json']);
  const { items } = JSON.parse(breaks.stdout) as { items: { entity: { id: string } }[] };
  for (const item of items) {
    const entity = { kind: 'payment_intent' };
    expect(item).toMatchObject({ kind: 'record_not_at_service', severity: 'critical', status: 'open', entity });
  }
  expect(items.map(({ entity }) => entity.id).sort()).toEqual(missing.sort());
  expect(await everPaid()).toEqual(['of-ours']);
  expect(await installation.stop()).toEqual([0, 0]);
  report('ghost-drill', { events, ghosts: ghosts.length, breaks: items.length, 'ghosts ever paid': 0 });
});

function payFor({ control }: Sandbox, merchantReference: string): void {
  control.pay(control.createPayment({ amount: '25', currency: 'USDT.TRC20', merchantReference }));
}

async function references(): Promise<string[]> {
  return database.db('orders').orderBy('reference').pluck('reference');
}

async function orderOf(reference: string): Promise<Order> {
  const { stdout } = await installation.run(['orders', 'show', reference, '--json']);
  return (JSON.parse(stdout) as { order: Order }).order;
}

/** Orders that were paid at any time, by the history of all of them. */
async function everPaid(): Promise<string[]> {
  const { rows } = await database.db.raw<{ rows: { reference: string }[] }>(
    `SELECT DISTINCT entity_id AS reference FROM changes
     WHERE entity_kind = 'order' AND (to_value LIKE '%"paid"%' OR to_value LIKE '%"safe":true%')`,
  );
  return rows.map(({ reference }) => reference);
}
