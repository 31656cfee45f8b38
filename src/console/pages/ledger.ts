import { rowsOfReport } from '../../domain/books/carried-report.js';
import { bookedKinds } from '../../domain/books/entry.js';
import { exactValue, roundedValue, sumExactValues } from '../../domain/books/fiat-report.js';
import { counted, words } from '../../domain/in-words.js';
import type { EntryLineView, EntryView, MonthAccounts, Revaluation } from '../../domain/views/books-shapes.js';
import { monthAccounts } from '../../finance/exports/month-accounts.js';
import { newestMonth } from '../../records/books/account-totals.js';
import { getEntry, listEntries } from '../../records/books/list-entries.js';
import { maximumTake } from '../../records/database/paging.js';
import type { Page, PageDeps, PageRequest } from '../page.js';
import { entityHref, inPath, withQuery } from '../view/links.js';
import { approvedBy, kindWord, sourceLink } from '../view/record-words.js';
import {
  type Column,
  calm,
  facts,
  filters,
  listTable,
  options,
  type Section,
  type TableSection,
  table,
} from '../view/sections.js';
import {
  amount,
  badge,
  badgesOf,
  id,
  link,
  list,
  money,
  none,
  oneLine,
  quiet,
  stack,
  text,
  time,
  type Value,
} from '../view/values.js';

export const ledger: Page = {
  path: '/ledger',
  title: 'Ledger',
  group: 'Books',
  list: { rows: entryRows, days: 'books' },
  filters: [
    { name: 'month', label: 'Month', hint: '2026-10' },
    { name: 'account', label: 'Account', hint: 'assets:operating' },
    { name: 'assetCode', label: 'Asset', hint: 'the whole code' },
    { name: 'recordKind', label: 'Made of', options: options(bookedKinds, kindWord) },
    { name: 'recordId', label: 'Its ID', hint: 'the whole of it' },
  ],
  load: async (deps, req) => {
    const { db, books } = deps;
    const { month: asked, account, assetCode } = req.filters;
    const [rows, newest] = await Promise.all([entryRows(deps, req), newestMonth(db)]);
    const month = asked ?? newest;
    const isPart = ['recordKind', 'recordId', 'from', 'to'].some((name) => name in req.filters);
    const isMonth = month !== null && /^\d{4}-(0[1-9]|1[0-2])$/.test(month);
    const totals = isMonth && !isPart ? await monthAccounts(db, { ...books, month }, { account, assetCode }) : null;
    return {
      intro:
        'Double entry of what the service’s records come to. A positive amount is a debit; amounts are never changed, only corrected by later entries; an entry of an open month may be valued anew.',
      sections: [
        filters(req),
        ...calm('the accounts of the month', totals === null ? [] : [totalsOf(totals), ...moneyOf(totals)]),
        rows,
      ],
    };
  },
};

async function entryRows({ db }: PageDeps, req: PageRequest): Promise<TableSection> {
  const { from: fromDay, to: toDay, ...others } = req.filters;
  return listTable(req, await listEntries(db, { ...others, fromDay, toDay, ...req.slice }), {
    caption: 'Entries, newest first',
    showCaption: true,
    columns: entryColumns,
    unfit: ['No entry fits', 'A month is written such as 2026-10; names count as a whole.'],
    empty: [
      'Nothing is posted yet',
      'The books of an asset begin with its opening balance, which the first run of the kind balances takes.',
    ],
  });
}

function totalsOf({ month, currency, accounts, more }: MonthAccounts): Section {
  const worth = (value: string | null) => money(value === null ? null : roundedValue(value, currency), currency);
  return table(accounts, {
    caption: more
      ? `Accounts in ${month}: the first ${accounts.length}; name one to see it`
      : `Accounts in ${month}: opening + activity = closing`,
    columns: [
      [
        'Account',
        ({ account, assetCode }) =>
          stack([link(account, withQuery('/ledger', { month, account, assetCode })), quiet(assetCode)]),
      ],
      ['Opening', ({ opening }) => amount(opening), 'end'],
      ['Activity', ({ activity }) => amount(activity), 'end'],
      [
        'Closing, and its worth in the books',
        ({ closing, closingValue, unpriced }) =>
          stack([amount(closing), worth(closingValue), ...(unpriced === 0 ? [] : [unpricedOf(unpriced)])]),
        'end',
      ],
      [
        'At the last day’s rate; the difference is not posted',
        ({ endValue, rateDifference }) =>
          rateDifference === null ? worth(endValue) : stack([worth(endValue), worth(rateDifference)]),
        'end',
      ],
    ],
    empty: [`No account has anything by ${month}`, 'Nothing is posted until the end of this month.'],
  });
}

