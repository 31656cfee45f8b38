import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, expect, it } from 'vitest';
import { chartSchema } from '../../src/domain/books/chart.js';
import { sumAmounts } from '../../src/domain/money.js';
import { beanBalances, beanCheck, hledgerBalances, hledgerCheck, isInstalled } from '../support/accounting-programs.js';
import { useDatabase } from '../support/database.js';
import { ASSET, exportsOf, postMonths } from '../support/exported-books.js';
import { useFolder } from '../support/folder.js';

const run = promisify(execFile);
const database = useDatabase();
const dir = useFolder();
const { write, text, months } = exportsOf(database, dir);

beforeAll(async () => postMonths(database), 60_000);

/** March is the last month of this year: in April, what it earned is in retained earnings. */
const march = chartSchema.parse({ fiscalYearEnd: 3, accounts: { 'expenses:fees:service': 'expenses:fees:psp' } });

/** Of all that a program says: what is not zero. */
const held = (balances: Map<string, string>) =>
  [...balances].flatMap(([of, amount]) => (amount === '0' ? [] : [`${of} ${amount}`])).sort();

it('read as months together, activities are the books: by hledger', async (context) => {
  context.skip(!(await isInstalled('hledger')), 'hledger is not installed');
  const all = await months();
  for (const month of all) await write(month, 'hledger', march);
  const main = path.join(dir, 'main.journal');
  await writeFile(main, all.map((month) => `include ${month}-activity.journal\n`).join(''));
  await hledgerCheck(main);
  const last = path.join(dir, `${all.at(-1)}.journal`);
  expect(held(await hledgerBalances(main))).toEqual(held(await hledgerBalances(last)));
  const earned = async (file: string, month: string) => {
    const words = ['balance', '-N', '--layout=bare', '-O', 'csv', '-p', month, 'type:RX'];
    const { stdout } = await run('hledger', ['-f', path.join(dir, file), ...words]);
    return stdout;
  };
  for (const month of all) {
    const alone = await earned(`${month}.journal`, month);
    expect([month, alone]).toEqual([month, await earned(`${month}-activity.journal`, month)]);
  }
  const [opened] = (await text('2026-04.journal')).split('\n2026-04');
  expect(opened).toContain('2026-03-31 opening balances\n');
  expect(opened).toContain('    equity:retained-earnings  ');
  expect(opened).not.toMatch(/^ {4}(income|expenses):/m);
  expect(await text('2026-04-activity.journal')).toContain('2026-03-31 retained earnings  ; retain:\n');
  const { stdout } = await run('hledger', [
    '-f',
    main,
    'balance',
    '-V',
    '-N',
    '-e',
    '2026-04',
    'assets:operating',
    `cur:${ASSET}`,
  ]);
  expect(stdout).toMatch(/^ +[\d.]+ USD {2}assets:operating$/m);
}, 60_000);

it('read as months together, activities are the books: by beancount', async (context) => {
  context.skip(!(await isInstalled('bean-check', '--help')), 'beancount is not installed');
  const all = await months();
  for (const month of all) await write(month, 'beancount', march);
  const main = path.join(dir, 'main.beancount');
  await writeFile(main, all.map((month) => `include "${month}-activity.beancount"\n`).join(''));
  expect(await beanCheck(main)).toBe('');
  const last = path.join(dir, `${all.at(-1)}.beancount`);
  expect(held(await beanBalances(main))).toEqual(held(await beanBalances(last)));
  expect(await text('2026-03-activity.beancount')).toMatch(/^2026-\d\d-\d\d price USDT\.TRON {2}1\.001 USD$/m);
}, 60_000);

it('is a journal in money that adds up to the report, without a gap in its numbers', async () => {
  for (const month of await months()) {
    await write(month, 'journal');
    await write(month, 'csv');
    const rows = recordsOf(await text(`${month}-journal.csv`));
    const values = new Map(
      recordsOf(await text(`${month}-values.csv`)).map(({ name = '', value_USD }) => [name, value_USD]),
    );
    const sums = new Map<string, string[]>();
    const entries = new Map<string, string[]>();
    for (const { number = '', name = '', debit, credit, value, unpriced } of rows) {
      const money = debit || (credit ? `-${credit}` : '');
      if (money === '') expect(unpriced).not.toBe('');
      if (money === '') continue;
      (sums.get(name) ?? sums.set(name, []).get(name))?.push(money);
      (entries.get(number) ?? entries.set(number, []).get(number))?.push(money);
      if (value) expect(Math.abs(Number(value) - Number(money))).toBeLessThanOrEqual(0.01);
    }
    for (const [number, lines] of entries) expect([number, Number(sumAmounts(lines))]).toEqual([number, 0]);
    for (const [name, lines] of sums)
      if (name !== 'expenses:rounding')
        expect([name, Number(sumAmounts(lines))]).toEqual([name, Number(values.get(name))]);
    const numbers = [...new Set(rows.map(({ number }) => Number(number)))];
    expect(numbers).toEqual(numbers.map((_, index) => index + 1));
  }
});

