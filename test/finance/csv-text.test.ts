import fc from 'fast-check';
import { expect, test } from 'vitest';
import { defaultChart, nameIn } from '../../src/domain/books/chart.js';
import {
  accountNames,
  csvPlain,
  csvText,
  csvWord,
  givenLines,
  jsonText,
  type TextForm,
} from '../../src/records/books/row-text.js';
import { anyCharacter } from '../support/any-character.js';
import { useDatabase } from '../support/database.js';

const database = useDatabase();

/** What the database writes of texts: a line for each. */
async function written(form: TextForm, line: string, texts: readonly (string | null)[]): Promise<string> {
  const given = { keys: ['text', 'account'], rows: texts.map((one) => ({ text: one, account: one })) };
  return database.db.transaction(async (trx) => {
    const parts: string[] = [];
    for await (const part of givenLines(trx, form, line, given)) parts.push(part);
    return parts.join('');
  });
}

/** Behind a text none of those in between has. */
const END = '\u241E';
const cells = async (texts: readonly (string | null)[], cell = csvText) =>
  (await written('csv', `${cell('"text"')} || '${END}'`, texts)).split(END).slice(0, -1);

/** What a program for tables reads in a cell of CSV. */
function read(cell: string): string {
  const [, quoted] = /^"((?:[^"]|"")*)"$/.exec(cell) ?? [];
  if (quoted === undefined) expect(cell).not.toMatch(/[",\r\n]/);
  return quoted === undefined ? cell : quoted.replaceAll('""', '"');
}

const isFormula = (text: string) => /^[\s\p{C}\p{Z}]*[=+\-@]/u.test(text.normalize('NFKC')) || /^[\t\r\n]/.test(text);
const blank = fc.constantFrom(
  '',
  ' ',
  '\t',
  '\r',
  '\n',
  '\0',
  '\uD800',
  '\uFFFF',
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
const text = fc
  .oneof(
    fc
      .tuple(fc.array(blank, { maxLength: 3 }), sign, fc.string({ unit: anyCharacter }))
      .map(([a, b, c]) => a.join('') + b + c),
    fc.string({ unit: anyCharacter }),
    fc.string({ unit: fc.constantFrom('\uDC00', '\uFFFF', '\0', '\\', '"', 'd', '8', '0', '\n') }),
  )
  .filter((one) => !one.includes(END));
const texts = fc.array(text, { minLength: 100, maxLength: 100 });

test('no text of others begins a cell as a formula, in any width or behind any blank; every other text comes back as it was', async () => {
  let dangerous = 0;
  await fc.assert(
    fc.asyncProperty(texts, async (given) => {
      const shown = (await cells(given)).map(read);
      expect(shown.map(isFormula)).not.toContain(true);
      expect(shown).toEqual(given.map((one) => (isFormula(one) ? `'${one}` : one)));
      dangerous += given.filter(isFormula).length;
    }),
    { numRuns: 40 },
  );
  expect(dangerous).toBeGreaterThan(100);
}, 60_000);

test('behind each character that is not seen, and behind no other, a sign is that of a formula', async () => {
  const isUnseen = (code: number) => /[\s\p{C}\p{Z}]/u.test(String.fromCodePoint(code));
  const edges = new Set<number>();
  for (let code = 1, before = true; code <= 0x10_ff_ff; code += 1) {
    if (isUnseen(code) !== before) edges.add(code - 1).add(code);
    before = isUnseen(code);
  }
  expect(edges.size).toBeGreaterThan(1_000);
  const given = [...edges, 0, 0xd8_00, 0xdf_ff, 0xff_ff, 0x10_ff_ff].map((code) => `${String.fromCodePoint(code)}=1`);
  const marked = (await cells(given)).map((cell, n) => [given[n], read(cell).startsWith("'")]);
  expect(marked).toEqual(given.map((one) => [one, isFormula(one)]));
});

test('full-width signs are those of a formula', async () => {
  const signs = ['＝1+1', '＋1', '－1', '＠SUM(A1)', '\t＝1', '\r＝1', '  ＝1', '\u3000＝1'];
  expect((await cells(signs)).map(read)).toEqual(signs.map((one) => `'${one}`));
  expect(await cells(['Ａ＝1', null, 'a,b'])).toEqual(['Ａ＝1', '', '"a,b"']);
});

test('what is ours is quoted where it must be, and never marked', async () => {
  expect(await cells(['-12.50', 'a,b', 'q"q', null], csvWord)).toEqual(['-12.50', '"a,b"', '"q""q"', '']);
  expect(await cells(['-12.50', null], csvPlain)).toEqual(['-12.50', '']);
});

test('a text is the string of JSON that JavaScript makes of it', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.option(text), { minLength: 100, maxLength: 100 }), async (given) => {
      const lines = await written('ndjson', `(${jsonText('"text"')} || E'\\n')::varchar`, given);
      expect(lines).toBe(given.map((one) => `${JSON.stringify(one)}\n`).join(''));
    }),
    { numRuns: 40 },
  );
}, 60_000);

test('an account is called as the chart names it, whatever the name', async () => {
  const chart = {
    accounts: {
      'assets:operating': 'assets:formula:column0',
      'income:payments': 'income:MI:month:x',
      'assets:sub-wallets': 'assets:first:last-1',
      'liabilities:customers': 'liabilities:a',
    },
  };
  const suffixes = ['', ':w-1', ':a:b', '-x', 'x'];
  const accounts = Object.keys(chart.accounts).flatMap((account) => suffixes.map((suffix) => account + suffix));
  for (const one of [chart, defaultChart])
    expect(await cells(accounts, () => accountNames(one))).toEqual(accounts.map((account) => nameIn(one, account)));
});

test('a line that would be null fails, and is not left out', async () => {
  await expect(written('csv', '"text"', ['a', null])).rejects.toThrow('a line of an export is null');
});
