import { nameIn } from '../../domain/books/chart.js';
import { hledgerCommodity } from '../../domain/books/commodities.js';
import type { EntryView } from '../../domain/views/books-shapes.js';
import { type AccountTotal, accountTotals } from '../../records/books/account-totals.js';
import { entriesOfMonth } from '../../records/books/month-entries.js';
import { entryTags, plainWords } from './ledger-text.js';
import type { ExportFile, MonthBooks } from './month-books.js';
import { lastDayOf } from './month-days.js';

/** A journal that stands alone: the month's opening balances, its entries, and what each account must hold at its end. */
export function hledgerFiles(books: MonthBooks): ExportFile[] {
  return [{ name: `${books.month}.journal`, content: journal(books) }];
}

async function* journal({ trx, month, chart }: MonthBooks): AsyncGenerator<string> {
  const name = (account: string) => nameIn(chart, account);
  const totals = await accountTotals(trx, month);
  yield `; Tallyhook, ${month}\ndecimal-mark .\n`;
  for (const asset of new Set(totals.map(({ assetCode }) => assetCode)))
    yield `commodity 1000.000000000000000000 ${hledgerCommodity(asset)}\n`;
  for (const account of new Set(totals.map((total) => name(total.account)))) yield `account ${account}\n`;
  const opened = totals.filter(({ opening }) => opening !== '0');
  if (opened.length > 0) {
    yield `\n${month}-01 opening balances\n`;
    for (const { account, assetCode, opening } of opened) yield posting(name(account), opening, assetCode);
  }
  for await (const entries of entriesOfMonth(trx, month)) yield entries.map((one) => transaction(one, name)).join('');
  if (totals.length > 0) yield assertions(totals, { name, day: lastDayOf(month) });
}

function transaction(entry: EntryView, name: (account: string) => string): string {
  const head = `\n${entry.date} (${entry.id}) ${plainWords(entry.description)}\n`;
  const tags = entryTags(entry).map(([tag, value]) => `    ; ${tag}: ${value}\n`);
  const lines = entry.lines.map((line) =>
    line.memo
      ? `    ; memo: ${name(line.account)} ${line.amount} ${hledgerCommodity(line.assetCode)}\n`
      : posting(name(line.account), line.amount, line.assetCode),
  );
  return [head, ...tags, ...lines].join('');
}

function posting(account: string, amount: string, assetCode: string): string {
  return `    ${account}  ${amount} ${hledgerCommodity(assetCode)}\n`;
}

function assertions(
  totals: readonly AccountTotal[],
  { name, day }: { name: (account: string) => string; day: string },
): string {
  const lines = totals.map(({ account, assetCode, closing }) => {
    const commodity = hledgerCommodity(assetCode);
    return `    ${name(account)}  0 ${commodity} = ${closing} ${commodity}\n`;
  });
  return `\n${day} balances at the end of the month\n${lines.join('')}`;
}
