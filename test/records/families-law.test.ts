import * as fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { familyOf } from '../../src/domain/family/family.js';
import { defaultPayoutWords } from '../../src/domain/family/links.js';
import { loadFamilies } from '../../src/records/family/load.js';
import { untouchedOrder } from '../../src/records/orders/order-row.js';
import { plain, recordsOf, saidOf, statesOf } from '../domain/laws/judge.js';
import { references, type World, world } from '../domain/laws/worlds.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { save } from './observed.js';

const RUNS = process.env['TALLYHOOK_LONG'] ? 400 : 40;

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

const TABLES = [
  'payment_intents',
  'payins',
  'invoices',
  'payouts',
  'orders',
  'payin_listings',
  'watermarks',
  'refund_assignments',
];

/** All of a world, as savers and persons write it down. */
async function write({ proofs, reports, assigned, searched }: World): Promise<void> {
  const { db } = database;
  for (const table of TABLES) await db.raw(`DELETE FROM ${table}`);
  for (const some of [proofs, reports]) if (some.length > 0) await save(database, some);
  for (const [id, at] of searched) await db('payouts').where({ id }).update({ searched_at: at });
  for (const [payout_id, payment_intent_id] of assigned) {
    await db('refund_assignments').insert({ payout_id, payment_intent_id, actor: 'a person', note: 'why' });
  }
}

test('what is loaded of an order is what the domain chooses of everything that is known', async () => {
  await fc.assert(
    fc.asyncProperty(world, async (world) => {
      await write(world);
      const states = statesOf([...world.proofs, ...world.reports]);
      const showsKyt = [...states.values()].some(
        ({ observation, shown }) => observation.kind === 'payin' && typeof shown.fields['kytStatus'] === 'string',
      );
      const said = { ...saidOf({ ...world, calls: [] }, states), showsKyt };
      const records = recordsOf(states);
      const loaded = await database.db.transaction((trx) => loadFamilies(trx, references.map(untouchedOrder)));
      for (const reference of references) {
        const chosen = familyOf(reference, records, said, defaultPayoutWords);
        expect(familyText(loaded.get(reference))).toEqual(familyText(chosen));
      }
    }),
    { numRuns: RUNS },
  );
}, 600_000);

function familyText(family: ReturnType<typeof familyOf> | undefined): unknown {
  if (family === undefined) return undefined;
  const order = { status: 'paid', release: { safe: false, reason: 'payins_unread', provenAt: null } } as const;
  return plain({ reference: '', family, facts: { ...family, reference: '', expected: null, contested: [] }, order });
}
