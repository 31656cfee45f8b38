import { AT_END, type Wrong } from './timeline.js';
import type { World, WorldOrder } from './world.js';

const MOST_LINES = 40;

/** What somebody needs to understand it: deeds and reports that name anything of the order, and what became of it. */
export function writeStory(world: World, order: WorldOrder, wrong: Wrong | string): string {
  const { site, seed, withList } = world;
  const releases = site.feed.of(order.reference);
  const isAtEnd = typeof wrong === 'string' || wrong.what.startsWith(AT_END);
  const until = isAtEnd ? Number.POSITIVE_INFINITY : wrong.change.at + 500;
  const names = familyOf(world, order);
  const steps = [
    ...world.lines.filter(({ text }) => names.some((name) => text.includes(name))),
    ...releases.map(({ at, safe, reason, source }) => ({
      at,
      text: `=> ${safe ? 'SAFE' : 'held'} ${reason} (${source})`,
    })),
  ]
    .filter(({ at }) => at <= until)
    .sort((a, b) => a.at - b.at);
  const began = steps[0]?.at ?? 0;
  const lines = steps
    .slice(-MOST_LINES)
    .map(({ at, text }) => `  ${((at - began) / 1_000).toFixed(2).padStart(6)} ${text}`);
  const truth = typeof wrong === 'string' ? order.moments.at(-1)?.verdict : wrong.truth;
  const what = typeof wrong === 'string' ? wrong : `${wrong.what} by ${wrong.change.source}`;
  const list = withList ? 'with' : 'without';
  return [
    `seed ${seed}, ${list} a list of payouts: ${order.reference} ${what}; in truth: ${truth?.why}`,
    ...lines,
  ].join('\n');
}

/** The order, its records, and those that a line names together with one of them. */
function familyOf({ lines, bait }: World, { reference, payment, invoices }: WorldOrder): string[] {
  const own = [reference, ...invoices, ...(payment === null ? [] : [payment])];
  const refunds = lines.flatMap(({ text }) => {
    const [, of, id] = / refunds (\S+) .*: (po_\w+)$/.exec(text) ?? [];
    return of !== undefined && id !== undefined && own.includes(of) ? [id] : [];
  });
  return [...own, ...refunds, ...(bait === null ? [] : [`is made and paid: ${bait}`])];
}
