import { expect, test } from 'vitest';
import { getOrder } from '../../src/records/orders/orders.js';
import { holdOrders } from '../../src/records/orders/rederive-releases.js';
import { createServiceWriteLog } from '../../src/records/service-writes.js';
import { prepareKeyed } from '../../src/service-api/keyed-calls.js';
import { useDatabase } from '../support/database.js';
import { savePaid } from '../support/saved.js';
import { useShell } from '../support/shell.js';

const database = useDatabase();

const run = useShell(database);
const hold = () => database.db.transaction((trx) => holdOrders(trx, { limit: 9, rules: { adoptedAt: new Date(0) } }));
const release = async (payment: string) => (await getOrder(database.db, `order-${payment}`))?.release;

/** A refund of our own of a payment whose goods could go out; its key. */
async function refundOf(payment: string, outcome: 'lost' | 'done', made: string | null): Promise<string> {
  await savePaid(database, payment);
  const log = createServiceWriteLog(database.db);
  const { write } = prepareKeyed('createRefund', { body: { paymentIntentId: payment } });
  await log.begin(write, { leaseMs: 60_000, withinMs: 480_000 });
  await log.end(write, outcome, made);
  await hold();
  return write.key;
}

test('a lost refund is listed, shown, and settled by a person, who can’t say what the records refute', async () => {
  await refundOf('pi_made', 'done', 'po_made');
  const key = await refundOf('pi_lost', 'lost', null);
  expect(await release('pi_lost')).toMatchObject({ safe: false, reason: 'refund_in_progress' });

  const listed = await run('calls', 'list', '--json');
  expect(listed.code).toBe(3);
  const items = [{ key, paymentIntentId: 'pi_lost', undecided: true }];
  expect(listed.json).toMatchObject({ items });
  const shown = await run('calls', 'show', key, '--json');
  expect(shown.json).toMatchObject({ items: [{ key, request: expect.stringContaining('pi_lost') }] });
  expect((await run('calls', 'show', key)).stdout).toMatch(/^payment intent id +pi_lost$/m);
  expect(await run('calls', 'show', 'refund-?')).toMatchObject({ code: 2 });

  const settle = (...words: string[]) => run('calls', 'settle', key, '--note', 'looked', ...words);
  const refused = (said: string) => ({ code: 2, stderr: expect.stringContaining(said) });
  expect(await settle('--as', 'perhaps')).toMatchObject({ code: 2 });
  expect(await settle('--as', 'done:NONSENSE')).toMatchObject(refused('shown no payout "NONSENSE"'));
  expect(await settle('--as', 'done:po 1', '--force')).toMatchObject(refused('is no id'));
  expect(await settle('--as', 'done:po_made', '--force')).toMatchObject(refused('was made by'));
  expect(await settle('--as', 'done:NONSENSE', '--force', '--dry-run')).toMatchObject({ code: 0 });
  const rehearsed = await settle('--as', 'not_done', '--dry-run');
  expect(rehearsed).toMatchObject({ code: 0, stdout: expect.stringMatching(/^would settle .*: it made nothing\n$/) });
  await hold();
  expect(await release('pi_lost')).toMatchObject({ safe: false });

  const made = { code: 0, stdout: expect.stringMatching(/^settled .*: it made nothing\n$/) };
  expect(await settle('--as', 'not_done')).toMatchObject(made);
  expect(await database.db('service_writes').where({ key }).first('status', 'object_id')).toEqual({
    status: 'unsent',
    object_id: null,
  });
  await hold();
  expect(await release('pi_lost')).toMatchObject({ safe: true });
  expect(await settle('--as', 'not_done')).toMatchObject({ code: 2 });
  const actions = await database.db('actions').where({ action: 'settle call' });
  expect(actions).toMatchObject([{ target: `call createRefund ${key}`, reason: 'looked' }]);
  expect(await run('calls', 'list')).toMatchObject({ code: 0 });
});