const unpricedOf = (lines: number): Value => quiet(`${counted(lines, 'line')} without a rate`);

/** In the currency’s own decimals, as the files of the month have it. */
function moneyOf({ month, currency, values }: MonthAccounts): Section[] {
  if (values === null || values.accounts.length === 0) return [];
  const own = (value: string) => money(value, currency);
  const { unpriced } = values.closing;
  const left = unpriced === 0 ? '' : `; ${counted(unpriced, 'line')} without a rate left out`;
  return [
    table(rowsOfReport(values), {
      caption: `In ${currency} in ${month}: opening + activity = closing${left}`,
      columns: [
        ['Account', ({ name }) => text(name)],
        ['Opening', (row) => own(row.opening), 'end'],
        ['Activity', (row) => own(row.value), 'end'],
        ['Closing', (row) => own(row.closing), 'end'],
      ],
    }),
  ];
}

export const ledgerEntry: Page = {
  path: '/ledger/:id',
  title: 'Entry',
  load: async ({ db }, req) => {
    const entry = await getEntry(db, req.params['id'] ?? '');
    if (entry === null) return null;
    const { recordKind, recordId } = entry;
    const { items } = await listEntries(db, { recordKind, recordId, take: maximumTake });
    const same = items.filter(({ key }) => key === entry.key).reverse();
    return {
      title: `Entry ${entry.id}`,
      badges: [entryBadge(entry.type)],
      intro: entry.description,
      sections: [
        factsOf(entry, { same, others: items.length - same.length }),
        linesOf(entry),
        ...(entry.revaluations.length > 0 ? [revaluedOf(entry)] : []),
        ...(same.length > 1 ? [historyOf(entry, same)] : []),
      ],
    };
  },
};

function factsOf(entry: EntryView, { same, others }: { same: readonly EntryView[]; others: number }): Section {
  const { recordKind, recordId, sources, observedBy } = entry;
  const later = same.filter(({ corrects, reverses }) => corrects === entry.id || reverses === entry.id);
  const entryLink = (other: string | null) => (other === null ? none() : entryId(other));
  const booked = link(counted(others, 'entry', 'entries'), withQuery('/ledger', { recordKind, recordId }));
  return facts([
    ['Made of', recordOf(recordKind, recordId)],
    ['Comes from', list(sources.map((source) => recordOf(source.kind, source.id)))],
    ['Seen by', observationOf(observedBy)],
    ['Date in the books', text(entry.date)],
    ['Belongs to', text(entry.adjusts === null ? entry.month : `${entry.adjusts}, which was closed`)],
    ['Happened', time(entry.at)],
    ['Dated by', text(words(entry.datedBy))],
    ['Posted', time(entry.postedAt)],
    ['Takes back', entryLink(entry.reverses)],
    [entry.type === 'change' ? 'Follows' : 'Corrects', entryLink(entry.corrects)],
    ['Followed by', list(later.map((other) => entryId(other.id)))],
    ['Else booked of it', others === 0 ? none('nothing') : booked],
  ]);
}

/** The poll, or the event, that showed the record so. */
function observationOf(observed: EntryView['observedBy']): Value {
  if (observed === null) return none('no record: it was not observed');
  return list([sourceLink(observed) ?? text(`${words(observed.type)} ${observed.ref}`), time(observed.at)]);
}

