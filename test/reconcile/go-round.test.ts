import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createLog } from '../../src/log.js';
import { crossCheck } from '../../src/reconcile/cross-check/cross-check.js';
import { goOn, goRound } from '../../src/reconcile/cross-check/go-round.js';
import { listBreaks } from '../../src/records/breaks/list-breaks.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { at, poll } from '../support/observations.js';
import { paidIntent, payout } from '../support/records.js';
import { context, save } from '../support/saved.js';
import { sized } from '../support/sizes.js';
import { HOUR } from './checked-shop.js';

const STEP_MS = 30 * 60_000;
const DAY_MS = 24 * HOUR * 1_000;
const STEPS_OF_A_DAY = DAY_MS / STEP_MS;

interface World {
  database: TestDatabase;
  deps: Parameters<typeof goRound>[0];
  /** Ids of the payments that were given back too much. */
  found(): Promise<string[]>;
  pass(ms: number): void;
}

async function inWorld(work: (world: World) => Promise<void>): Promise<void> {
  const database = await createTestDatabase();
  let clock = at(HOUR);
  const { adoptedAt } = context;
  const deps = { db: database.db, log: createLog('silent'), now: () => new Date(clock), adoptedAt };
  const found = async () => {
    const { items } = await listBreaks(database.db, { status: 'open', kind: 'refund_exceeds_net' });
    return items.map(({ entity }) => entity.id).sort();
  };
  try {
    await work({ database, deps, found, pass: (ms) => void (clock += ms) });
  } finally {
    await database.drop();
  }
}

/** Payments that are given back a little of. */
async function refunded({ database, deps }: World, ids: readonly string[]): Promise<void> {
  const refund = (id: string) => payout(`r${id}`, { paymentIntentId: id, amount: '1', status: 'confirmed' });
  await save(
    database,
    ids.flatMap((id) => [poll('payment_intent', paidIntent(id, `p${id}`), 10), poll('payout', refund(id), 10)]),
  );
  await crossCheck(deps);
}

/** By hand, in the table: nothing in the feed of changes tells of it. */
async function plant({ database: { db } }: World, id: string): Promise<void> {
  const written = db.raw(`replace(shown, '"amount":"1"', '"amount":"26"')`);
  expect(
    await db('payouts')
      .where({ id: `r${id}` })
      .update({ shown: written }),
  ).toBe(1);
}

/** In an order of ids that is not that of their making. */
const named = (from: number, count: number) =>
  Array.from({ length: count }, (_, n) => `${String((from + n) * 7_919).slice(-3)}-${from + n}`);

const later = fc.record({
  made: fc.integer({ min: 0, max: STEPS_OF_A_DAY }),
  count: fc.integer({ min: 0, max: 3 }),
  planted: fc.integer({ min: 0, max: 2 * STEPS_OF_A_DAY }),
  pick: fc.nat(),
});

test('what somebody changes in the database is found within a day, whatever is made meanwhile, and little is checked for it', async () => {
  const worlds = fc.record({
    first: fc.integer({ min: 1, max: 8 }),
    atOnce: fc.integer({ min: 1, max: 5 }),
    events: fc.array(later, { minLength: 1, maxLength: 3 }),
  });
  await fc.assert(
    fc.asyncProperty(worlds, ({ first, atOnce, events }) =>
      inWorld(async (world) => {
        const ids = named(1, first);
        await refunded(world, ids);
        const planted = new Map<string, number>();
        let checked = 0;
        const steps = 3 * STEPS_OF_A_DAY + 1;
        for (let step = 0; step < steps; step += 1) {
          for (const { made, count, planted: when, pick } of events) {
            if (made === step && count > 0) {
              const more = named(ids.length + 1, count);
              await refunded(world, more);
              ids.push(...more);
            }
            const chosen = ids[pick % ids.length] ?? '';
            if (when === step && !planted.has(chosen)) {
              await plant(world, chosen);
              planted.set(chosen, step);
            }
          }
          checked += (await goRound(world.deps, { atOnce })).checked;
          world.pass(STEP_MS);
          const due = [...planted].filter(([, since]) => (step + 1 - since) * STEP_MS >= DAY_MS).map(([id]) => id);
          if (due.length > 0) expect(await world.found()).toEqual(expect.arrayContaining(due));
        }
        expect(await world.found()).toEqual([...planted.keys()].sort());
        // Payments and payouts; no record more often than each twelve hours.
        expect(checked).toBeLessThanOrEqual(2 * ids.length * Math.ceil((steps * STEP_MS) / (DAY_MS / 2)));
      }),
    ),
    { numRuns: sized(3, 60) },
  );
});

test('a full run holds all of them against one another where there are no more than it takes, wherever the round is', async () => {
  const worlds = fc.record({
    count: fc.integer({ min: 1, max: 12 }),
    gone: fc.integer({ min: 0, max: 12 }),
    pick: fc.nat(),
  });
  await fc.assert(
    fc.asyncProperty(worlds, ({ count, gone, pick }) =>
      inWorld(async (world) => {
        const ids = named(1, count);
        await refunded(world, ids);
        if (gone > 0) await goRound(world.deps, { atOnce: gone });
        const chosen = ids[pick % count] ?? '';
        await plant(world, chosen);
        expect(await goOn(world.deps, 'payouts', { atOnce: count })).toMatchObject({ checked: count, opened: 1 });
        expect(await world.found()).toEqual([chosen]);
      }),
    ),
    { numRuns: sized(6, 100) },
  );
});

test('a full run of many takes the next of them, each time', () =>
  inWorld(async (world) => {
    const ids = named(1, 5);
    await refunded(world, ids);
    for (const id of ids) await plant(world, id);
    const sorted = ids.toSorted();
    for (const many of [2, 4, 5]) {
      await goOn(world.deps, 'payouts', { atOnce: 2 });
      expect(await world.found()).toEqual(sorted.slice(0, many));
    }
  }));

test('a sum that did not add up before others did is no break for the round, and is one for a full run', () =>
  inWorld(async (world) => {
    const { database, deps } = world;
    const fees = async () => (await listBreaks(database.db, { status: 'open', kind: 'fee_identity' })).items.length;
    await save(database, [poll('payment_intent', paidIntent('odd', 'podd', { amountNetMerchant: '25' }), 10)]);
    await crossCheck(deps);
    await refunded(world, named(1, 20));
    await goRound(deps);
    expect(await fees()).toBe(0);
    await goOn(deps, 'payment-intents');
    expect(await fees()).toBe(1);
  }));

test('a break that was closed in the table though its cause lasts is open again within the round', () =>
  inWorld(async (world) => {
    const { db } = world.database;
    await refunded(world, ['a']);
    await plant(world, 'a');
    await goOn(world.deps, 'payouts');
    await db('breaks').update({ status: 'auto_resolved' });
    await goRound(world.deps);
    expect(await world.found()).toEqual(['a']);
  }));

test('content that contradicts nothing is not found, though it is polled; a hash that is not that of the content is', () =>
  inWorld(async (world) => {
    const { db } = world.database;
    await refunded(world, ['a']);
    const note = db.raw(`replace(shown, '"status":"completed"', '"status":"completed","more":"x"')`);
    await db('payment_intents').update({ shown: note });
    const again = (second: number) => save(world.database, [poll('payment_intent', paidIntent('a', 'pa'), second)]);
    await again(20);
    await goRound(world.deps);
    expect((await db('payment_intents').first()).shown).toContain('"more"');
    await db('payment_intents').update({ poll_hash: 'another' });
    await again(30);
    expect((await db('payment_intents').first()).shown).not.toContain('"more"');
  }));
