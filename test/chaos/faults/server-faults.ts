import { open, rm } from 'node:fs/promises';
import path from 'node:path';
import type { StopMode } from '../../support/cluster.js';
import { until } from '../../support/drill.js';
import type { LoneRole } from '../../support/installation.js';
import { progress } from '../../support/reckoning.js';
import type { World } from '../chaos-world.js';
import { disturb, type Fault, within } from './disturb.js';

const BALLAST = 'ballast';
const PIECE = Buffer.alloc(256 * 1024);
const FULL_MS = 20_000;
const QUEUED_MS = 5_000;
const PADDING_BYTES = 100_000;

/** A role that is killed is started again at once. */
export function killRoles(...roles: LoneRole[]): Fault {
  return disturb({
    begin: async (world) => {
      await world.kill(...roles);
      await world.installation.start(...roles);
    },
    end: () => {},
    noticed: () => Promise.resolve(true),
  });
}

export function restartPostgres(how: StopMode): Fault {
  return disturb({
    begin: ({ cluster }) => cluster.stop(how),
    end: ({ cluster }) => cluster.start(),
  });
}

/** All connections are cut, and what answers at the old address is another server with the same data. */
export const failOver: Fault = disturb({
  begin: ({ cluster }) => cluster.stop('immediate'),
  end: async (world) => {
    await world.cluster.start({ moves: true });
    world.followPostgres();
  },
});

/** Not a byte is left: large events come until the database takes no more. */
export const fillDisk: Fault = disturb({
  begin: async (world) => {
    await writeBallast(world);
    await within(FULL_MS, async () => (await sendLarge(world)).includes('503'), 20);
  },
  end: async (world) => {
    await rm(path.join(world.cluster.folder, BALLAST), { force: true });
    await ensureServer(world.cluster);
  },
});

export const killRedis: Fault = disturb({
  begin: ({ redis }) => redis?.server.stop(),
  end: ({ redis }) => redis?.server.start(),
});

/** While no worker is there to have taken the jobs before. */
export const flushRedis: Fault = disturb({
  begin: async (world) => {
    const { db, load, plan, redis, installation } = world;
    await world.kill('work');
    const { stored } = await progress(db);
    load.send(plan.burst);
    await within(QUEUED_MS, async () => (await progress(db)).stored >= stored + plan.burst, 20);
    await redis?.server.flush();
    await installation.start('work');
  },
  end: () => {},
  noticed: () => Promise.resolve(true),
});

/** Ahead so far that events are too old, or a little; behind likewise. */
export function stepClock(direction: 1 | -1): Fault {
  return disturb({
    begin: ({ clock, random }) => clock.step(direction * (random.below(2) === 0 ? 30 : 30 + random.below(3_570))),
    end: ({ clock }) => clock.step(0),
  });
}

/** A server that lost its disk may have ended, or be about to. */
export async function ensureServer(cluster: World['cluster']): Promise<void> {
  await until('Postgres runs', async () => {
    if (!(await cluster.isRunning())) await cluster.start();
    return cluster.isReady();
  });
}

async function writeBallast({ cluster }: World): Promise<void> {
  const file = await open(path.join(cluster.folder, BALLAST), 'w');
  try {
    for (;;) await file.write(PIECE);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOSPC')) throw error;
  } finally {
    await file.close();
  }
}

async function sendLarge({ strangers, sandbox, random }: World): Promise<string[]> {
  const timestamp = Math.floor(sandbox.control.now() / 1000);
  // Not to be made smaller by the database.
  const padding = Array.from({ length: PADDING_BYTES / 8 }, () => random.below(2 ** 32).toString(36)).join('');
  const [sent] = await strangers.sentBodies(1);
  if (sent === undefined) return [];
  const envelope = JSON.parse(sent.text) as object;
  const bodies = Array.from({ length: 10 }, (_, copy) => JSON.stringify({ ...envelope, timestamp, copy, padding }));
  return Promise.all(bodies.map((body) => strangers.send(body)));
}
