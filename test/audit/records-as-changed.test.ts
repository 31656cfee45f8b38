import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type JsonObject, objectFromJsonText } from '../../src/domain/json.js';
import type { Observation } from '../../src/domain/observation.js';
import { type RecordKind, textField } from '../../src/domain/records.js';
import { verifyGone, verifyInvoices, verifyOrders, verifyRecords } from '../../src/records/audit/verify-records.js';
import { registerOrder } from '../../src/records/orders/register-order.js';
import { pruneIn } from '../records/retention/aged.js';
import { useDatabase } from '../support/database.js';
import { absence, at, delivered, mention, ownCall, poll, report } from '../support/observations.js';
import { intent, invoice, payin, payout } from '../support/records.js';
import { save } from '../support/saved.js';
import { sized } from '../support/sizes.js';

const database = useDatabase();
const AGED = (at(0) - Date.now()) / 86_400_000 + 401;

const made: Record<'payment_intent' | 'payin' | 'invoice' | 'payout', (n: number, fields: JsonObject) => JsonObject> = {
  payment_intent: (n, fields) => intent(`pi_${n}`, { merchantReference: `o_${n}`, ...fields }),
  payin: (n, fields) => payin(`pa_${n}`, `pi_${n}`, fields),
  invoice: (n, fields) => invoice(`in_${n}`, fields),
  payout: (n, fields) => payout(`po_${n}`, { destinationAddress: 'ada@example.test', ...fields }),
};
const step = fc.record({
  kind: fc.constantFrom('payment_intent', 'payin', 'invoice', 'payout'),
  by: fc.constantFrom('poll', 'poll', 'report', 'delivery', 'call', 'absence', 'mention', 'mask', 'register'),
  fields: fc
    .record({
      status: fc.constantFrom('pending', 'completed', 'confirmed', 'failed', 'paid'),
      feeAmount: fc.constantFrom('0.5', null, undefined),
      metadata: fc.constantFrom(undefined, null, { size: 'XL' }, { email: 'grace@example.test' }),
      customerEmail: fc.constantFrom(null, 'ada@example.test'),
      invoiceId: fc.constantFrom(null, 'in_1'),
      more: fc.constantFrom(undefined, [1, { deep: '\0' }]),
    })
    .map((given): JsonObject => objectFromJsonText(JSON.stringify(given))),
  /** Before what was seen last. */
  isLate: fc.boolean(),
});

function seen(by: string, kind: RecordKind, fields: JsonObject, second: number): Observation {
  const id = textField(fields, 'id') ?? '';
  if (by === 'poll') return poll(kind, fields, second);
  if (by === 'report') return report(kind, id, fields, second);
  if (by === 'delivery') return delivered(kind, id, fields, second);
  if (by === 'call') return ownCall(kind, id, fields, second, 'createPayout');
  return by === 'absence' ? absence(kind, id, second) : mention(kind, id, second);
}

it('whatever is polled, reported, answered, masked and registered, each record and order is what its changes made of it', async () => {
  const { db } = database;
  let world = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 16 }), async (steps) => {
      world += 1;
      for (const [place, { kind, by, fields, isLate }] of steps.entries()) {
        const second = 10 * place - (isLate ? 15 : 0);
        if (by === 'mask') await pruneIn(db, AGED);
        else if (by === 'register') {
          const amount = fields['feeAmount'] === '0.5' ? '25' : '26';
          await db.transaction((trx) => registerOrder(trx, { reference: `o_${world}`, amount, currency: 'EUR' }));
        } else await save(database, [seen(by, kind, made[kind](world, fields), second)]);
      }
      const found: string[] = [];
      const reportFinding = ({ told }: { told: string }) => void found.push(told);
      const ids = Object.values(made).map((one) => textField(one(world, {}), 'id') ?? '');
      for (const kind of ['payment_intent', 'payin', 'payout'] as const)
        await verifyRecords(db, kind, ids, reportFinding);
      await verifyInvoices(db, reportFinding);
      await verifyOrders(db, reportFinding);
      await verifyGone(db, reportFinding);
      expect(found).toEqual([]);
    }),
    { numRuns: sized(40, 250), endOnFailure: true },
  );
}, 240_000);
