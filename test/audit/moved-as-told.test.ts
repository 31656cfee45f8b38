import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { JsonObject } from '../../src/domain/json.js';
import { feedHead, readChanges } from '../../src/records/changes.js';
import { judgedBalance } from '../support/classified-balance.js';
import { useDatabase } from '../support/database.js';
import { at, poll } from '../support/observations.js';
import { bookFindings, postBooks } from '../support/posted-books.js';
import { paidIntent, payout } from '../support/records.js';
import { save } from '../support/saved.js';
import { sized } from '../support/sizes.js';

const database = useDatabase();
const fields: fc.Arbitrary<JsonObject> = fc
  .record({
    status: fc.constantFrom('pending', 'confirmed', 'failed'),
    feeAmount: fc.constantFrom('0', '0.5', null, undefined),
    accountId: fc.constantFrom(undefined, null, 'acc_1'),
    payoutType: fc.constantFrom('withdrawal', 'refund', 'internal', 'settlement'),
    amount: fc.constantFrom('3', '4'),
  })
  .map((given) => JSON.parse(JSON.stringify(given)));
const step = fc.record({
  by: fc.constantFrom('poll', 'poll', 'webhook', 'delivery_history', 'api_response', 'payment'),
  id: fc.nat(1),
  fields,
  isRefund: fc.boolean(),
  isPosted: fc.boolean(),
  seconds: fc.constantFrom(100, 2_000),
});

it('no record that polls, webhooks, the history and our own calls showed is named as one whose movements somebody changed', async () => {
  const { db } = database;
  const opened = new Date(at(5_000));
  await judgedBalance(db, { assetCode: 'USDT.TRON', opening: '1000', balance: '1000', now: opened });
  let world = 0;
  const changed = async () => {
    await postBooks(db);
    return (await bookFindings(db)).filter((told) => told.startsWith('record_changed'));
  };
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 14 }), async (steps) => {
      world += 1;
      let second = 10;
      for (const { by, seconds, isRefund, isPosted, ...one } of steps) {
        second += seconds;
        const id = `po_${world}_${one.id}`;
        const shown = payout(id, { ...one.fields, updatedAt: new Date(at(second)).toISOString() });
        const intent = { irregularRefundPayoutId: isRefund ? id : null };
        if (by === 'payment')
          await save(database, [poll('payment_intent', paidIntent(`pi_${id}`, `pa_${id}`, intent), second)]);
        else if (by === 'poll') await save(database, [poll('payout', shown, second)]);
        else {
          const about = { kind: 'payout', id, from: at(second), to: at(second) + 999, fields: shown } as const;
          await save(database, [{ type: 'statement', ...about, source: { type: by, ref: '1' } }]);
        }
        if (isPosted) expect(await changed()).toEqual([]);
      }
      expect(await changed()).toEqual([]);
    }),
    { numRuns: sized(15, 300), endOnFailure: true },
  );
}, 240_000);

it('what was not shown and then is shown as none is a change, by which movements follow, and no news to who reads the feed', async () => {
  const { db } = database;
  const shown = payout('po_none', { status: 'confirmed', accountId: null, feeBearer: 'merchant' });
  const { feeAmount: _, ...without } = shown;
  await save(database, [poll('payout', without, 10)]);
  await postBooks(db);
  const end = await feedHead(db);
  await save(database, [poll('payout', { ...without, feeAmount: null }, 20)]);
  await postBooks(db);
  expect(await db('movements').where({ record_id: 'po_none' }).pluck('part')).toEqual(['explained']);
  expect(await bookFindings(db)).toEqual([]);
  expect((await readChanges(db, { after: end, take: 10 })).items).toEqual([]);
});

it('a refund that a payment names as its dispute’s, and then no more, moves what it would if it had never been named', async () => {
  const { db } = database;
  const intent = (named: string | null) => paidIntent('pi_no_more', 'pa_no_more', { irregularRefundPayoutId: named });
  const shown = payout('po_no_more', { payoutType: 'refund', status: 'confirmed', feeBearer: 'merchant' });
  const moved = async () => {
    await postBooks(db);
    expect(await bookFindings(db)).toEqual([]);
    return db('movements').where({ record_id: 'po_no_more' }).pluck('operation');
  };
  await save(database, [poll('payout', shown, 10), poll('payment_intent', intent('po_no_more'), 10)]);
  expect(await moved()).toEqual([]);
  await save(database, [poll('payment_intent', intent(null), 20)]);
  expect(await moved()).toEqual(['refund']);
});
