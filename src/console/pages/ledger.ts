import { monthTotals, newestMonth } from '../../records/books/account-totals.js';
import { listEntries } from '../../records/books/list-entries.js';
import type { Page, PageRequest } from '../page.js';
import { entryCells, entryColumns } from '../view/entry-rows.js';
import { paging } from '../view/links.js';
import { kindWord } from '../view/record-words.js';
import type { Section } from '../view/sections.js';
import { amount, link, text } from '../view/values.js';

export const ledger: Page = {
  path: '/ledger',
  title: 'Ledger',
  group: 'Books',
  filters: ['month', 'account', 'assetCode', 'recordKind', 'recordId'],
  load: async ({ db }, req) => {
    const { month: asked, account, assetCode } = req.filters;
    const [{ items, nextCursor }, newest] = await Promise.all([
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
        filtersOf(req),
        ...(totals === null || month === null ? [] : [totalsOf(totals, month)]),
        {
          is: 'table',
          caption: 'Entries, newest first',
          showCaption: true,
          columns: entryColumns,
          rows: items.map(entryCells),
          empty:
            Object.keys(req.filters).length > 0
              ? { title: 'No entry fits', text: 'A month is written such as 2026-10; names count as a whole.' }
              : {
                  title: 'Nothing is posted yet',
                  text: 'The books of an asset begin with its opening balance, which the first run of the kind balances takes.',
                },
          ...paging(req, nextCursor),
        },
      ],
    };
  },
};

function totalsOf({ totals, more }: Awaited<ReturnType<typeof monthTotals>>, month: string): Section {
  const href = (account: string, assetCode: string) =>
    `/ledger?${new URLSearchParams({ month, account, assetCode }).toString()}`;
  return {
    is: 'table',
    caption: more
      ? `Accounts in ${month}: the first ${totals.length}; name one to see it`
      : `Accounts in ${month}: opening + activity = closing`,
    showCaption: true,
    columns: [
      { label: 'Account' },
      { label: 'Asset' },
      { label: 'Opening', align: 'end' },
      { label: 'Activity', align: 'end' },
      { label: 'Closing', align: 'end' },
    ],
    rows: totals.map((total) => [
      link(total.account, href(total.account, total.assetCode)),
      text(total.assetCode),
      amount(total.opening),
      amount(total.activity),
      amount(total.closing),
    ]),
    empty: { title: `No account has anything by ${month}`, text: 'Nothing is posted until the end of this month.' },
  };
}

function filtersOf({ path, filters }: PageRequest): Section {
  const { month = '', account = '', assetCode = '', recordKind = '', recordId = '' } = filters;
  const kinds = ['payment_intent', 'payin', 'payout', 'transaction', 'opening', 'attribution', 'placement'];
  return {
    is: 'filters',
    path,
    active: Object.keys(filters).length > 0,
    fields: [
      { name: 'month', label: 'Month', value: month, hint: '2026-10' },
      { name: 'account', label: 'Account', value: account, hint: 'assets:operating' },
      { name: 'assetCode', label: 'Asset', value: assetCode, hint: 'the whole code' },
      {
        name: 'recordKind',
        label: 'Made of',
        value: recordKind,
        options: kinds.map((value) => ({ value, text: kindWord(value) })),
      },
      { name: 'recordId', label: 'Its ID', value: recordId, hint: 'the whole of it' },
    ],
  };
}
