import fc from 'fast-check';
import { beforeEach, expect, test } from 'vitest';
import { holdingRefunds, MOST_DENIED, type SaidCount } from '../../src/domain/family/said.js';
import { orderDetails } from '../../src/records/orders/order-details.js';
import { getOrder } from '../../src/records/orders/orders.js';
import { saveObservations } from '../../src/records/saving/save-observations.js';
import { poll } from '../support/observations.js';
import { payout } from '../support/records.js';
import { resettableDatabase } from '../support/resettable-database.js';
import { context, save, savePaid } from '../support/saved.js';

const database = resettableDatabase();
let made = 0;
const reason = async () => (await getOrder(database.db, 'order-pi'))?.release.reason;
const take = (...observations: Parameters<typeof saveObservations>[1]) =>
  database.db.transaction((trx) => saveObservations(trx, observations, context));

async function historyRead(age: string): Promise<void> {
  const updated_at = database.db.raw('now() - ?::interval', [age]);
  const mark = { kind: 'deliveries', name: 'mark', value: '{}', updated_at };
  await database.db('watermarks').insert(mark).onConflict(['kind', 'name']).merge();
}

/** A webhook under that secret says that a payout gives the payment back. */
async function said(id: string, label: string): Promise<void> {
  made += 1;
  const about = {
    key_type: 'id',
    content_hash: 'h',
    event_type: 'payout.pending',
    event_timestamp: 1,
    source: 'webhook',
  };
  const row = { key: `id:${made}`, ...about, secret_label: label, body: Buffer.from('{}') };
  const [event] = await database.db('inbox').insert(row).returning('id');
  const source = { type: 'webhook', ref: event.id } as const;
  const fields = { id, status: 'pending', payoutType: 'refund', paymentIntentId: 'pi' };
  await take({ kind: 'payout', id, from: Date.now(), to: Date.now(), source, type: 'statement', fields });
}

const denied = (id: string) =>
  take({ kind: 'payout', id, type: 'absence', from: Date.now(), to: Date.now(), source: { type: 'poll', ref: 'p' } });

/** Each is denied after the next one came: the order was never free between them. */
async function trickle(n: number, label = 'stolen'): Promise<(string | undefined)[]> {
  const held = [];
  for (let k = 0; k <= n; k += 1) {
    await said(`po_${label}_${k}`, label);
    if (k > 0) await denied(`po_${label}_${k - 1}`);
    held.push(await reason());
  }
  return held;
}

beforeEach(async () => {
  await savePaid(database, 'pi');
  await historyRead('1 minute');
});

test('a trickle of made-up refunds, each sent before the last is denied, holds the order until five were denied', async () => {
  expect(await trickle(MOST_DENIED + 2)).toEqual([
    ...Array.from({ length: MOST_DENIED }, () => 'refund_reported'),
    'proven',
    'proven',
    'proven',
  ]);
  const details = await orderDetails(database.db, 'order-pi');
  expect(details?.reported.passedOver).toEqual([{ secret: 'stolen', denied: MOST_DENIED + 2 }]);
  // What another secret says is heard, and what the service itself shows decides.
  await said('po_honest', 'shop');
  expect(await reason()).toBe('refund_reported');
  await denied('po_honest');
  expect(await reason()).toBe('proven');
  const shown = payout(`po_stolen_${MOST_DENIED + 2}`, {
    status: 'pending',
    payoutType: 'refund',
    paymentIntentId: 'pi',
  });
  await save(database, [{ ...poll('payout', shown, 0), from: Date.now(), to: Date.now() }]);
  expect(await reason()).toBe('refund_in_progress');
});

test('where the delivery history is not read, each holds it: nothing else would find the true one', async () => {
  await historyRead('61 minutes');
  expect(new Set(await trickle(MOST_DENIED + 2))).toEqual(new Set(['refund_reported']));
});

test('a flood at once is passed over too, once five were denied', async () => {
  await trickle(MOST_DENIED);
  for (let k = 0; k < 5; k += 1) await said(`po_more_${k}`, 'stolen');
  expect(await reason()).toBe('proven');
});

const count = fc.record<SaidCount>({
  key: fc.constantFrom('pi', 'pi_2'),
  label: fc.constantFrom('shop', 'stolen', null),
  lately: fc.boolean(),
  known: fc.boolean(),
  absent: fc.boolean(),
  linked: fc.boolean(),
  searched: fc.boolean(),
  assigned: fc.boolean(),
  disproved: fc.boolean(),
  n: fc.integer({ min: 1, max: 3 }),
});

test('whatever comes under one secret, what another says is heeded as before; what a person decided on counts as denied by nobody', () => {
  fc.assert(
    fc.property(fc.array(count), fc.array(count), (honest, others) => {
      const own = honest.map((one) => ({ ...one, label: 'shop' }));
      const forged = others.map((one) => ({ ...one, label: 'stolen' }));
      const [alone, both, theirs] = [own, [...own, ...forged], forged].map((all) =>
        holdingRefunds(all, { canPassOver: true }),
      );
      for (const key of ['pi', 'pi_2'])
        expect(both?.get(key) ?? 0).toBe((alone?.get(key) ?? 0) + (theirs?.get(key) ?? 0));
      const assigned = own.map((one) => ({ ...one, disproved: one.disproved && !one.assigned }));
      const undenied = assigned.filter((one) => one.assigned || (!one.disproved && (one.known || !one.absent)));
      expect(holdingRefunds(undenied, { canPassOver: true })).toEqual(holdingRefunds(undenied, { canPassOver: false }));
    }),
  );
});
