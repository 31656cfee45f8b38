import type { TestCluster } from '../support/cluster.js';
import { isLong, until } from '../support/drill.js';
import { progress, settle } from '../support/reckoning.js';
import { createWorld, ROLES, type World } from './chaos-world.js';
import { faults } from './faults/faults.js';
import { ensureServer } from './faults/server-faults.js';
import type { Plan } from './plan.js';
import { judge, type Verdict } from './verdict.js';

export interface Outcome {
  plan: Plan;
  verdict: Verdict;
  /** By fault: whether a delivery failed by it, or a role said something. */
  noticed: boolean[];
  /** Rows of the inbox. */
  events: number;
  answers: Record<string, number>;
  receiverMb: number;
  seconds: number;
}

/** For each step of healing, on a machine that does ten other things. */
const HEAL_MS = isLong ? 300_000 : 120_000;
/** So many times what is due comes due, after the last fault. */
const DRAIN_STEPS = 2;

/** A world, its faults one after the other, healing, and what is wrong then. */
export async function playScenario(plan: Plan, cluster: TestCluster): Promise<Outcome> {
  const began = performance.now();
  await ensureServer(cluster);
  const world = await createWorld(plan, cluster);
  try {
    await world.installation.start(...ROLES);
    const noticed: boolean[] = [];
    for (const name of plan.faults) {
      noticed.push(await faults[name](world));
      await settle(world, { timeoutMs: HEAL_MS });
      await world.passTime();
    }
    await heal(world);
    const scheduler = await reconcileAll(world);
    const receiverMb = await world.receiverPeak();
    const verdict = await judge(world, receiverMb);
    const codes = await world.installation.stop();
    verdict.died.push(...scheduler, ...codes.filter((code) => code !== 0).map((code) => `stopped with ${code}`));
    return {
      plan,
      verdict,
      noticed,
      events: (await progress(world.db)).stored,
      answers: await world.answers(),
      receiverMb,
      seconds: (performance.now() - began) / 1000,
    };
  } catch (error) {
    const died = world.installation.died();
    if (died.length === 0) throw error;
    throw new Error(`died: ${died.join(', ')}`, { cause: error });
  } finally {
    await world.close();
  }
}

/** The service is itself again, all that is due happens, and every role is at work. */
async function heal(world: World): Promise<void> {
  world.calm();
  for (let step = 0; step < DRAIN_STEPS; step += 1) {
    await settle(world, { timeoutMs: HEAL_MS });
    await world.passTime();
  }
  await settle(world, { timeoutMs: HEAL_MS });
  await schedulerReads(world);
}

/** By itself: the scheduler, which reads all the time, would be in its way. Returns what of its end was not as it should be. */
async function reconcileAll(world: World): Promise<string[]> {
  const { installation } = world;
  const died = installation.died();
  const codes = await installation.stop('schedule');
  const { code, stderr } = await installation.run(['reconcile', 'all', '--json']);
  // 3: it opened breaks, which the verdict is about.
  if (code !== 0 && code !== 3) throw new Error(`reconcile all: ${code}: ${stderr.slice(-2_000)}`);
  await settle(world, { timeoutMs: HEAL_MS });
  return [...died, ...codes.filter((one) => one !== 0).map((one) => `the scheduler stopped with ${one}`)];
}

/** Its runs go on by themselves, whatever became of it. */
async function schedulerReads({ db }: World): Promise<void> {
  const ended = async () => Number((await db('runs').where({ status: 'succeeded' }).count({ n: '*' }).first())?.['n']);
  const before = await ended();
  await until('the scheduler reads', async () => (await ended()) > before, { timeoutMs: HEAL_MS, intervalMs: 100 });
}
