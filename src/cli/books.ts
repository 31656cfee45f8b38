import { readFile } from 'node:fs/promises';
import type { Command } from 'commander';
import { loadConfig } from '../config.js';
import { rowsOfReport } from '../domain/books/carried-report.js';
import { accounts, beancountName, nameIn, numberIn, ownNumberIn, rootChange } from '../domain/books/chart.js';
import { roundedValue } from '../domain/books/fiat-report.js';
import { statementRows } from '../domain/books/income-statement.js';
import { dayIn } from '../domain/books/posting-month.js';
import { fileToFill } from '../domain/books/rates-file.js';
import { counted } from '../domain/in-words.js';
import type { AccountWorth } from '../domain/views/books-shapes.js';
import { UsageError } from '../errors.js';
import { monthAccounts, monthIncome } from '../finance/exports/month-accounts.js';
import { importRatesFile } from '../finance/import-rates.js';
import { loadChart } from '../finance/load-chart.js';
import { knownBeside, ratesByDay } from '../records/books/given-rates.js';
import { day, type Flags, month } from './arguments.js';
import { asksFirst } from './four-eyes.js';
import { type Columns, EXIT_FINDINGS, printJson, printList, printText } from './print.js';
import { cliActor, withStore } from './with-store.js';

interface RatesFlags extends Flags {
  accept?: string;
  note?: string;
}

export function define(command: Command): void {
  command
    .command('chart')
    .description('our accounts, and what CHART_FILE calls them')
    .option('--json', 'print JSON')
    .action(({ json = false }: Flags) => showChart(json));
  command
    .command('accounts')
    .description('what each account opened and closed a month with, in units and in REPORTING_CURRENCY')
    .argument('<month>', 'such as 2026-10', month)
    .option('--account <name>', 'this account alone')
    .option('--asset <code>', 'this asset alone')
    .option('--json', 'print JSON')
    .action(showAccounts);
  command
    .command('income')
    .description('the income statement of a month and of its fiscal year so far, in REPORTING_CURRENCY')
    .argument('<month>', 'such as 2026-10', month)
    .option('--json', 'print JSON')
    .action(showIncome);
  const rates = command.command('rates').description('what assets are worth in the reporting currency');
  rates
    .command('import <file>')
    .description(
      'take a CSV file date,asset,currency,rate, all or nothing; what is posted in open months is valued anew',
    )
    .option('--dry-run', 'only check the file, count what it would value, and say what months would come to')
    .option(
      '--accept <lines>',
      'take these though they are far from what else is known: lines of the file, days or months and assets, or months, such as 3,2026-10-20:BTC,2026-10:XRP',
    )
    .option('--note <text>', 'why; kept with your name. With FOUR_EYES on it is needed, and another person approves')
    .action(importRates);
  rates
    .command('list')
    .description(
      'the rates that were given, and days that wait for one, beside what payments and the service say of the same days; exit code 3 where one is missing',
    )
    .option('--asset <code>', 'of this asset alone')
    .option('--from <day>', 'YYYY-MM-DD; left out: 31 days', day)
    .option('--to <day>', 'YYYY-MM-DD; left out: today', day)
    .option('--json', 'print JSON')
    .action(listRates);
}

interface RatesListFlags extends Flags {
  asset?: string;
  from?: string;
  to?: string;
}

/** So many days are listed where nobody says which. */
const LISTED_DAYS = 31;

async function listRates({ asset, from, to, json = false }: RatesListFlags): Promise<void> {
  await withStore(async ({ db, zone: { currency, timeZone } }) => {
    const last = to ?? dayIn(timeZone, Date.now());
    const first = from ?? dayIn('UTC', Date.parse(last) - (LISTED_DAYS - 1) * 86_400_000);
    const rates = await ratesByDay(db, { currency, asset, from: first, to: last });
    const known = await knownBeside(db, rates, { timeZone });
    const waiting = rates.filter((one) => one.waiting !== null);
    const items = rates.map((one, n) => ({ ...one, paid: known[n]?.paid ?? null, dollars: known[n]?.dollars ?? null }));
    printList({ items, nextCursor: null }, json, {
      day: 'date',
      asset: 'assetCode',
      [currency]: ({ rate, waiting }) => rate ?? (waiting === null ? null : 'missing'),
      'waiting for it': ({ waiting }) =>
        waiting === null ? null : `${counted(waiting.lines, 'line')}, ${waiting.quantity}`,
      replaced: 'replaced',
      'payments say': ({ paid }) => (paid === null ? null : `${paid.mean} (${paid.payments})`),
      'service in USD': 'dollars',
      'given by': 'actor',
      at: 'givenAt',
    });
    if (waiting.length === 0) return;
    process.exitCode = EXIT_FINDINGS;
    if (json) return;
    printText(
      `\nLines of ${counted(waiting.length, 'day')} wait for a rate. Put these lines into a file, each with its rate at the end, and give it: tallyhook books rates import FILE\n`,
    );
    printText(fileToFill(waiting.toReversed(), currency));
  });
}

