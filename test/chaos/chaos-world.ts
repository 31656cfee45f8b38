import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Knex } from 'knex';
import { openDatabase } from '../../src/records/database.js';
import type { Sandbox } from '../../src/sandbox/start-sandbox.js';
import { createDrillClock, type DrillClock } from '../drills/fault/drill-clock.js';
import { createMerchantDay, type MerchantDay, ROUND_SECONDS } from '../drills/fault/merchant-day.js';
import { Random } from '../reconcile/random.js';
import type { TestCluster } from '../support/cluster.js';
import { countAnswers, loggedDeliveries } from '../support/deliveries.js';
import { createInstallation, type Installation, type LoneRole } from '../support/installation.js';
import { createLoad, type Load } from '../support/load.js';
import { peakMemoryMb } from '../support/peak-memory.js';
import { createTestRedis, type TestRedis } from '../support/redis.js';
import { createTcpProxy, type TcpProxy, throughProxy } from '../support/tcp-proxy.js';
import { type ChaosDatabase, createChaosDatabase } from './chaos-cluster.js';
import type { Plan } from './plan.js';
import { createStrangers, type Strangers } from './strangers.js';

export const ROLES: readonly LoneRole[] = ['serve', 'work', 'schedule'];
/** Of the merchant's day, to each fault: so far apart that what expires does so between two faults. */
const ROUNDS_PER_FAULT = 2;
const DRAIN_STEPS = 2;
/** More than a fault sets the clock ahead. */
const MOST_STEP_SECONDS = 2 * 3_600;

/** A service, a Tallyhook of real processes, and the ways between them, all of which a fault may break. */
export interface World {
  plan: Plan;
  random: Random;
  sandbox: Sandbox;
  installation: Installation;
  cluster: TestCluster;
  /** For us: no fault touches it but the server's own end. */
  db: Knex;
  /** Between the roles and Postgres. */
  postgresWay: TcpProxy;
  /** From here on Postgres is where its cluster says. */
  followPostgres(): void;
  /** Null where the queue is in Postgres. */
  redis: { server: TestRedis; way: TcpProxy } | null;
  clock: DrillClock;
  load: Load;
  day: MerchantDay;
  /** Requests to our receiver that do not come from the service. */
  strangers: Strangers;
  /** Customers pay, the dashboard acts: the next share of the day, and a burst of payments. */
  traffic(): Promise<void>;
  /** The service's API is itself again; its deliveries stay as bad as they are. */
  calm(): void;
  /** kill −9; what it held at most is remembered. */
  kill(...roles: LoneRole[]): Promise<void>;
  /** The most that a receiver held, MB. */
  receiverPeak(): Promise<number>;
  /** Of all requests to the receiver: how often each answer was given. */
  answers(): Promise<Record<string, number>>;
  /** What is due by then comes due: expiries, steps of payouts. Nothing may be on its way. */
  passTime(): Promise<void>;
  close(): Promise<void>;
}

export async function createWorld(plan: Plan, cluster: TestCluster): Promise<World> {
  const random = new Random(plan.seed * 7 + 1);
  const folder = await mkdtemp(path.join(tmpdir(), 'chaos-'));
  const database = await createChaosDatabase(cluster);
  const postgresWay = await createTcpProxy(cluster.port());
  const ownWay = await createTcpProxy(cluster.port());
  const redis = plan.queue === 'redis' ? await startRedis() : null;
  const rounds = plan.faults.length * ROUNDS_PER_FAULT;
  const clock = await createDrillClock(folder, (rounds + DRAIN_STEPS * 2) * ROUND_SECONDS + MOST_STEP_SECONDS);
  const installation = await createInstallation({
    databaseUrl: throughProxy(cluster.url(database.name), postgresWay),
    env: {
      ...clock.env,
      ...(redis ? { REDIS_URL: redis.url } : {}),
      ...QUICK_READING,
      // What is masked by its age can't be compared with the service's own.
      RETENTION_PERSONAL_DAYS: '36500',
    },
    sandbox: { seed: plan.seed, realNow: clock.realNow, rateSwingBasisPoints: 0, payoutStepSeconds: 200 },
  });
  const { sandbox } = installation;
  const calm = () => {
    const { rateLimit: _, serverError: _e, cut: _c, ...deliveries } = plan.service;
    sandbox.control.setFaults({ ...deliveries, links: true });
  };
  calm();
  const db = openDatabase(throughProxy(cluster.url(database.name), ownWay), { max: 3 });
  const load = createLoad(sandbox);
  const day = createMerchantDay(sandbox, { ...plan.day, seed: plan.seed, rounds });
  const strangers = createStrangers(installation.endpoint, sandbox);
  let round = 0;
  let peak = 0;
  const checkReceiver = async () => {
    peak = Math.max(peak, await peakMemoryMb(installation.pidOf('serve')));
    return peak;
  };
  return {
    plan,
    random,
    sandbox,
    installation,
    cluster,
    db,
    postgresWay,
    followPostgres() {
      for (const way of [postgresWay, ownWay]) way.pointTo(cluster.port());
    },
    redis,
    clock,
    load,
    day,
    strangers,
    async traffic() {
      load.send(plan.burst);
      // Customers and the dashboard are not what the faults of its API are for.
      calm();
      for (const end = round + ROUNDS_PER_FAULT; round < end; round += 1) await day.play(round);
      sandbox.control.setFaults({ ...plan.service, links: true });
    },
    calm,
    async kill(...roles) {
      await checkReceiver();
      await installation.kill(...roles);
    },
    receiverPeak: checkReceiver,
    async answers() {
      const counts = countAnswers(await loggedDeliveries(sandbox));
      for (const [status, count] of strangers.answers) counts[status] = (counts[status] ?? 0) + count;
      return counts;
    },
    passTime: () => clock.advance(sandbox, ROUNDS_PER_FAULT * ROUND_SECONDS),
    close: async () => {
      strangers.close();
      await closeWorld({ installation, db, ways: [postgresWay, ownWay], redis, database, folder });
    },
  };
}

/** All of it is read again every few seconds, so that faults meet readings under way. */
const QUICK_READING = Object.fromEntries(
  Object.entries({
    PAYMENT_INTENTS: 3,
    DELIVERIES: 5,
    PAYOUTS: 7,
    INVOICES: 10,
    TRANSACTIONS: 10,
    BALANCES: 15,
    ACCOUNTS: 20,
  }).map(([kind, seconds]) => [`RECONCILE_${kind}_CRON`, `*/${seconds} * * * * *`]),
);

async function startRedis(): Promise<{ server: TestRedis; way: TcpProxy; url: string }> {
  const server = await createTestRedis();
  await server.start();
  const way = await createTcpProxy(Number(new URL(server.url).port));
  return { server, way, url: throughProxy(server.url, way) };
}

async function closeWorld(
  parts: Pick<World, 'installation' | 'db' | 'redis'> & { ways: TcpProxy[]; database: ChaosDatabase; folder: string },
): Promise<void> {
  await parts.installation.close();
  await parts.redis?.way.close();
  await parts.redis?.server.close();
  await parts.db.destroy();
  for (const way of parts.ways) await way.close();
  await parts.database.drop();
  await rm(parts.folder, { recursive: true, force: true });
}