const datev = chartSchema.parse({
  datev: { consultant: 29_098, client: 55_003, other: '1590', accounts: { 'income:payments': '8400' } },
});
/** As its publisher says what a field has to be. */
const DATEV_FIELDS: Readonly<Record<number, RegExp>> = {
  1: /^\d{1,10},\d\d$/,
  2: /^"[SH]"$/,
  3: /^"[A-Z]{3}"$/,
  7: /^[1-9]\d{3}$/,
  8: /^[1-9]\d{3}$/,
  10: /^(0[1-9]|[12]\d|3[01])(0[1-9]|1[0-2])$/,
  11: /^"[a-zA-Z0-9$&%*+\-/]{1,36}"$/,
  14: /^"([^"]|""){0,60}"$/,
  21: /^"([^"]|""){0,20}"$/,
  22: /^"([^"]|""){0,210}"$/,
  23: /^"([^"]|""){0,20}"$/,
  24: /^"([^"]|""){0,210}"$/,
  114: /^[01]$/,
};

it('is a posting batch as DATEV describes it, or says what it lacks', async () => {
  await write('2026-03', 'journal');
  await expect(write('2026-03', 'datev')).rejects.toThrow('CHART_FILE has no datev');
  const { files, findings } = await write('2026-03', 'datev', datev);
  const unpriced = recordsOf(await text('2026-03-journal.csv')).filter(({ unpriced: reason }) => reason !== '').length;
  expect(unpriced).toBeGreaterThan(0);
  expect(findings).toContain(`not in it: ${unpriced} lines without a rate`);
  const numbersOf = new Map<string, Set<string>>();
  for (const { entry = '', account = '' } of recordsOf(await text('2026-03-journal.csv')))
    numbersOf.set(entry, (numbersOf.get(entry) ?? new Set()).add(account === 'income:payments' ? '8400' : '1590'));
  const within = [...numbersOf.values()].filter(({ size }) => size === 1);
  expect(within.length).toBeGreaterThan(0);
  expect(findings).toContain(
    `not in it: ${within.length} entries between accounts that have one number, such as 1590: CHART_FILE can give each its own`,
  );
  expect(findings.find((told) => told.startsWith('on 1590 instead of the income statement: '))).toMatch(
    /: expenses:fees:service \(\d+\.\d\d\).*, which have no number in CHART_FILE\. The result there is \d+\.\d\d USD (more|less) than in the books$/,
  );
  // To the cent as the batch has it, where more than one account is rounded: 26.1261 and 0.261261.
  const other = { ...datev, datev: { ...datev.datev, accounts: { 'assets:operating': '1360' } } };
  const { findings: both } = await write('2026-03', 'datev', chartSchema.parse(other));
  await write('2026-03', 'datev', datev);
  expect(both.find((told) => told.startsWith('on 1590 instead'))).toBe(
    'on 1590 instead of the income statement: expenses:fees:service (0.26), income:payments (-26.13), which have no number in CHART_FILE. The result there is 25.87 USD less than in the books',
  );
  expect(files.map(({ name }) => name)).toEqual(['EXTF_2026-03.csv']);
  const lines = (await text('EXTF_2026-03.csv', 'latin1')).split('\r\n');
  expect(lines.pop()).toBe('');
  const [head = [], columns = [], ...postings] = lines.map((line) => line.split(/;(?=(?:[^"]*"[^"]*")*[^"]*$)/));
  expect(head.join(';')).toBe(
    '"EXTF";700;21;"Buchungsstapel";13;20260331000000000;;"TH";"";"";29098;55003;20260101;4;20260301;20260331;"2026-03 open";"";1;0;0;"USD";;"";;;"";;;"";""',
  );
  expect([columns.length, columns[0], columns[9], columns[113], columns[124]]).toEqual([
    125,
    'Umsatz (ohne Soll/Haben-Kz)',
    'Belegdatum',
    'Festschreibung',
    'Abw. Skontokonto',
  ]);
  expect(postings.length).toBeGreaterThan(0);
  const income: string[] = [];
  for (const fields of postings) {
    expect(fields).toHaveLength(125);
    for (const [index, field] of fields.entries()) {
      const rule = DATEV_FIELDS[index + 1] ?? /^(""|)$/;
      expect([index + 1, field]).toEqual([index + 1, expect.stringMatching(rule)]);
    }
    const [amount = '', debit, credit] = [fields[0]?.replace(',', '.'), fields[6], fields[7]];
    if (credit === '8400') income.push(`-${amount}`);
    if (debit === '8400') income.push(amount);
  }
  await write('2026-03', 'csv');
  const values = recordsOf(await text('2026-03-values.csv'));
  const booked = values.find(({ name }) => name === 'income:payments')?.['value_USD'];
  expect(Number(sumAmounts(income))).toBe(Number(booked));
});

function recordsOf(csv: string): Record<string, string>[] {
  const [head = [], ...rows] = csvCells(csv);
  return rows.map((row) => Object.fromEntries(head.map((name, index) => [name, row[index] ?? ''])));
}

/** RFC 4180. */
function csvCells(csv: string): string[][] {
  const cells = [...csv.matchAll(/("(?:[^"]|"")*"|[^,\r\n]*)(,|\r\n)/g)];
  const rows: string[][] = [[]];
  for (const [, cell = '', end] of cells) {
    rows.at(-1)?.push(cell.startsWith('"') ? cell.slice(1, -1).replaceAll('""', '"') : cell);
    if (end !== ',') rows.push([]);
  }
  return rows.slice(0, -1);
}
