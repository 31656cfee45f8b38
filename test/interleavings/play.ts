import type { Knex } from 'knex';
import { type Arrival, storeArrivals } from '../../src/records/inbox/inbox.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { save } from '../support/saved.js';
import { addCast, deliver, type Notes } from './cast.js';
import { digestOf, openGate, randomOf } from './gate.js';
import { findStale, judge } from './laws.js';
import { Stage } from './stage.js';
import type { Pools } from './terms.js';
import { Watch } from './watch.js';
import { type Delivery, SECRETS, type World, worldOf } from './world.js';

export interface Played {
  seed: number;
  /** Of the statements, in their order: another one means that other code ran. */
  digest: string;
  trace: readonly string[];
  wrong: string[];
}

export interface Theatre {
  play(seed: number): Promise<Played>;
  close(): Promise<void>;
}

const TABLES =
  `payment_intents payins invoices payouts orders payin_listings reported_refunds reading_marks breaks break_steps
  changes watermarks unread_intervals runs inbox_repeats inbox secret_matches secrets actions`.split(/\s+/);
const SEQUENCES = [
  'changes_seq_seq',
  'breaks_id_seq',
  'break_steps_id_seq',
  'runs_id_seq',
  'inbox_id_seq',
  'actions_id_seq',
];
const CLEAN = [
  'SET session_replication_role = replica',
  ...TABLES.map((table) => `DELETE FROM ${table}`),
  ...SEQUENCES.map((sequence) => `SELECT setval('${sequence}', 1, false)`),
  'SET session_replication_role = origin',
].join(';');
/** Worlds after which what was deleted is swept out of the tables. */
const VACUUM_EVERY = 100;
/** The schedule goes its own way, whatever the world took from its seed. */
const SCHEDULE = 0x5bd1e995;

export async function openTheatre(): Promise<Theatre> {
  const databases = { together: await createTestDatabase(), alone: await createTestDatabase() };
  const { together, alone } = databases;
  let onStage: Stage | null = null;
  const pools: Pools = new Map();
  let played = 0;
  const closeGate = openGate((sent) => onStage?.gate(sent) ?? null);
  return {
    play: async (seed) => {
      played += 1;
      for (const { db } of [together, alone]) await clean(db, played % VACUUM_EVERY === 0);
      const world = worldOf(seed);
      const notes = await begin(together, world);
      const watch = new Watch(together.db, notes, world);
      const stage = new Stage({
        ...world,
        url: together.url,
        pools,
        control: together.db,
        random: randomOf(seed ^ SCHEDULE),
        before: (statement) => watch.before(statement, stage),
        after: (statement, answer, others) => watch.after(statement, answer, others),
      });
      onStage = stage;
      addCast(stage, world, notes, {
        strand: () => strand(together),
        isCalm: () => watch.isCalm(),
        findStale: () => findStale(together),
      });
      const stuck = await stage.run().then(
        () => [],
        (error: unknown) => [String(error)],
      );
      await stage.close();
      const wrong = stuck.length > 0 ? stuck : await judge(databases, { world, notes, watch });
      return { seed, digest: digestOf(stage.trace), trace: stage.trace, wrong: [...stage.errors, ...wrong] };
    },
    close: async () => {
      closeGate();
      await Promise.all([...pools.values()].map((db) => db.destroy()));
      await Promise.all([together.drop(), alone.drop()]);
    },
  };
}

async function clean(db: Knex, isDue: boolean): Promise<void> {
  await db.raw(CLEAN);
  if (isDue) await db.raw(`VACUUM ${TABLES.join()}`);
}

/** What there is before anybody acts. */
async function begin(database: TestDatabase, { known, queued, stranded }: World): Promise<Notes> {
  if (known.length > 0) await save(database, known);
  const store = async (deliveries: Delivery[]): Promise<string[]> => {
    const ids: string[] = [];
    const storing = async (arrival: Arrival) => (await storeArrivals(database.db, [arrival]))[0]!;
    for (const delivery of deliveries) {
      const received = await deliver(delivery, storing, SECRETS);
      if (received.outcome === 'stored') ids.push(received.id);
    }
    return ids;
  };
  await store(stranded);
  const queue = await store(queued);
  // What the queue sends late is due for the sweep as well.
  await strand(database);
  const state = { written: 0, retiring: false, retired: false, lockLost: false, succeeded: false };
  return { queue, answered: new Set(queue), seen: [], ...state, breaches: [] };
}

/** What waits to be applied is due for longer than the sweep leaves it to the queue. */
async function strand({ db }: TestDatabase): Promise<void> {
  await db('inbox')
    .whereIn('status', ['received', 'failed'])
    .update({ next_attempt_at: db.raw("now() - interval '1 hour'") });
}
