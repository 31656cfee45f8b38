import { writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import * as reconciling from '../../src/reconcile/schedule/reconcilers.js';
import { openTheatre, type Played, type Theatre } from './play.js';
import { checked } from './watch.js';

/** A seed that was found, and the digest of its statements then. */
const [found, digest] = process.env['INTERLEAVING']?.split(':') ?? [];
const report = process.env['INTERLEAVING_REPORT'];
const isLong = process.env['TALLYHOOK_LONG'] !== undefined;
const usual = isLong ? 2_000 : 8;
const count = Number(process.env['INTERLEAVING_SEEDS'] ?? usual);
/** So many see everything happen that the laws speak of. */
const ENOUGH = 100;
const TIMEOUT_MS = 7_200_000;

let theatre: Theatre;
/** The first that the law saw, so that a replay is played once. */
const kept = new Map<number, Played>();
const REPLAYED = isLong ? 50 : 2;
beforeAll(async () => {
  // Who leads reads the pages of the world, and checks nothing against anything.
  vi.spyOn(reconciling, 'reconcilers', 'get').mockReturnValue({ ...reconciling.reconcilers });
  vi.spyOn(reconciling, 'afterRun').mockResolvedValue();
  theatre = await openTheatre();
});
afterAll(() => theatre.close());

function replayOf({ seed, digest }: Played): string {
  return `${seed}:${digest}`;
}

function describePlay(played: Played): string {
  const { seed, trace, wrong } = played;
  return [
    `seed ${seed} breaks a law:`,
    ...wrong,
    'its statements, in their order:',
    ...trace.map((line, nth) => `${nth + 1}. ${line.slice(0, 140)}`),
    'It replays alone:',
    `INTERLEAVING=${replayOf(played)} npx vitest run test/interleavings/interleavings.test.ts`,
  ].join('\n');
}

test.skipIf(found !== undefined)(
  'whatever the order of statements, and whatever fails: no law is broken',
  async () => {
    const broken: Played[] = [];
    for (let seed = 1; seed <= count; seed += 1) {
      const played = await theatre.play(seed);
      if (seed <= REPLAYED) kept.set(seed, played);
      if (played.wrong.length > 0) broken.push(played);
      if (report === undefined) continue;
      const first = broken[0]?.wrong[0]?.slice(0, 200) ?? '';
      await writeFile(report, JSON.stringify({ seeds: seed, found: broken.length, first, at: broken.map(replayOf) }));
    }
    if (report !== undefined) return;
    expect(broken.map(describePlay).slice(0, 3).join('\n\n'), `${broken.length} of ${count} seeds`).toBe('');
    if (count >= ENOUGH) expect(Object.entries(checked).filter(([, times]) => times === 0)).toEqual([]);
  },
  TIMEOUT_MS,
);

test.skipIf(found !== undefined || report !== undefined)(
  'a seed replays: the same statements in the same order',
  async () => {
    for (let seed = 1; seed <= REPLAYED; seed += 1) {
      const once = kept.get(seed) ?? (await theatre.play(seed));
      const again = await theatre.play(seed);
      const at = once.trace.findIndex((line, nth) => line !== again.trace[nth]);
      expect(again.trace.slice(at, at + 1)).toEqual(once.trace.slice(at, at + 1));
      expect(again.digest).toBe(once.digest);
    }
  },
  TIMEOUT_MS,
);

test.runIf(found !== undefined)('the seed that was found', async () => {
  const played = await theatre.play(Number(found));
  const isOther = digest !== undefined && digest !== played.digest;
  const other = `seed ${found} ran other statements than when it was found: the code, or the world, has changed since.
Whatever it shows now, it does not reproduce what it showed then.`;
  expect([...(isOther ? [other] : []), ...(played.wrong.length > 0 ? [describePlay(played)] : [])].join('\n')).toBe('');
});
