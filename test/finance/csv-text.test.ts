import fc from 'fast-check';
import { expect, test } from 'vitest';
import { csvLine } from '../../src/finance/exports/csv-files.js';
import { anyCharacter } from '../support/any-character.js';

/** What a program for tables reads in one line of CSV. */
function cellsOf(line: string): string[] {
  const cells: string[] = [];
  for (let rest = `,${line.slice(0, -2)}`; rest !== ''; ) {
    const [whole = '', quoted, plain = ''] = /^,(?:"((?:[^"]|"")*)"|([^,]*))/.exec(rest) ?? [rest];
    cells.push(quoted === undefined ? plain : quoted.replaceAll('""', '"'));
    rest = rest.slice(whole.length);
  }
  return cells;
}

const isFormula = (text: string) => /^[\s\p{C}\p{Z}]*[=+\-@]/u.test(text.normalize('NFKC')) || /^[\t\r\n]/.test(text);
const blank = fc.constantFrom(
  '',
  ' ',
  '\t',
  '\r',
  '\n',
  '\u00a0',
  '\u3000',
  '\u200b',
  '\ufeff',
  '\u0001',
  '"',
  ',',
  "'",
);
const sign = fc.constantFrom(...Array.from('=+-@＝＋－＠﹦﹢﹣﹫⁺₌⩵﬩1aé'));
const text = fc.oneof(
  fc
    .tuple(fc.array(blank, { maxLength: 3 }), sign, fc.string({ unit: anyCharacter }))
    .map(([a, b, c]) => a.join('') + b + c),
  fc.string({ unit: anyCharacter }),
);

test('no text of others begins a cell as a formula, in any width or behind any blank; every other text comes back as it was', () => {
  let dangerous = 0;
  fc.assert(
    fc.property(text, text, (first, second) => {
      const given = [first, second];
      const read = cellsOf(csvLine(given.map((one) => ({ text: one }))));
      expect(read.map(isFormula)).toEqual([false, false]);
      expect(read).toEqual(given.map((one) => (isFormula(one) ? `'${one}` : one)));
      dangerous += given.filter(isFormula).length;
    }),
    { numRuns: 2_000 },
  );
  expect(dangerous).toBeGreaterThan(100);
});

test('full-width signs are those of a formula', () => {
  for (const one of ['＝1+1', '＋1', '－1', '＠SUM(A1)', '\t＝1', '\r＝1', '  ＝1', '\u3000＝1'])
    expect(cellsOf(csvLine([{ text: one }]))).toEqual([`'${one}`]);
  expect(csvLine(['-12.50', { text: 'Ａ＝1' }, null])).toBe('-12.50,Ａ＝1,\r\n');
});