function linesOf({ lines }: EntryView): Section {
  return table(lines, {
    caption: 'Lines: a positive amount is a debit, and those of an asset add up to zero',
    columns: [
      ['Account', ({ account, memo }) => (memo ? list([text(account), badge('memo')]) : text(account))],
      ['Amount', (line) => amount(line.amount, line.assetCode), 'end'],
      ['Rate', ({ rate, rateCurrency }) => amount(rate, rateCurrency), 'end'],
      ['Worth', worthOf, 'end'],
      [
        'Rate known from',
        ({ rateSource, rateAt, unpriced }) =>
          rateSource === null ? quiet(unpriced ?? 'never valued') : list([text(rateSource), time(rateAt)]),
      ],
    ],
    empty: ['No lines', 'An entry without lines can’t be posted.'],
  });
}

/** Amounts are never changed; what they were worth is, until the month is closed. */
function revaluedOf({ lines, revaluations }: EntryView): Section {
  const worth = ({ assetCode, currency }: Revaluation, rate: string | null) => {
    const debits = lines.filter((line) => line.assetCode === assetCode && !line.memo && !line.amount.startsWith('-'));
    if (rate === null) return none('not priced');
    const values = debits.map((line) => exactValue(line.amount, rate));
    return stack([money(roundedValue(sumExactValues(values), currency), currency), quiet(`at ${rate}`)]);
  };
  return table(revaluations, {
    caption: 'Valued anew: finance gave another rate for the day while its month was open',
    columns: [
      ['When', ({ at }) => time(at)],
      ['Asset', ({ assetCode }) => text(assetCode)],
      ['Debits were worth', (one) => worth(one, one.before), 'end'],
      ['and are worth', (one) => worth(one, one.rate), 'end'],
      ['By the file', ({ file }) => (file === null ? none('not known') : text(file.slice(0, 12)))],
      ['Given by', ({ actor }) => text(actor)],
      ['Approved by', approvedBy],
    ],
  });
}

function worthOf({ amount: sum, rate, rateCurrency }: EntryLineView): Value {
  if (rate === null || rateCurrency === null) return none('not priced');
  return money(roundedValue(exactValue(sum, rate), rateCurrency), rateCurrency);
}

function historyOf(entry: EntryView, same: readonly EntryView[]): Section {
  return table(same, {
    caption: 'How it came to be: nothing is changed, each of these follows the one before',
    columns: [
      ['Entry', (one) => (one.id === entry.id ? list([id(one.id), quiet('this one')]) : entryId(one.id))],
      ['Type', ({ type }) => entryBadge(type)],
      ['Date', ({ date }) => oneLine(date)],
      ['Lines', ({ lines }) => stack(lines.map(lineOf)), 'wide'],
      ['Posted', ({ postedAt }) => time(postedAt)],
    ],
  });
}

const entryBadge = badgesOf<EntryView['type']>({
  entry: 'quiet',
  reversal: 'warn',
  correction: 'info',
  change: 'info',
});

/** Kinds that entries come from and that have a page. */
const linked = ['payment_intent', 'payin', 'payout', 'transaction', 'balance'] as const;

const entryColumns: readonly Column<EntryView>[] = [
  ['Entry', (entry) => entryId(entry.id)],
  [
    'Date',
    ({ date, adjusts }) => (adjusts === null ? oneLine(date) : list([oneLine(date), quiet(`belongs to ${adjusts}`)])),
  ],
  [
    'What',
    ({ type, description }) => (type === 'entry' ? text(description) : list([entryBadge(type), text(description)])),
  ],
  ['Made of', ({ recordKind, recordId }) => recordOf(recordKind, recordId)],
  ['Lines', ({ lines }) => stack(lines.map(lineOf)), 'wide'],
];

const entryId = (entry: string): Value => id(entry, `/ledger/${inPath(entry)}`);

/** What an entry comes from, and where it is shown: openings and the like are about the balance of an asset. */
function recordOf(kind: string, name: string): Value {
  const known = kind === 'opening' || kind === 'placement' ? 'balance' : linked.find((one) => one === kind);
  return list([quiet(kindWord(kind)), id(name, known === undefined ? undefined : entityHref(known, name))]);
}

function lineOf({ account, assetCode, amount: sum, memo }: EntryLineView): Value {
  return list([text(memo ? `${account} (memo)` : account), amount(sum, assetCode)]);
}
