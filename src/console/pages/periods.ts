import { roundedValue } from '../../domain/books/fiat-report.js';
import { type DoubtedIncome, type IncomeStatement, statementRows } from '../../domain/books/income-statement.js';
import { fileToFill } from '../../domain/books/rates-file.js';
import { counted, words } from '../../domain/in-words.js';
import type { Missing, PeriodView } from '../../domain/views/books-shapes.js';
import { monthIncome } from '../../finance/exports/month-accounts.js';
import { checkPeriod } from '../../finance/periods/check-period.js';
import { daysWithoutRate } from '../../records/books/given-rates.js';
import { incomeOfBreaks } from '../../records/books/period-facts.js';
import { getPeriod, listPeriods } from '../../records/books/periods.js';
import { closeNeverthelessAction, closePeriodAction, reopenPeriodAction } from '../actions/close-period.js';
import type { Page, PageDeps, PageRequest } from '../page.js';
import { inPath, periodHref, withQuery } from '../view/links.js';
import {
  type ActionButton,
  calm,
  code,
  type Facts,
  factsPanel,
  filters,
  listTable,
  options,
  type Section,
  type TableSection,
  table,
} from '../view/sections.js';
import { ago, amount, badge, count, id, link, list, money, none, oneLine, text, type Value } from '../view/values.js';
import { checklist } from './close-checks.js';
import { waitingAbout } from './decisions.js';

export const periods: Page = {
  path: '/periods',
  title: 'Periods',
  group: 'Books',
  list: { rows: monthRows, days: 'books' },
  filters: [{ name: 'status', label: 'State', options: options(['open', 'closed']) }],
  load: async (deps, req) => ({
    intro: 'The months of the books. A closed one never changes: what changes later stands in the next.',
    sections: [filters(req), await monthRows(deps, req)],
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
      actions: buttonsOf(found, missing, req),
      sections: [
        ...(await waitingAbout(deps, `period ${month}`)),
        ...(status === 'open' ? checklist(missing) : [...exceptionsOf(found), filesOf(found)]),
        ...withoutRate(status === 'open' ? await daysWithoutRate(db, { ...books, month }) : [], books.currency),
        ...calm('its income', [
          ...incomeOf(await monthIncome(db, { month, ...books }, await books.chart()), books.currency),
          ...doubtedIncomeOf(await incomeOfBreaks(db, month, books.currency), books.currency),
        ]),
        ...calm('the month', [
          factsPanel('The month', [
            ...factsOf(found),
            ...(check === null ? [] : [['Posted until', ago(check.postedUntil, 'nothing is posted')] as const]),
          ]),
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

/** So many are shown; the file has all. */
const DAYS_SHOWN = 100;

function withoutRate(days: Awaited<ReturnType<typeof daysWithoutRate>>, currency: string): Section[] {
  if (days.length === 0) return [];
  const first = days.length > DAYS_SHOWN ? `, the first ${DAYS_SHOWN} of ${days.length}` : '';
  return [
    table(days.slice(0, DAYS_SHOWN), {
      caption: `Days without a rate in ${currency}${first}`,
      showCaption: true,
      columns: [
        ['Day', ({ date }) => oneLine(date)],
        ['Asset', ({ assetCode }) => text(assetCode)],
        ['Lines that wait', ({ lines }) => count(lines), 'end'],
        ['Debits of these', ({ quantity, assetCode }) => amount(quantity, assetCode), 'end'],
      ],
    }),
    code(
      'Put these lines into a file, each with its rate at the end, and give it: tallyhook books rates import FILE',
      fileToFill(days, currency),
    ),
  ];
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

/** It keeps no month open: what is counted twice or belongs to nobody is given back or explained. */
function doubtedIncomeOf(doubted: readonly DoubtedIncome[], currency: string): Section[] {
  if (doubted.length === 0) return [];
  return [
    table(doubted, {
      caption: `Income from payments with a break that is open now, in ${currency}`,
      showCaption: true,
      columns: [
        ['Break', ({ kind }) => (kind === null ? badge('All, each payment once', 'quiet') : kindLink(kind))],
        ['Breaks', ({ breaks }) => count(breaks), 'end'],
        ['Payments', ({ payments }) => count(payments), 'end'],
        ['Income', ({ value }) => money(roundedValue(value, currency), currency), 'end'],
        ['Lines without a rate', ({ unpriced }) => count(unpriced), 'end'],
      ],
    }),
  ];
}

const kindLink = (kind: string): Value => link(words(kind), withQuery('/breaks', { kind }));

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
