import fc from 'fast-check';
import type { Knex } from 'knex';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createMetrics } from '../../../src/metrics.js';
import { deleteKeys, pruneBodies } from '../../../src/records/retention/delete-rows.js';
import { applyEvents } from '../../../src/webhook/apply-events.js';
import { createTestDatabase, type TestDatabase } from '../../support/database.js';
import { completed, storeEvents } from '../../support/events.js';
import { sized } from '../../support/sizes.js';
import { age, log } from './aged.js';

let pruned: TestDatabase;
let whole: TestDatabase;
beforeAll(async () => {
  pruned = await createTestDatabase();
  whole = await createTestDatabase();
});
afterAll(() => Promise.all([pruned.drop(), whole.drop()]));

const states = ['pending', 'confirming', 'completed', 'expired', 'cancelled'];
const event = fc.record({ name: fc.constantFrom('a', 'b'), state: fc.constantFrom(...states), at: fc.nat(3) });
const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant('arrive' as const), event }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('apply' as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('bodies' as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('keys' as const) }) },
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

test('events in any order and as often as they come, pruned at any moment: each is applied once in effect', async () => {
  let runs = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 12 }), async (steps) => {
      runs += 1;
      const isKept = (one: Step) => one.do === 'arrive' || one.do === 'apply';
      const expected = await outcome(whole.db, `x${runs}`, steps.filter(isKept));
      expect(await outcome(pruned.db, `x${runs}`, steps)).toEqual(expected);
    }),
    { numRuns: sized(12, 300) },
  );
});

async function outcome(db: Knex, run: string, steps: readonly Step[]) {
  for (const one of steps) {
    if (one.do === 'arrive') {
      const { name, state, at } = one.event;
      const timestamp = 1_700_000_000 + at;
      const ids = await storeEvents(db, [
        { ...completed(`${run}_${name}`, { status: state }), timestamp, id: `${run} ${name} ${state} ${at}` },
      ]);
      await age(db, ids, 500);
    } else if (one.do === 'apply') await applyAll(db);
    else await prune(db, one.do === 'bodies' ? pruneBodies : deleteKeys);
  }
  await applyAll(db);
  const details = {
    records: await db('payment_intents')
      .whereLike('id', `pi\\_${run}\\_%`)
      .orderBy('id')
      .select('id', 'status', 'shown', 'claims'),
    changes: await db('changes')
      .whereLike('entity_id', `%${run}\\_%`)
      .orderBy('seq')
      .select('entity_id', 'field', 'to_value'),
    orders: await db('orders').whereLike('reference', `%${run}\\_%`).orderBy('reference').select('reference', 'status'),
    waiting: await db('inbox').whereIn('status', ['received', 'failed', 'dead']).select('id'),
  };
  // A source is named by its row, and that is another one when the same event comes again after its key is gone.
  const text = JSON.stringify(details)
    .replaceAll(run, 'x')
    .replaceAll(/\\"webhook\\",\\"\d+\\"/g, '\\"webhook\\"');
  return JSON.parse(text);
}

async function applyAll(db: Knex): Promise<void> {
  const ids: string[] = await db('inbox').where({ status: 'received' }).pluck('id');
  await applyEvents({ db, log, now: () => new Date(), metrics: createMetrics(), adoptedAt: new Date(0) }, ids);
}

async function prune(db: Knex, task: typeof pruneBodies): Promise<void> {
  const cutoff = new Date();
  await db.transaction((trx) => task.step(trx, { cutoff, place: null, limit: 1_000 }));
}
