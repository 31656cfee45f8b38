import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { ScanPage } from '../../src/reconcile/lists/scan-list.js';
import { covers, spanOf, spansOf } from '../../src/reconcile/lists/span.js';

const MOST = 12;
/** Long after all that the pages show. */
const READ_AT = 1_000_000;

/** What a page shows, by the moments of the row above it and of its last one; `above` null: from the head. */
const page = fc
  .record({
    above: fc.option(fc.integer({ min: 0, max: MOST }), { freq: 4 }),
    last: fc.option(fc.integer({ min: 0, max: MOST }), { freq: 4 }),
    contiguous: fc.boolean(),
    atEnd: fc.boolean(),
  })
  .map(({ above, last, contiguous, atEnd }): ScanPage => {
    const place = (createdAt: number | null) => ({ id: `at ${createdAt}`, createdAt, fields: {} });
    const rows = [place(last)];
    const [from, to] = [READ_AT, READ_AT];
    const over = above === null ? null : place(above);
    return { rows, fresh: 1, from, to, contiguous, above: over, chain: rows, atEnd, done: atEnd };
  });

test('pages that were read in a row prove together what each of them proves alone, and nothing more', () => {
  fc.assert(
    fc.property(fc.array(page, { maxLength: 6 }), (pages) => {
      for (let half = -1; half <= 2 * MOST + 1; half += 1) {
        const place = { id: 'x', createdAt: half / 2, listed: true };
        const alone = pages.some((one) => {
          const span = spanOf(one);
          return span !== null && covers(span, place);
        });
        expect(spansOf(pages).some((span) => covers(span, place))).toBe(alone);
      }
    }),
    { numRuns: 500 },
  );
});
