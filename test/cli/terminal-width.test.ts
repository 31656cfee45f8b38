import { stripVTControlCharacters } from 'node:util';
import fc from 'fast-check';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { printLines, printList, printNote } from '../../src/cli/print.js';
import { printOne } from '../../src/cli/print-words.js';

const streams = [process.stdout, process.stderr];
const before = streams.map(({ isTTY, columns }) => ({ isTTY, columns }));
let printed = '';

beforeEach(() => {
  for (const stream of streams)
    vi.spyOn(stream, 'write').mockImplementation((text) => {
      printed += String(text);
      return true;
    });
});

afterEach(() => {
  streams.forEach((stream, n) => Object.assign(stream, before[n]));
  vi.restoreAllMocks();
});

/** What is printed where both streams go to a terminal of that width; undefined: to none. */
function linesOn(columns: number | undefined, print: () => void): string[] {
  for (const stream of streams) Object.assign(stream, { isTTY: columns !== undefined, columns });
  printed = '';
  print();
  return stripVTControlCharacters(printed).trimEnd().split('\n');
}

const word = fc.stringMatching(/^[a-z]{1,12}$/);
const text = fc.array(word, { minLength: 1, maxLength: 40 }).map((words) => words.join(' '));
const thing = fc.record({
  means: text,
  isOverdue: fc.boolean(),
  openedAt: fc.constant('2026-10-31T18:00:00.123Z'),
  entity: fc.record({ kind: word, detail: text }),
  follows: fc.array(fc.record({ detail: text, names: fc.array(word) }), { maxLength: 3 }),
  answer: fc.record({ said: text }).map((said) => JSON.stringify(said)),
});

it('no line is wider than the terminal, no word is lost, and what goes elsewhere has a line of its own for each', () => {
  fc.assert(
    fc.property(thing, fc.integer({ min: 60, max: 160 }), (item, width) => {
      const prints = [
        () => printOne(false, item, ['answer']),
        () => printNote(item.means),
        () => printLines([`release    ${item.means}`], 11),
        () => printList({ items: [item] }, false, { means: 'means', answer: 'answer' }),
      ];
      for (const print of prints) {
        const shown = linesOn(width, print);
        expect(shown.filter((line) => line.length > width)).toEqual([]);
        const words = (lines: string[]) =>
          lines.join(' ').replaceAll(/2026-10-31.18:00:00(\.123)?Z|[\s│┌┐└┘├┤┬┴┼─]+/g, ' ');
        if (print !== prints[3]) expect(words(shown)).toBe(words(linesOn(undefined, print)));
      }
      expect(linesOn(undefined, () => printNote(item.means))).toEqual([item.means]);
      expect(linesOn(undefined, () => printLines([`release    ${item.means}`], 11))).toEqual([
        `release    ${item.means}`,
      ]);
    }),
  );
});

it('says yes and no, not true and false', () => {
  const lines = linesOn(80, () => printOne(false, { isOverdue: false, sides: { held: true } }));
  expect(lines).toEqual(['is overdue  no', 'sides', '  held  yes']);
});
