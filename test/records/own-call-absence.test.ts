import { expect, test } from 'vitest';
import type { Observation } from '../../src/domain/observation.js';
import { getOrder } from '../../src/records/orders/orders.js';
import { useDatabase } from '../support/database.js';
import { absence, at, poll } from '../support/observations.js';
import { payout } from '../support/records.js';
import { save, savePaid } from '../support/saved.js';

const database = useDatabase();

/** The answer to a refund of our own, of which no row of service_writes knows the payment: an earlier version made it. */
const answer = (id: string, paymentIntentId: string, second: number): Observation => ({
  type: 'statement',
  kind: 'payout',
  id,
  from: at(second),
  to: at(second),
  source: { type: 'api_response', ref: 'createRefund' },
  fields: { ...payout(id), paymentIntentId },
});

test.each(['never listed', 'listed before'])('%s: no absence outranks the answer to our own refund', async (was) => {
  const id = was === 'never listed' ? 'n' : 'l';
  await savePaid(database, `pi_${id}`);
  await save(database, [answer(`po_${id}`, `pi_${id}`, 20)]);
  if (was === 'listed before') await save(database, [poll('payout', payout(`po_${id}`, { status: 'confirmed' }), 30)]);
  await save(database, [absence('payout', `po_${id}`, 40)]);
  expect(await getOrder(database.db, `order-pi_${id}`)).toMatchObject({ release: { safe: false } });
});
