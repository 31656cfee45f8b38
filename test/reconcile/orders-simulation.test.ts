import { parse, stringify } from 'lossless-json';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import type { JsonObject } from '../../src/domain/json.js';
import { kinds, type ReconcileDeps } from '../../src/reconcile/deps.js';
import { newRefreshMemory, type RefreshMemory } from '../../src/reconcile/refresh/refresh-list.js';
import { runReconcile } from '../../src/reconcile/schedule/run.js';
import { saveObservations } from '../../src/records/saving/save-observations.js';
import { defaultContract } from '../../src/service-api/contract.js';
import { observeEvent } from '../../src/webhook/observe-event.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { sized } from '../support/sizes.js';
import { testSettings } from './fake-service.js';
import { Random } from './random.js';
import { refreshRecords } from './refresh-records.js';
import { type Payment, type SentEvent, ShopModel } from './shop-model.js';

const SEEDS = sized(1, 200);
const STEPS = 60;
const kind = kinds[0];

interface World {
  random: Random;
  shop: ShopModel;
  database: TestDatabase;
  deps: ReconcileDeps;
  memory: RefreshMemory;
}

async function createWorld(seed: number): Promise<World> {
  const random = new Random(seed);
  const shop = new ShopModel(random);
  const database = await createTestDatabase();
  const deps: ReconcileDeps = {
    db: database.db,
    databaseUrl: database.url,
    log: pino({ level: 'silent' }),
    now: () => new Date(shop.clock),
    client: shop,
    contract: defaultContract,
    settings: testSettings,
    // Half of the worlds have payments that were under way when the books began.
    adoptedAt: new Date(shop.clock + random.below(2) * 60_000),
  };
  return { random, shop, database, deps, memory: newRefreshMemory(['payment_intent']) };
}

async function deliver({ shop, deps }: World, isDue: (event: SentEvent) => boolean): Promise<void> {
  const due = shop.outbox.filter(isDue);
  shop.outbox = shop.outbox.filter((event) => !due.includes(event));
  const observations = due.flatMap(({ type, timestamp, data }, index) => {
    const asReceived = parse(stringify(data) ?? '{}') as JsonObject;
    return observeEvent({ id: String(index), type, timestamp, source: 'webhook', data: asReceived }).observations;
  });
  const context = { now: deps.now(), adoptedAt: deps.adoptedAt };
  await deps.db.transaction((trx) => saveObservations(trx, observations, context));
}

const makeDue = ({ database: { db } }: World) =>
  db('reading_marks').update({ next_at: db.raw("now() - interval '1 s'") });

async function step(world: World): Promise<void> {
  const { random, shop, deps, memory } = world;
  const isDue = ({ due }: SentEvent) => due <= shop.clock;
  shop.clock += random.below(3_000);
  shop.move();
  shop.move();
  await deliver(world, isDue);
  const dice = random.below(12);
  if (dice < 3) await refreshRecords(deps, memory);
  if (dice === 4) await makeDue(world);
  const run = { kind, full: random.below(2) === 0, withoutPayins: true };
  if (dice === 5) await Promise.all([runReconcile(deps, run), deliver(world, isDue)]);
}

/** Nothing happens at the service any more; what is still on its way arrives, and everything is read. */
async function settle(world: World): Promise<void> {
  const { shop, deps, memory } = world;
  shop.resting = true;
  shop.clock += 30_000;
  await deliver(world, () => true);
  for (let round = 0; round < 8; round++) {
    shop.clock += 61_000;
    await makeDue(world);
    await refreshRecords(deps, memory);
    if (round > 3) continue;
    expect(await runReconcile(deps, { kind, full: round === 3 })).toMatchObject({ complete: true });
  }
}

const passed = ({ status, payins }: Payment) =>
  status === 'completed' && payins.every((payin) => payin.status === 'confirmed' && payin.kyt === 'approved');

/** What is true once stays true but for a dispute: so a release is wrong if it is not true at least now. */
async function wronglyReleased({ shop, database }: World): Promise<string[]> {
  const released: string[] = await database.db('orders').where({ release_safe: true }).pluck('reference');
  return released.filter((order) => !shop.payments.some((payment) => payment.reference === order && passed(payment)));
}

/** What the orders must be, going by nothing but the service. */
function truth({ payments }: ShopModel): Map<string, { ids: string[]; twice: boolean; safe: boolean }> {
  const references = new Set(payments.map(({ reference }) => reference));
  return new Map(
    [...references].map((reference) => {
      const own = payments.filter((payment) => payment.reference === reference);
      const disputed = own.some(({ irregular }) => irregular !== 'none');
      const completed = own.filter(({ status }) => status === 'completed');
      const safe = !disputed && completed.length === 1 && completed.every(passed);
      return [reference, { ids: own.map(({ id }) => id).sort(), twice: !disputed && completed.length > 1, safe }];
    }),
  );
}

async function held({ database }: World): Promise<ReturnType<typeof truth>> {
  const rows = await database.db('orders');
  return new Map(
    rows.map((row) => {
      const ids = row.payment_intents.toSorted();
      return [row.reference, { ids, twice: row.status === 'paid_twice', safe: row.release_safe }];
    }),
  );
}

/** Ids of the payins that the service's screening rejects. */
const rejected = ({ payments }: ShopModel): Set<string> =>
  new Set(payments.flatMap(({ payins }) => payins.flatMap(({ id, kyt }) => (kyt === 'rejected' ? [id] : []))));

const sorted = (orders: ReturnType<typeof truth>) => [...orders].sort(([a], [b]) => (a < b ? -1 : 1));

test(`goods go out exactly on what the service proves, whatever events, readings and delays do, over ${SEEDS} seeds`, async () => {
  for (let seed = 1; seed <= SEEDS; seed++) {
    const world = await createWorld(seed);
    for (let count = 0; count < STEPS; count++) {
      await step(world);
      expect({ seed, count, released: await wronglyReleased(world) }).toEqual({ seed, count, released: [] });
    }
    await settle(world);
    expect({ seed, orders: sorted(await held(world)) }).toEqual({ seed, orders: sorted(truth(world.shop)) });
    const { db } = world.database;
    const marks = await db('reading_marks').whereNotIn('reason', ['not_final', 'recheck']);
    const founded = ['duplicate_payment', 'kyt_hold'];
    const breaks = await db('breaks').where({ status: 'open' }).whereNotIn('kind', founded);
    const holds = await db('breaks').where({ status: 'open', kind: 'kyt_hold' }).pluck<string[]>('entity_id');
    const unfounded = holds.filter((id) => !rejected(world.shop).has(id));
    expect({ seed, marks, breaks, unfounded }).toEqual({ seed, marks: [], breaks: [], unfounded: [] });
    await world.database.drop();
  }
}, 900_000);
