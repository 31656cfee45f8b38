import { until } from '../../support/drill.js';
import { EAGER, type Site, startSite } from '../../support/site/site.js';
import { attack } from './attacker.js';
import { beginningOf, endingOf } from './deeds.js';
import { writeStory } from './story.js';
import { READ_MS, wrongMoments } from './timeline.js';
import { judgeOrder, type ServiceTruth } from './truth.js';
import { createWorld, type World, withLinks } from './world.js';

/** What a batch of worlds came to. Every list is empty where nothing is wrong. */
export interface BatchOutcome {
  orders: number;
  reports: number;
  /** Orders that were to be safe in the end, so that all this proves something. */
  honest: number;
  /** The stories of orders that were safe when they may not be. */
  wrong: string[];
  /** The stories of honest orders that are held although everything was read. */
  held: string[];
  /** Of each part of it. */
  seconds: string;
}

/** Of a list that lags nothing is said for half a minute: so much later it may be said. */
const SETTLED_SECONDS = 45;
/** Until everything was read, also what a call of our own made in another process (issued every minute). */
const WELL_AGAIN_MS = 75_000;
/** Fewer than so many before a deed, and after it. */
const ATTACKS_PER_DEED = 4;
const LAST_ATTACKS = 30;

/** All of these worlds at one installation, at the same time. */
export async function runWorlds(seeds: readonly number[], { withList }: { withList: boolean }): Promise<BatchOutcome> {
  const times = [performance.now()];
  const site = await startSite({ env: EAGER });
  const passed = () => void times.push(performance.now());
  try {
    passed();
    site.sandbox.control.setFaults({ payoutsList: withList });
    const worlds = seeds.map((seed) => createWorld(site, seed, withList));
    await Promise.all(worlds.map((world) => live(world, beginningOf)));
    passed();
    await settled(worlds, site);
    passed();
    await Promise.all(worlds.map((world) => live(world, endingOf)));
    passed();
    await settled(worlds, site);
    passed();
    await Promise.all(worlds.map((world) => attacks(world, LAST_ATTACKS)));
    passed();
    const outcome = await classify(site, worlds);
    passed();
    return {
      ...outcome,
      seconds: times
        .slice(1)
        .map((at, n) => ((at - times[n]!) / 1_000).toFixed(1))
        .join(' '),
    };
  } finally {
    await site.close();
  }
}

/** Deeds of the orders by turns, and reports before and after each. */
async function live(world: World, deedsOf: typeof beginningOf): Promise<void> {
  const courses = world.orders.map((order, place) => deedsOf(world, order, place === 0));
  while (courses.some((course) => course.length > 0)) {
    const course = world.random.pick(courses.filter((one) => one.length > 0));
    await attacks(world, world.random.below(ATTACKS_PER_DEED));
    await course.shift()?.();
    await attacks(world, world.random.below(ATTACKS_PER_DEED));
  }
}

async function attacks(world: World, times: number): Promise<void> {
  for (let n = 0; n < times; n += 1) await attack(world);
}

/** So that the next reports find orders as they are shown for good: what is to be safe is, where it comes to that soon. */
async function settled(worlds: readonly World[], { slowness }: Site): Promise<void> {
  const began = Date.now();
  const staleMs = READ_MS * slowness;
  await until('what was true a moment ago is not shown any more', async () => {
    if (Date.now() - began < staleMs) return false;
    return (await unsafe(worlds)).length === 0 || Date.now() - began > 1.25 * staleMs;
  });
}

async function unsafe(worlds: readonly World[]): Promise<{ world: World; reference: string; reason: string }[]> {
  const found: { world: World; reference: string; reason: string }[] = [];
  for (const world of worlds) {
    for (const { reference, moments, payment, invoices } of world.orders) {
      if (moments.at(-1)?.verdict.must !== true) continue;
      const own = [reference, payment ?? '', ...invoices];
      // Nothing can be read that would refute it: a person has to.
      if (!world.withList && own.some((name) => world.saidGivenBack.has(name))) continue;
      const release = (await world.site.api.order(reference))?.release;
      if (release?.safe !== true) found.push({ world, reference, reason: release?.reason ?? 'unknown' });
    }
  }
  return found;
}

async function classify(site: Site, worlds: readonly World[]): Promise<Omit<BatchOutcome, 'seconds'>> {
  site.sandbox.control.advance(SETTLED_SECONDS);
  await site.quiet();
  let held = await unsafe(worlds);
  const isWell = async () => (held = await unsafe(worlds)).length === 0;
  await until('honest orders are safe', isWell, { timeoutMs: WELL_AGAIN_MS, intervalMs: 250 }).catch(() => {});
  await site.feed.catchUp();
  await compareWithTruth(site, worlds);
  const over = { end: Date.now(), slowness: site.slowness };
  const orders = worlds.flatMap((world) => world.orders.map((order) => ({ world, order })));
  return {
    orders: orders.length,
    reports: worlds.flatMap(({ lines }) => lines.filter(({ text }) => text.startsWith('report '))).length,
    honest: orders.filter(({ order }) => order.moments.at(-1)?.verdict.must === true).length,
    wrong: orders.flatMap(({ world, order }) => {
      const moments = wrongMoments(site.feed.of(order.reference), order.moments, over);
      return moments.slice(0, 1).map((wrong) => writeStory(world, order, wrong));
    }),
    held: held.map(({ world, reference, reason }) =>
      writeStory(world, world.orders.find((one) => one.reference === reference)!, `held in the end: ${reason}`),
    ),
  };
}

/** What was noted of deeds is what the service shows: a judge of its own would prove nothing. */
async function compareWithTruth(site: Site, worlds: readonly World[]): Promise<void> {
  const [any] = worlds;
  if (any === undefined) return;
  const truth = (await (await fetch(`${site.sandbox.url}/sandbox/truth`)).json()) as ServiceTruth;
  for (const {
    orders,
    payouts,
    site: { sandbox },
  } of worlds) {
    const linked = withLinks(any, () => [...payouts].map((id) => sandbox.control.payout(id)));
    const known = {
      ...truth,
      payouts: [...truth.payouts.filter(({ id }) => !payouts.has(id)), ...linked],
    } as ServiceTruth;
    for (const order of orders) {
      const [noted, shown] = [order.moments.at(-1)?.verdict, judgeOrder(order, known)];
      if (noted?.may !== shown.may) throw new Error(`${order.reference}: noted ${noted?.why}, in truth ${shown.why}`);
    }
  }
}
