import { type IncomeStatement, statementRows } from '../../domain/books/income-statement.js';
import { counted } from '../../domain/in-words.js';
import type { Missing, PeriodView } from '../../domain/views/books-shapes.js';
import { monthIncome } from '../../finance/exports/month-accounts.js';
import { checkPeriod } from '../../finance/periods/check-period.js';
import { getPeriod, listPeriods } from '../../records/books/periods.js';
import { closeNeverthelessAction, closePeriodAction, reopenPeriodAction } from '../actions/close-period.js';
import type { Page, PageDeps, PageRequest } from '../page.js';
import { breakHref, inPath, periodHref } from '../view/links.js';
import {
  type ActionButton,
  type Facts,
  factsPanel,
  filters,
  listTable,
  notice,
  options,
  type Section,
  type TableSection,
  table,
  withQuery,
} from '../view/sections.js';
import { ago, badge, count, id, link, list, money, none, quiet, text, type Value } from '../view/values.js';
import { waitingAbout } from './decisions.js';

export const periods: Page = {
  path: '/periods',
  title: 'Periods',
  group: 'Books',
  list: { rows: monthRows, days: 'books' },
  filters: ['status'],
  load: async (deps, req) => ({
    intro: 'The months of the books. A closed one never changes: what changes later stands in the next.',
    sections: [
      filters(req, [{ name: 'status', label: 'State', options: options(['open', 'closed']) }]),
      await monthRows(deps, req),
    ],
  }),
};

async function monthRows({ db }: PageDeps, req: PageRequest): Promise<TableSection> {
  const { status, from: fromDay, to: toDay } = req.filters;
  return listTable(req, await listPeriods(db, { status, fromDay, toDay, ...req.slice }), {
    caption: 'Months, newest first',
    columns: [
      ['Month', ({ month }) => link(month, periodHref(month))],
      ['State', periodBadge],
      ['Entries', ({ entries }) => count(entries), 'end'],
      ['Closed', ({ status, closedAt }) => (status === 'open' ? none() : ago(closedAt))],
      ['By', (one) => text(one.status === 'open' ? null : closersOf(one))],
      ['Files', ({ files }) => count(files.length === 0 ? null : files.length), 'end'],
      ['Why', ({ reason }) => text(reason)],
    ],
    unfit: ['No month fits', 'A month is shown where one of its days is within those asked for.'],
    empty: [
      'Nothing is posted yet',
      'Months appear with their first entry: once a balance was read, and what moved it.',
    ],
  });
}

function periodBadge({ status, exceptions }: PeriodView): Value {
  if (exceptions.length > 0) return badge('closed with exceptions', 'warn');
  return badge(status, status === 'closed' ? 'good' : 'info');
}

/** Who asked for the closing, and who approved it. */
function closersOf({ closedBy, approvedBy }: PeriodView): string {
  return approvedBy === null ? (closedBy ?? '') : `${closedBy}, approved by ${approvedBy}`;
}

/** What has to hold before a month is closed, and what is to be done where it does not. */
interface CloseCheck {
  title: string;
  what: readonly Missing['what'][];
  next: string;
  /** While one of these is missing nobody knows whether it holds. */
  needs?: readonly Missing['what'][];
}

