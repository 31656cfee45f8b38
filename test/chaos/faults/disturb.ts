import { loggedDeliveries } from '../../support/deliveries.js';
import { isLong, until } from '../../support/drill.js';
import { progress } from '../../support/reckoning.js';
import type { World } from '../chaos-world.js';

/** What a fault does; resolves once it is over, with whether anybody noticed it. */
export type Fault = (world: World) => Promise<boolean>;

const MIDDLE_MS = 3_000;
const NOTICED_MS = 10_000;
/** The real ones get through a crowd in this time, on a machine that does ten other things. */
const THROUGH_MS = isLong ? 180_000 : 60_000;

export interface Disturbance {
  begin: (world: World) => unknown;
  end: (world: World) => unknown;
  /** Default: a delivery was not answered with 200, a role said something, or all was delivered in spite of it. */
  noticed?: (world: World) => Promise<boolean>;
}

/** Begins in the middle of the traffic and ends when it is noticed, or after 10 s. */
export function disturb({ begin, end, noticed }: Disturbance): Fault {
  return async (world) => {
    const before = await progress(world.db);
    const playing = world.traffic();
    playing.catch(() => {});
    await within(MIDDLE_MS, async () => (await progress(world.db)).stored > before.stored, 2);
    const trouble = await troubleOf(world);
    await begin(world);
    // What came before may all have been delivered by now.
    world.load.send(world.plan.burst);
    let isTrouble = false;
    await within(NOTICED_MS, async () => {
      isTrouble = noticed ? await noticed(world) : (await troubleOf(world)) !== trouble;
      return isTrouble || (await allDelivered(world));
    });
    await playing;
    await end(world);
    return isTrouble;
  };
}

/** Strangers do this while the service sends, whose events have to get through meanwhile. */
export function crowd(begin: (world: World) => Promise<{ end(): Promise<unknown> }>): Fault {
  return async (world) => {
    const strangers = await begin(world);
    try {
      await world.traffic();
      await until('the real events get through the crowd', () => allDelivered(world), { timeoutMs: THROUGH_MS });
    } finally {
      await strangers.end();
    }
    return true;
  };
}

async function allDelivered({ sandbox }: World): Promise<boolean> {
  return (await loggedDeliveries(sandbox)).every(({ status }) => status !== 'pending');
}

/** Whether the condition held in time. */
export async function within(timeoutMs: number, holds: () => Promise<boolean>, intervalMs = 50): Promise<boolean> {
  return until('', holds, { timeoutMs, intervalMs }).then(
    () => true,
    () => false,
  );
}

/** Changes with every delivery that fails and with everything that a role logs. */
async function troubleOf({ sandbox, installation }: World): Promise<string> {
  const failed = (await loggedDeliveries(sandbox)).flatMap(({ attempts }) => attempts.filter((one) => one !== 200));
  return `${failed.length} ${installation.logged().length}`;
}
