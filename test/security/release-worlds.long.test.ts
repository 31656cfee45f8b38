import { describe, expect, test } from 'vitest';
import { DRILL_MS, isLong, report } from '../support/drill.js';
import { sized } from '../support/sizes.js';
import { type BatchOutcome, runWorlds } from './worlds/batch.js';

/** How many, and from which seed on: `WORLDS=1 WORLDS_FROM=17` is the world of seed 17. */
const WORLDS = Number(process.env['WORLDS'] ?? sized(4, 200));
const FROM = Number(process.env['WORLDS_FROM'] ?? 1);
const AT_ONCE = sized(2, 10);

/** Two installations at a time is what a machine bears. */
const together = isLong ? describe : describe.concurrent;

const batches = Array.from({ length: Math.ceil(WORLDS / AT_ONCE) }, (_, n) => {
  const first = FROM + n * AT_ONCE;
  const seeds = Array.from({ length: Math.min(AT_ONCE, FROM + WORLDS - first) }, (_, place) => first + place);
  return { seeds, withList: Math.floor((first - 1) / AT_ONCE) % 2 === 0 };
});

together('random signed reports among true events, calls of our own and polls', () => {
  test.each(batches)(
    'never make an order safe, and hold none for good: seeds $seeds, list of payouts $withList',
    {
      timeout: DRILL_MS,
    },
    async ({ seeds, withList }) => {
      const outcome = await runWorlds(seeds, { withList });
      const { orders, honest, reports, wrong, held, seconds } = outcome satisfies BatchOutcome;
      const numbers = { seeds: seeds.join(' '), 'list of payouts': String(withList), orders, honest, reports };
      report('release-worlds', { ...numbers, wrong: wrong.length, held: held.length, seconds });
      // At once: a long run says the rest at its end alone.
      if (isLong) for (const story of [...wrong, ...held]) process.stderr.write(`${story}\n`);
      expect(wrong.join('\n\n')).toBe('');
      expect(held.join('\n\n')).toBe('');
      expect(honest).toBeGreaterThanOrEqual(seeds.length);
    },
  );
});