const closeChecks: readonly CloseCheck[] = [
  {
    title: 'Nothing sealed or closed was changed',
    what: ['seals_broken', 'books_changed'],
    next: 'Find out who changed it. The month that was changed can be reopened, and closed again.',
  },
  {
    title: 'The month is over, and those before it are closed',
    what: ['month_not_over', 'nothing_posted', 'earlier_month_open', 'already_closed'],
    next: 'Wait, or close the earlier month first. No reason makes up for this.',
  },
  {
    title: 'All that is known is posted',
    what: ['posting_behind', 'asset_not_opened'],
    next: 'Closing posts what is known; an asset is opened by the first poll of its balance.',
  },
  {
    title: 'No critical break is open or acknowledged, but for those of balances',
    what: ['critical_break'],
    next: 'Look into each, fix it, resolve it or write it off.',
  },
  {
    title: 'All lists were read to the month’s end',
    what: ['kind_unproven'],
    next: 'Start a run of the kind, with Runs or reconcile.',
  },
  {
    title: 'Every balance is proven, and the books end the month with what the service held',
    what: ['balance_unproven', 'closing_differs'],
    needs: ['posting_behind', 'asset_not_opened', 'kind_unproven'],
    next: 'Attribute what no list shows, such as a settlement, with its day. What is booked in a later month stays there: with a reason the month is closed without it.',
  },
  {
    title: 'The books are what the records and the proofs of balances come to',
    what: ['books_differ'],
    next: 'An entry was made past the program: Audit and Ledger show it.',
  },
  {
    title: 'Every line has a value',
    what: ['unpriced_lines'],
    next: 'Give the rates of those days: tallyhook books rates import FILE.',
  },
  {
    title: 'The money of its settlements arrived',
    what: ['settlement_open'],
    next: 'Look at the bank’s statement, and mark what arrived on the page Settlements.',
  },
  {
    title: 'The rates that were given are near what else is known',
    what: ['rate_far'],
    next: 'Give the right ones: tallyhook books rates import FILE. Where they are right, say so in the reason.',
  },
  {
    title: 'Payments are booked for about what was asked in money',
    what: ['value_differs'],
    next: 'The rate of the day is wrong, or the request was. Look at the payment and at the entry’s rate.',
  },
];

export const period: Page = {
  path: '/periods/:month',
  title: 'Period',
  load: async (deps, req) => {
    const { db, books, now } = deps;
    const found = await getPeriod(db, req.params['month'] ?? '');
    if (found === null) return null;
    const { month, status } = found;
    const check = status === 'open' ? await checkPeriod(db, month, { ...books, now: now() }) : null;
    const missing = check?.missing ?? [];
    return {
      title: month,
      badges: [periodBadge(found)],
      crumbs: [{ text: 'Periods', href: '/periods' }],
      actions: buttonsOf(found, missing, req),
      sections: [
        ...(await waitingAbout(deps, `period ${month}`)),
        ...(status === 'open' ? checklist(missing) : [...exceptionsOf(found), filesOf(found)]),
        ...incomeOf(await monthIncome(db, { month, ...books }, await books.chart()), books.currency),
        factsPanel('The month', [
          ...factsOf(found),
          ...(check === null ? [] : [['Posted until', ago(check.postedUntil, 'nothing is posted')] as const]),
        ]),
      ],
    };
  },
};

function buttonsOf({ month, status }: PeriodView, missing: Missing[], req: PageRequest): (ActionButton | null)[] {
  if (status === 'closed') return [req.button(reopenPeriodAction, { month })];
  if (missing.some(({ byReason }) => !byReason)) return [];
  return [req.button(missing.length === 0 ? closePeriodAction : closeNeverthelessAction, { month })];
}

function checklist(missing: Missing[]): Section[] {
  const never = missing.some(({ byReason }) => !byReason);
  return [
    verdict(missing.length, never),
    table(
      closeChecks
        .map(({ what, needs = [], ...check }) => ({
          ...check,
          own: missing.filter((one) => what.includes(one.what)),
          isKnown: !missing.some((one) => needs.includes(one.what)),
        }))
        // What is missing stands first.
        .toSorted((a, b) => Number(a.own.length === 0) - Number(b.own.length === 0)),
      {
        caption: 'Before it is closed',
        onPhone: 'brief',
        columns: [
          ['Check', ({ title, next, own }) => (own.length === 0 ? text(title) : list([text(title), quiet(next)]))],
          ['State', ({ own, isKnown }) => checkBadge(own, isKnown)],
          ['What is missing', ({ own, isKnown }) => missingList(own, isKnown)],
        ],
      },
    ),
  ];
}

