import { nameIn } from '../../domain/books/chart.js';
import { exactValue } from '../../domain/books/fiat-report.js';
import { accountTotals } from '../../records/books/account-totals.js';
import { type EntryLineView, type EntryView, entriesOfMonth } from '../../records/books/list-entries.js';
import { type Cell, csvLine } from './csv-text.js';
import type { ExportFile, MonthBooks } from './month-books.js';
import { monthValues } from './month-values.js';
import { csvTables } from './table-files.js';

const COLUMNS = (
  'entry type month date at dated_by adjusts reverses corrects record_kind record_id key version description sources ' +
  'observed_by posted_at line account name asset amount memo rate rate_currency rate_source rate_at value unpriced'
).split(' ');

/** A line of the file for each line of an entry; opening, activity and closing; what it was worth; and the month's records. */
export function csvFiles(books: MonthBooks): ExportFile[] {
  return [
    { name: `${books.month}-entries.csv`, content: entryLines(books) },
    { name: `${books.month}-accounts.csv`, content: totalLines(books) },
    { name: `${books.month}-values.csv`, content: valueLines(books) },
    ...csvTables(books),
  ];
}

async function* entryLines({ trx, month, chart }: MonthBooks): AsyncGenerator<string> {
  yield csvLine(COLUMNS);
  for await (const entries of entriesOfMonth(trx, month)) {
    yield entries
      .map((entry) => {
        const about = aboutEntry(entry);
        return entry.lines
          .map((line, n) => csvLine([...about, String(n + 1), ...aboutLine(line, nameIn(chart, line.account))]))
          .join('');
      })
      .join('');
  }
}

function aboutEntry(entry: EntryView): Cell[] {
  const { id, type, month, date, at, datedBy, adjusts, reverses, corrects, observedBy } = entry;
  const sources = entry.sources.map((source) => `${source.kind} ${source.id}`).join('; ');
  const observed = observedBy === null ? null : { text: `${observedBy.type} ${observedBy.ref}` };
  const record: Cell[] = [entry.recordKind, { text: entry.recordId }, { text: entry.key }, String(entry.version)];
  const told: Cell[] = [{ text: entry.description }, { text: sources }, observed, entry.postedAt];
  return [id, type, month, date, at, datedBy, adjusts, reverses, corrects, ...record, ...told];
}

function aboutLine({ account, assetCode, amount, memo, ...valued }: EntryLineView, name: string): Cell[] {
  const { rate, rateCurrency, rateSource, rateAt } = valued;
  const value = rate === null ? null : exactValue(amount, rate);
  const unpriced = valued.unpriced === null ? null : { text: valued.unpriced };
  const line: Cell[] = [account, name, { text: assetCode }, amount, memo ? 'yes' : 'no'];
  return [...line, rate, rateCurrency, rateSource, rateAt, value, unpriced];
}

async function* totalLines({ trx, month, chart }: MonthBooks): AsyncGenerator<string> {
  yield csvLine(['account', 'name', 'asset', 'opening', 'activity', 'closing']);
  for (const { account, assetCode, opening, activity, closing } of await accountTotals(trx, month))
    yield csvLine([account, nameIn(chart, account), { text: assetCode }, opening, activity, closing]);
}

async function* valueLines(books: MonthBooks): AsyncGenerator<string> {
  const { accounts, residual, total, unpriced } = await monthValues(books);
  yield csvLine(['name', `value_${books.currency}`]);
  for (const { account, value } of accounts) yield csvLine([account, value]);
  yield csvLine(['(rounding)', residual]);
  yield csvLine(['(total)', total]);
  yield csvLine(['(lines without a rate)', String(unpriced)]);
}
