import { expect, test } from 'vitest';
import { getOrder } from '../../src/records/orders/orders.js';
import { useDatabase } from '../support/database.js';
import { poll } from '../support/observations.js';
import { payout } from '../support/records.js';
import { save, savePaid } from '../support/saved.js';
import { useShell } from '../support/shell.js';

/*
 * A refund that another client, or a person in the dashboard, makes: a payout of type refund that carries the order's
 * reference and names no payment.
 */
const database = useDatabase();

const run = useShell(database);
const order = (payment: string) => getOrder(database.db, `order-${payment}`);

async function refundElsewhere(payment: string, amount?: string): Promise<string> {
  await savePaid(database, payment);
  expect((await order(payment))?.release).toMatchObject({ safe: true, reason: 'proven' });
  const id = `po_${payment}`;
  const fields = { status: 'confirmed', merchantReference: `order-${payment}`, ...(amount && { amount }) };
  await save(database, [poll('payout', payout(id, fields), 20)]);
  expect((await order(payment))?.release).toMatchObject({ safe: false, reason: 'refund_unlinked' });
  return id;
}

test('an order that a refund of nobody holds is released when a person says that it gives no payment back', async () => {
  const id = await refundElsewhere('none', '5');
  const listed = await run('refunds', 'list', '--json');
  expect(listed.code).toBe(3);
  expect(listed.json).toMatchObject({ items: [{ id, status: 'confirmed', orders: ['order-none'] }] });

  const assign = (...words: string[]) => run('refunds', 'assign', id, '--note', 'a gift', ...words);
  const refused = (said: string) => ({ code: 2, stderr: expect.stringContaining(said) });
  expect(await assign()).toMatchObject(refused('--payment'));
  expect(await assign('--payment', 'pi_?')).toMatchObject(refused('pi_?'));
  const unknown = await run('refunds', 'assign', 'po_?', '--payment', 'none', '--note', 'x');
  expect(unknown).toMatchObject(refused('po_?'));
  const dry = await assign('--payment', 'none', '--dry-run');
  expect(dry).toMatchObject({ code: 0, stdout: expect.stringMatching(/^would assign .*\n.*safe \(proven\)/s) });
  expect((await order('none'))?.release.safe).toBe(false);
  const done = await assign('--payment', 'none', '--json');
  expect(done.json).toMatchObject({
    payoutId: id,
    paymentIntentId: null,
    orders: [{ reference: 'order-none', status: 'paid', release: { safe: true } }],
  });
  expect((await order('none'))?.release).toMatchObject({ safe: true, reason: 'proven' });
  const actions = await database.db('actions').where({ action: 'assign refund' });
  expect(actions).toMatchObject([{ target: `payout ${id}`, reason: 'a gift', outcome: 'done' }]);
});

test.each([
  ['part', '5', 'partially_refunded'],
  ['whole', undefined, 'refunded'],
])('assigned to its payment, the order %s counts it by amount', async (payment, amount, status) => {
  const id = await refundElsewhere(payment, amount);
  const done = await run('refunds', 'assign', id, '--payment', payment, '--note', 'the dashboard shows it');
  expect(done).toMatchObject({ code: 0, stdout: expect.stringContaining(`order order-${payment}: ${status}`) });
  expect(await order(payment)).toMatchObject({ status, refunds: [id], release: { safe: false } });
  expect((await run('refunds', 'list', '--json')).json).toMatchObject({ items: [] });
});
