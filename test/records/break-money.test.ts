import { expect, test } from 'vitest';
import { moneyOfBreaks } from '../../src/records/breaks/break-money.js';
import { openBreaks } from '../../src/records/breaks/breaks.js';
import { useDatabase } from '../support/database.js';
import { poll } from '../support/observations.js';
import { intent } from '../support/records.js';
import { save } from '../support/saved.js';

const database = useDatabase();

test('the money of a payment that two breaks are about is counted once; of none there is no sum', async () => {
  const { db } = database;
  await save(database, [
    poll('payment_intent', intent('pi_1', { status: 'completed', amountRequested: '12.5' }), 1),
    poll('payin', { id: 'pay_1', status: 'confirmed', paymentIntentId: 'pi_1' }, 1),
    poll('payin', { id: 'pay_2', status: 'confirmed', paymentIntentId: 'pi_1' }, 1),
  ]);
  const held = (id: string) => ({
    kind: 'kyt_hold' as const,
    entity: { kind: 'payin' as const, id },
    evidence: {},
  });
  await openBreaks(db, [held('pay_1'), held('pay_2'), held('pay_unknown')]);
  const ids = await db('breaks').where({ kind: 'kyt_hold' }).pluck('id');
  expect(await moneyOfBreaks(db, ids)).toEqual([
    { currency: 'EUR', breaks: 2, amount: '12.5', worth: null },
    { currency: null, breaks: 1, amount: null, worth: null },
  ]);
  expect(await moneyOfBreaks(db, [])).toEqual([]);
});