function verdict(missing: number, never: boolean): Section {
  if (missing === 0) {
    const text = 'All that the books are made of was read and proven to the month’s end.';
    return notice('good', 'Nothing is missing: it may be closed', text);
  }
  const title = `${counted(missing, 'thing')} ${missing === 1 ? 'is' : 'are'} missing`;
  const text = never
    ? 'It can’t be closed yet, whatever the reason.'
    : 'Finance may close it nevertheless, with a reason that is kept.';
  return notice('warn', title, text);
}

function checkBadge(own: readonly Missing[], isKnown: boolean): Value {
  if (own.length === 0) return isKnown ? badge('holds', 'good') : badge('not known', 'warn');
  return badge('missing', own.some(({ byReason }) => !byReason) ? 'bad' : 'warn');
}

/** So many of one check are shown. */
const SHOWN = 20;

function missingList(own: readonly Missing[], isKnown: boolean): Value {
  const reasons = own.slice(0, SHOWN).map((one) => {
    const href = missingHref(one);
    return href === null ? text(one.told) : link(one.told, href);
  });
  const more = own.length > SHOWN ? [text(`… and ${own.length - SHOWN} more`)] : [];
  return list([...reasons, ...more], isKnown ? '–' : 'known once what is missing above is posted and read');
}

/** Where what is missing is shown. */
function missingHref({ what, of }: Missing): string | null {
  if (of === null) return null;
  if (what === 'critical_break' || what === 'settlement_open') return breakHref(of);
  if (what === 'kind_unproven') return `/runs?kind=${inPath(of)}`;
  if (what === 'balance_unproven' || what === 'closing_differs' || what === 'asset_not_opened')
    return `/balances/${inPath(of)}`;
  if (what === 'rate_far') return withQuery('/ledger', { assetCode: of });
  if (what === 'value_differs') return withQuery('/match', { id: of });
  if (what === 'unpriced_lines') return `/ledger/${inPath(of)}`;
  if (what === 'books_changed') return periodHref(of);
  return what === 'earlier_month_open' ? periodHref(of) : null;
}

/** By the definition of the files: each month rounded once an account. */
function incomeOf(statement: IncomeStatement, currency: string): Section[] {
  const { income, expenses, from, unpriced } = statement;
  if (income.length + expenses.length + unpriced === 0) return [];
  const left = unpriced === 0 ? '' : `; ${counted(unpriced, 'line')} without a rate left out`;
  return [
    table(statementRows(statement), {
      caption: `Income statement in ${currency}${left}`,
      showCaption: true,
      columns: [
        ['Account', ({ name, isTotal }) => (isTotal ? badge(name, 'quiet') : text(name))],
        ['Month', (row) => money(row.month, currency), 'end'],
        [`Year since ${from}`, (row) => money(row.year, currency), 'end'],
      ],
    }),
  ];
}

function exceptionsOf({ exceptions }: PeriodView): Section[] {
  if (exceptions.length === 0) return [];
  return [
    table(exceptions, {
      caption: `Closed with ${counted(exceptions.length, 'exception')}: what was missing then`,
      columns: [['What was missing', (told) => text(told)]],
    }),
  ];
}

function filesOf({ month, files }: PeriodView): Section {
  return table(files, {
    caption: 'Its files, as they were stored when it was closed',
    columns: [
      ['File', ({ name }) => link(name, `${periodHref(month)}/files/${inPath(name)}`)],
      ['Format', ({ format }) => text(format)],
      ['Bytes', ({ bytes }) => count(bytes), 'end'],
      ['SHA-256', ({ sha256 }) => id(sha256)],
    ],
    empty: ['No files are stored', 'They are stored when the month is closed.'],
  });
}

function factsOf(found: PeriodView): Facts {
  const { entries, closings, closedAt, reason, reopenedAt, reopenedBy } = found;
  return [
    ['Entries', count(entries)],
    ['Closed so far', text(counted(closings, 'time'))],
    ['Last closed', closedAt === null ? none('never') : list([ago(closedAt), text(closersOf(found))])],
    ['Last reopened', reopenedAt === null ? none('never') : list([ago(reopenedAt), text(reopenedBy ?? '')])],
    ['Reason', text(reason, closings === 0 ? '–' : 'none was needed')],
  ];
}
