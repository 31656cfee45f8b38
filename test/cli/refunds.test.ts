import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { getOrder } from '../../src/records/orders/orders.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { DRILL_MS, isAll, until } from '../support/drill.js';
import { createInstallation, type Installation } from '../support/installation.js';
import { runHere } from '../support/run-here.js';

/** From a refund's event until its order is held. */
const SECONDS = 15_000;

/*
 * A refund that another client, or a person in the dashboard, makes: a payout of type refund that carries the order's
 * reference and names no payment.
 */
describe.each([
  ...(isAll ? [{ service: 'with a list of payouts', strict: false }] : []),
  { service: 'without one', strict: true },
])('refunds made elsewhere, $service', ({ strict }) => {
  let database: TestDatabase;
  let installation: Installation;
  const payments = new Map<string, string>();

  beforeAll(async () => {
    database = await createTestDatabase();
    const env = { ADOPTED_AT: '2020-01-01T00:00:00Z' };
    installation = await createInstallation({ databaseUrl: database.url, env, sandbox: { strict } });
    const { control } = installation.sandbox;
    await installation.start('start');
    for (const reference of ['none', 'part', 'whole']) {
      const id = control.createPayment({
        amount: '100',
        currency: 'USDT.TRC20',
        merchantReference: reference,
        customerRefundAddress: 'TCustomer0000000001',
      });
      control.pay(id);
      payments.set(reference, id);
    }
    for (const reference of payments.keys()) await untilReason(reference, 'proven');
  }, DRILL_MS);
  afterAll(async () => {
    await installation.close();
    await database.drop();
  });

  const order = (reference: string) => getOrder(database.db, reference);
  const untilReason = (reference: string, reason: string, timeoutMs?: number) =>
    until(
      `${reference} is ${reason}`,
      async () => (await order(reference))?.release.reason === reason || (await order(reference))?.release,
      timeoutMs === undefined ? {} : { timeoutMs },
    );
  const run = (...args: string[]) => runHere(args, installation);

  /** Made by somebody else, and confirmed on the chain; its id. */
  async function refundElsewhere(reference: string, amount?: string): Promise<string> {
    const { url, control } = installation.sandbox;
    const response = await fetch(`${url}/v1/payouts/refund`, {
      method: 'POST',
      headers: { Authorization: 'Bearer sandbox-api-key', 'Content-Type': 'application/json' },
      body: JSON.stringify({ paymentIntentId: payments.get(reference), ...(amount === undefined ? {} : { amount }) }),
    });
    const { id } = (await response.json()) as { id: string };
    for (const step of ['approve', 'broadcast', 'confirm'] as const) control.advancePayout(id, { step });
    return id;
  }

  test(
    'the order is held within seconds, and released when a person says that it gives no payment back',
    async () => {
      const id = await refundElsewhere('none', '40');
      await untilReason('none', 'refund_unlinked', SECONDS);
      const listed = await run('refunds', 'list', '--json');
      expect(listed.code).toBe(3);
      expect(JSON.parse(listed.stdout)).toMatchObject({ items: [{ id, status: 'confirmed', orders: ['none'] }] });
      const breaks = await database.db('breaks').where({ entity_id: id });
      expect(breaks).toEqual([]);

      const assign = (...words: string[]) => run('refunds', 'assign', id, '--note', 'a gift', ...words);
      expect(await assign()).toMatchObject({ code: 2, stderr: expect.stringContaining('--payment') });
      expect(await assign('--payment', 'pi_?')).toMatchObject({ code: 2, stderr: expect.stringContaining('pi_?') });
      expect(await run('refunds', 'assign', 'po_?', '--payment', 'none', '--note', 'x')).toMatchObject({
        code: 2,
        stderr: expect.stringContaining('po_?'),
      });
      const dry = await assign('--payment', 'none', '--dry-run');
      expect(dry).toMatchObject({ code: 0, stdout: expect.stringMatching(/^would assign .*\n.*safe \(proven\)/s) });
      expect((await order('none'))?.release.safe).toBe(false);
      const done = await assign('--payment', 'none', '--json');
      expect(JSON.parse(done.stdout)).toMatchObject({
        payoutId: id,
        paymentIntentId: null,
        orders: [{ reference: 'none', status: 'paid', release: { safe: true } }],
      });
      expect((await order('none'))?.release).toMatchObject({ safe: true, reason: 'proven' });
      const action = await database.db('actions').where({ action: 'assign refund' });
      expect(action).toMatchObject([{ target: `payout ${id}`, reason: 'a gift', outcome: 'done' }]);
    },
    DRILL_MS,
  );

  test.each([
    ['part', '40', 'partially_refunded'],
    ['whole', undefined, 'refunded'],
  ])(
    'assigned to its payment, the order %s counts it by amount',
    async (reference, amount, status) => {
      const id = await refundElsewhere(reference, amount);
      await untilReason(reference, 'refund_unlinked', SECONDS);
      const payment = payments.get(reference) ?? '';
      const done = await run('refunds', 'assign', id, '--payment', payment, '--note', 'the dashboard shows it');
      expect(done, done.stderr).toMatchObject({
        code: 0,
        stdout: expect.stringContaining(`order ${reference}: ${status}`),
      });
      expect(await order(reference)).toMatchObject({ status, refunds: [id], release: { safe: false } });
      expect(JSON.parse((await run('refunds', 'list', '--json')).stdout)).toMatchObject({ items: [] });
    },
    DRILL_MS,
  );
});