async function importRates(file: string, { dryRun = false, accept = '', note = '' }: RatesFlags): Promise<void> {
  const text = await readGiven(file);
  await withStore(async (store) => {
    const { db, zone } = store;
    const accepted = accept.split(',').flatMap((name) => (name.trim() === '' ? [] : [name.trim()]));
    const request = { action: 'import rates', input: { text, accepted }, reason: note } as const;
    if (await asksFirst(store, request, { dryRun })) return;
    const chart = await loadChart(loadConfig([]).CHART_FILE);
    const about = { ...zone, chart, db, now: new Date(), actor: cliActor(), reason: note.trim() || null };
    const result = await importRatesFile(text, { ...about, dryRun, accepted });
    if (result.outcome === 'refused')
      throw new UsageError([`${file}: nothing was taken`, ...result.problems].join('\n    '));
    if (result.outcome === 'asks') {
      const asked = `${file}: nothing was taken. If these rates are right, name each with --accept, such as --accept 2,2026-10:XRP`;
      throw new UsageError([asked, ...result.problems].join('\n    '));
    }
    printJson(result);
  });
}

const accountColumns: Columns<AccountWorth> = {
  account: 'account',
  asset: 'assetCode',
  opening: 'opening',
  activity: 'activity',
  closing: 'closing',
};

interface AccountsFlags extends Flags {
  account?: string;
  asset?: string;
}

async function showAccounts(asked: string, { account, asset, json = false }: AccountsFlags): Promise<void> {
  await withStore(async ({ db, zone }) => {
    const found = await monthAccounts(db, { ...zone, month: asked }, { account, assetCode: asset });
    if (json) return printJson(found);
    const { currency, accounts: items, values, more } = found;
    const money = (value: string | null) => (value === null ? null : roundedValue(value, currency));
    printList({ items }, false, {
      ...accountColumns,
      [`worth in ${currency}`]: ({ closingValue }) => money(closingValue),
      'at the last day’s rate': ({ endValue }) => money(endValue),
      'not posted': ({ rateDifference }) => money(rateDifference),
    });
    if (more) printText(`more than these ${items.length}: name one with --account`);
    if (values === null) return;
    printText(`\nin ${currency}: opening + activity = closing`);
    const columns = { account: 'name', opening: 'opening', activity: 'value', closing: 'closing' } as const;
    printList({ items: rowsOfReport(values) }, false, columns);
  });
}

async function showIncome(asked: string, { json = false }: Flags): Promise<void> {
  await withStore(async ({ db, zone: { currency } }) => {
    const chart = await loadChart(loadConfig([]).CHART_FILE);
    const statement = await monthIncome(db, { month: asked, currency }, chart);
    if (json) return printJson({ month: asked, currency, ...statement });
    const columns = {
      account: 'name',
      [`${asked} in ${currency}`]: 'month',
      [`since ${statement.from}`]: 'year',
    } as const;
    printList({ items: statementRows(statement) }, false, columns);
    if (statement.unpriced > 0) printText(`lines without a rate, left out: ${statement.unpriced}`);
  });
}

async function showChart(json: boolean): Promise<void> {
  const chart = await loadChart(loadConfig([]).CHART_FILE);
  const items = Object.values(accounts).map((account) => {
    const name = nameIn(chart, account);
    const own = chart.datev === undefined ? null : numberIn(chart.datev, account);
    const isOwn = chart.datev !== undefined && ownNumberIn(chart.datev, account) !== null;
    return { account, name, beancount: beancountName(name), datev: own, isOwn, moved: rootChange(chart, account) };
  });
  const columns = {
    account: 'account',
    name: 'name',
    beancount: 'beancount',
    ...(chart.datev === undefined
      ? {}
      : { DATEV: ({ datev, isOwn }: (typeof items)[number]) => (isOwn ? datev : `${datev}, of all others`) }),
    moved: 'moved',
  } as const;
  printList({ items, nextCursor: null }, json, columns);
}

async function readGiven(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    throw new UsageError(`${file} can't be read.`, { cause: error });
  }
}
