import { progress } from '../../support/reckoning.js';
import type { TcpProxy } from '../../support/tcp-proxy.js';
import type { World } from '../chaos-world.js';
import { disturb, type Fault, within } from './disturb.js';

const BETWEEN_MS = 1_000;

type Way = (world: World) => TcpProxy | undefined;

export const toPostgres: Way = ({ postgresWay }) => postgresWay;
export const toRedis: Way = ({ redis }) => redis?.way;

/** Every piece comes later by up to a fifth of a second, each way. */
export function slowWay(way: Way): Fault {
  return disturb({
    begin: (world) => way(world)?.delay(20 + world.random.below(180)),
    end: (world) => way(world)?.pass(),
    noticed: () => Promise.resolve(false),
  });
}

export function refuse(way: Way): Fault {
  return disturb({ begin: (world) => way(world)?.refuse(), end: (world) => way(world)?.pass() });
}

export function hang(way: Way): Fault {
  return disturb({ begin: (world) => way(world)?.hang(), end: (world) => way(world)?.pass() });
}

export function halfOpen(way: Way): Fault {
  return disturb({ begin: (world) => way(world)?.halfOpen(), end: () => {} });
}

/** Several times, at moments that the traffic decides. */
export function resets(way: Way): Fault {
  return disturb({
    begin: async (world) => {
      for (let times = 1 + world.random.below(4); times > 0; times -= 1) {
        const { stored } = await progress(world.db);
        way(world)?.reset();
        await within(BETWEEN_MS, async () => (await progress(world.db)).stored > stored, 2);
      }
    },
    end: (world) => way(world)?.pass(),
  });
}
