import { beancountName, nameIn } from '../../domain/books/chart.js';
import { beancountCommodity } from '../../domain/books/commodities.js';
import type { EntryView } from '../../domain/views/books-shapes.js';
import { accountTotals } from '../../records/books/account-totals.js';
import { entriesOfMonth } from '../../records/books/month-entries.js';
import { entryTags, plainWords } from './ledger-text.js';
import type { ExportFile, MonthBooks } from './month-books.js';
import { firstDayAfter } from './month-days.js';

/** A ledger that stands alone: the month's opening balances, its entries, and what each account must hold after it. */
export function beancountFiles(books: MonthBooks): ExportFile[] {
  return [{ name: `${books.month}.beancount`, content: ledger(books) }];
}

async function* ledger({ trx, month, chart, currency }: MonthBooks): AsyncGenerator<string> {
  const name = (account: string) => beancountName(nameIn(chart, account));
  const totals = await accountTotals(trx, month);
  const first = `${month}-01`;
  yield `; Tallyhook, ${month}\noption "title" "${month}"\noption "operating_currency" "${currency}"\n`;
  for (const asset of new Set(totals.map(({ assetCode }) => assetCode)))
    yield `${first} commodity ${beancountCommodity(asset)}\n  asset: "${plainWords(asset)}"\n`;
  for (const account of new Set(totals.map((total) => name(total.account)))) yield `${first} open ${account}\n`;
  const opened = totals.filter(({ opening }) => opening !== '0');
  if (opened.length > 0) {
    yield `\n${first} * "opening balances"\n`;
    for (const { account, assetCode, opening } of opened) yield posting(name(account), opening, assetCode);
  }
  for await (const entries of entriesOfMonth(trx, month)) yield entries.map((one) => transaction(one, name)).join('');
  yield '\n';
  // Exact: without the tolerance it would be twice the last digit's.
  for (const { account, assetCode, closing } of totals)
    yield `${firstDayAfter(month)} balance ${name(account)}  ${closing} ~ 0 ${beancountCommodity(assetCode)}\n`;
}

function transaction(entry: EntryView, name: (account: string) => string): string {
  const head = `\n${entry.date} * "${plainWords(entry.description)}"\n`;
  const tags = entryTags(entry).map(([tag, value]) => `  ${tag}: "${value}"\n`);
  const lines = entry.lines.map((line) =>
    line.memo
      ? `  ; memo: ${name(line.account)} ${line.amount} ${beancountCommodity(line.assetCode)}\n`
      : posting(name(line.account), line.amount, line.assetCode),
  );
  return [head, ...tags, ...lines].join('');
}

function posting(account: string, amount: string, assetCode: string): string {
  return `  ${account}  ${amount} ${beancountCommodity(assetCode)}\n`;
}
