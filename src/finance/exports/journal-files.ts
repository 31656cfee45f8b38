import { accounts, type DatevChart, nameIn, numberIn } from '../../domain/books/chart.js';
import { currencyDecimals } from '../../domain/books/fiat-report.js';
import { Journal, postingsOf } from '../../domain/books/journal.js';
import { snakeCase } from '../../domain/records.js';
import { UsageError } from '../../errors.js';
import { countLines, type ValuedEntry, valuedEntries } from '../../records/books/month-entries.js';
import type { MonthRow } from '../../records/books/month-query.js';
import { givenLines } from '../../records/books/row-text.js';
import { csvLineOf } from './csv-files.js';
import { ansi, DATEV_DECIMALS, datevColumns, datevHead, datevLine, MOST_CENTS } from './datev-batch.js';
import type { ExportFile, MonthBooks } from './month-tables.js';
import { journalColumns } from './table-columns.js';

/** The month in the reporting currency, for programs that know no other: a row for each line of an entry. */
export function journalFiles(books: MonthBooks): ExportFile[] {
  return [{ name: `${books.month}-journal.csv`, content: journal(books) }];
}

/** An entry in money: `units` of each of its lines, and what rounding leaves over. */
interface Booked {
  number: number;
  entry: ValuedEntry;
  units: (bigint | null)[];
  rounding: bigint;
}

/** The month's entries, some at a time, but for those that move nothing; without the lines that are memos. */
async function* bookedEntries({ trx, month, currency }: MonthBooks, book: Journal): AsyncGenerator<Booked[]> {
  for await (const entries of valuedEntries(trx, month, currency))
    yield entries.flatMap((whole) => {
      const entry = { ...whole, lines: whole.lines.filter(({ memo }) => !memo) };
      return entry.lines.length === 0 ? [] : [{ entry, ...book.book(entry.lines), number: book.number }];
    });
}

async function* journal(books: MonthBooks): AsyncGenerator<string> {
  const { trx, chart, currency, standing } = books;
  const keys = journalColumns.map(({ key }) => key);
  const line = csvLineOf(journalColumns, standing.state);
  const book = new Journal(currency);
  const named = { name: (of: string) => nameIn(chart, of), money: (units: bigint) => book.text(units), currency };
  yield `${[...keys.map(snakeCase), 'month_status'].join(',')}\r\n`;
  for await (const booked of bookedEntries(books, book))
    yield* givenLines(trx, 'csv', line, { keys, rows: booked.flatMap((one) => rowsOf(one, named)) });
}

interface Named {
  name: (account: string) => string;
  money: (units: bigint) => string;
  currency: string;
}

function rowsOf({ entry, number, units, rounding }: Booked, { name, money, currency }: Named): MonthRow[] {
  const about = {
    number: String(number),
    date: entry.date,
    currency,
    text: entry.description,
    document: entry.recordId,
    of: entry.recordKind,
    entry: entry.id,
  };
  const moneyOf = (amount: bigint | null) => ({
    debit: amount === null || amount < 0n ? null : money(amount),
    credit: amount === null || amount >= 0n ? null : money(-amount),
  });
  const rows: MonthRow[] = entry.lines.map(({ account, assetCode: asset, amount, rate, value, unpriced }, index) => ({
    ...about,
    account,
    name: name(account),
    asset,
    amount,
    rate,
    value,
    ...moneyOf(units[index] ?? null),
    unpriced: value === null ? (unpriced ?? 'never valued') : null,
  }));
  if (rounding !== 0n)
    rows.push({ ...about, account: accounts.rounding, name: name(accounts.rounding), ...moneyOf(rounding) });
  return rows;
}

/** As many postings as one batch may have. */
const MOST_POSTINGS = 99_999;

/** Posting batches of DATEV, where the chart has what they ask for: one, or as many as the month needs. */
export async function datevFiles(books: MonthBooks): Promise<ExportFile[]> {
  const { chart, currency, month, trx } = books;
  const { datev } = chart;
  if (datev === undefined) return [];
  if (currencyDecimals(currency) > DATEV_DECIMALS)
    throw new UsageError(`DATEV takes amounts of two decimals: those of REPORTING_CURRENCY ${currency} have more`);
  let count = await countLines(trx, month);
  // An entry has no more postings than lines: only many lines are worth being counted one by one.
  if (count > MOST_POSTINGS) {
    count = 0;
    for await (const lines of datevLines(books, datev)) count += lines.length;
  }
  const parts = Math.max(1, Math.ceil(count / MOST_POSTINGS));
  return Array.from({ length: parts }, (_, part) => ({
    name: `EXTF_${month}${part === 0 ? '' : `-${part + 1}`}.csv`,
    content: datevBatch(books, datev, part * MOST_POSTINGS),
  }));
}

/** The postings from one place on, as many as fit. */
async function* datevBatch(books: MonthBooks, datev: DatevChart, from: number): AsyncGenerator<Uint8Array> {
  let place = 0;
  yield ansi([datevHead(books, datev), datevColumns]);
  for await (const lines of datevLines(books, datev)) {
    const own = lines.slice(Math.max(0, from - place), Math.max(0, from + MOST_POSTINGS - place));
    place += lines.length;
    yield ansi(own);
  }
}

async function* datevLines(books: MonthBooks, datev: DatevChart): AsyncGenerator<string[]> {
  const { month, currency } = books;
  const scale = 10n ** BigInt(DATEV_DECIMALS - currencyDecimals(currency));
  const linesOf = ({ entry, number, units, rounding }: Booked) => {
    const booked = entry.lines.map(({ account }, index) => ({ account, units: units[index] ?? 0n }));
    const numbered = [...booked, { account: accounts.rounding, units: rounding }].map((one) => ({
      account: numberIn(datev, one.account),
      units: one.units * scale,
    }));
    const about = { ...entry, currency, number: `${month}-${number}` };
    return postingsOf(numbered, MOST_CENTS).map((posting) => datevLine({ ...about, ...posting }));
  };
  for await (const booked of bookedEntries(books, new Journal(currency))) yield booked.flatMap(linesOf);
}
