import { bookedKinds } from '../../domain/books/entry.js';
import { monthTotals, newestMonth } from '../../records/books/account-totals.js';
import { listEntries } from '../../records/books/list-entries.js';
import type { Page } from '../page.js';
import { entryColumns } from '../view/entry-rows.js';
import { kindWord } from '../view/record-words.js';
import { filters, listTable, options, type Section, table, withQuery } from '../view/sections.js';
import { amount, link, text } from '../view/values.js';

export const ledger: Page = {
  path: '/ledger',
  title: 'Ledger',
  group: 'Books',
  filters: ['month', 'account', 'assetCode', 'recordKind', 'recordId'],
  load: async ({ db }, req) => {
    const { month: asked, account, assetCode } = req.filters;
    const [page, newest] = await Promise.all([
      listEntries(db, { ...req.filters, cursor: req.cursor }),
      newestMonth(db),
    ]);
    const month = asked ?? newest;
    const isRecord = req.filters['recordKind'] !== undefined || req.filters['recordId'] !== undefined;
    const isMonth = month !== null && /^\d{4}-(0[1-9]|1[0-2])$/.test(month);
    const totals = isMonth && !isRecord ? await monthTotals(db, month, { account, assetCode }) : null;
    return {
      intro:
        'Double entry of what the service’s records come to. A positive amount is a debit; entries are never changed, only corrected by later ones.',
      sections: [
        filters(req, [
          { name: 'month', label: 'Month', hint: '2026-10' },
          { name: 'account', label: 'Account', hint: 'assets:operating' },
          { name: 'assetCode', label: 'Asset', hint: 'the whole code' },
          { name: 'recordKind', label: 'Made of', options: options(bookedKinds, kindWord) },
          { name: 'recordId', label: 'Its ID', hint: 'the whole of it' },
        ]),
        ...(totals === null || month === null ? [] : [totalsOf(totals, month)]),
        listTable(req, page, {
          caption: 'Entries, newest first',
          showCaption: true,
          columns: entryColumns,
          unfit: ['No entry fits', 'A month is written such as 2026-10; names count as a whole.'],
          empty: [
            'Nothing is posted yet',
            'The books of an asset begin with its opening balance, which the first run of the kind balances takes.',
          ],
        }),
      ],
    };
  },
};

function totalsOf({ totals, more }: Awaited<ReturnType<typeof monthTotals>>, month: string): Section {
  return table(totals, {
    caption: more
      ? `Accounts in ${month}: the first ${totals.length}; name one to see it`
      : `Accounts in ${month}: opening + activity = closing`,
    columns: [
      ['Account', ({ account, assetCode }) => link(account, withQuery('/ledger', { month, account, assetCode }))],
      ['Asset', ({ assetCode }) => text(assetCode)],
      ['Opening', ({ opening }) => amount(opening), 'end'],
      ['Activity', ({ activity }) => amount(activity), 'end'],
      ['Closing', ({ closing }) => amount(closing), 'end'],
    ],
    empty: [`No account has anything by ${month}`, 'Nothing is posted until the end of this month.'],
  });
}
