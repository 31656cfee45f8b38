import { roundedValue, sumExactValues } from '../../domain/books/fiat-report.js';
import { todayIn } from '../../domain/books/match/ageing.js';
import {
  type MatchState,
  type MatchTotals,
  type MatchView,
  matchReasons,
  matchStates,
} from '../../domain/books/match/match-shapes.js';
import { words } from '../../domain/in-words.js';
import { sumAmounts } from '../../domain/money.js';
import { unprovenBalances } from '../../records/balances/balance-proofs.js';
import { listMatches, matchSummary } from '../../records/books/match/list-matches.js';
import { matchBehind } from '../../records/books/match/match-progress.js';
import { matchQuery } from '../match-query.js';
import type { Page, PageDeps, PageRequest } from '../page.js';
import { ageColumns, ages, ageWords } from '../view/age-columns.js';
import { orderHref, withQuery } from '../view/links.js';
import { entityValue } from '../view/record-words.js';
import { calm, filters, listTable, notice, options, type Section, type TableSection, table } from '../view/sections.js';
import { ago, amount, badgesOf, count, id, link, none, stack, text, type Value } from '../view/values.js';

/** Posting and matching take a minute at most; what is older waits for something. */
const LATE_MS = 300_000;

export const match: Page = {
  path: '/match',
  title: 'Match',
  group: 'Books',
  list: { rows: matchRows },
  filters: [
    { name: 'id', label: 'Order, or ID', hint: 'the whole of it' },
    { name: 'state', label: 'State', options: options([...matchStates, 'any', 'open'], words) },
    { name: 'age', label: 'Age in days', options: options(ages, ageWords) },
    { name: 'assetCode', label: 'Asset', hint: 'the whole code' },
    { name: 'reason', label: 'Why', options: options(matchReasons, words) },
  ],
  load: async (deps, req) => {
    const { db, now, books } = deps;
    const { id: named } = req.filters;
    const { timeZone, currency } = books;
    const [rows, summary, behind, unproven] = await Promise.all([
      matchRows(deps, req),
      matchSummary(db, { today: todayIn(timeZone, now()) }),
      matchBehind(db),
      unprovenBalances(db),
    ]);
    return {
      intro:
        'What was asked, what was paid, and what moved the balance and is booked: for each order, and each invoice or payment that belongs to none.',
      sections: [
        ...behindNotice(behind, now()),
        ...unprovenNotice(unproven),
        // Who asks for one wants no sums.
        ...(named === undefined ? [countsOf(summary)] : []),
        filtersOf(req),
        rows,
        ...calm('the sums by asset', named === undefined ? [ageingOf(summary), amountsOf(summary, currency)] : []),
      ],
    };
  },
};

function behindNotice(behind: string | null, now: Date): Section[] {
  if (behind === null || now.getTime() - Date.parse(behind) < LATE_MS) return [];
  const since = behind.replace('T', ' ').slice(0, 19);
  const text = `Changes since ${since} UTC are not matched yet. A scheduler posts and matches once a minute: is one at work?`;
  return [notice('warn', 'What is shown here is not the newest', text, { text: 'Doctor', href: '/doctor' })];
}

function unprovenNotice(unproven: readonly { assetCode: string; why: string }[]): Section[] {
  if (unproven.length === 0) return [];
  const reasons = unproven.map(({ assetCode, why }) => `${assetCode}: ${why}`).join('. ');
  const text = `Of these assets matched means that the books agree with the payments, not that the money is there. ${reasons}.`;
  return [notice('warn', 'Not every balance is proven', text, { text: 'Balances', href: '/balances' })];
}

const hrefOf = (query: Readonly<Record<string, string>>): string => withQuery('/match', query);

/** Every match once, by state and age; each number is the way to its list. */
function countsOf({ counts }: MatchTotals): Section {
  const own = (state: string) => counts.filter((one) => one.state === state);
  return table(
    matchStates.filter((state) => own(state).length > 0),
    {
      caption: 'How many, by age in days',
      onPhone: 'matrix',
      columns: [
        ['State', matchBadge],
        ...ageColumns(own, (state, some, query) => {
          const n = some.reduce((sum, { matches }) => sum + matches, 0);
          return n === 0 ? none() : link(String(n), hrefOf({ state, ...query }));
        }),
      ],
      empty: ['Nothing is matched yet', 'Orders are matched once the balances were read and the books are open.'],
    },
  );
}

/** What of all that is not matched was asked for, by how long it waits; each sum is the way to its list. */
function ageingOf({ amounts }: MatchTotals): Section {
  const open = amounts.filter(({ state }) => state !== 'matched');
  const own = (assetCode: string) => open.filter(({ code }) => code === assetCode);
  const weight = (assetCode: string) => own(assetCode).reduce((sum, { matches }) => sum + matches, 0);
  const codes = [...new Set(open.map(({ code }) => code))].sort((a, b) => weight(b) - weight(a));
  return table(codes, {
    caption: 'Asked for and not matched, by age in days: the most orders first',
    columns: [
      ['Asset', (code) => text(code)],
      ...ageColumns(own, (assetCode, some, query) =>
        some.length === 0 ? none() : link(sumAmounts(some.map(({ asked }) => asked)), hrefOf({ assetCode, ...query })),
      ),
    ],
    empty: ['Nothing waits', 'Nothing that is not matched has an amount.'],
  });
}

/** Sums by asset; what is asked for and not paid stands in the currency that it is asked for in. */
function amountsOf({ amounts }: MatchTotals, currency: string): Section {
  const keys = new Map(amounts.map(({ code, state }) => [JSON.stringify([code, state]), { code, state }]));
  const rows = [...keys.values()].map(({ code, state }) => {
    const own = amounts.filter((one) => one.code === code && one.state === state);
    const total = (of: 'matches' | 'unpriced') => own.reduce((sum, one) => sum + one[of], 0);
    return { code, state, own, matches: total('matches'), unpriced: total('unpriced') };
  });
  const sum = (side: 'asked' | 'paid' | 'returned' | 'booked') => (row: (typeof rows)[number]) =>
    amount(sumAmounts(row.own.map((one) => one[side])));
  return table(
    rows.toSorted((a, b) => matchStates.indexOf(b.state) - matchStates.indexOf(a.state)),
    {
      caption: 'The three sides, by asset: what is not matched first',
      columns: [
        ['Asset', ({ code }) => text(code)],
        ['State', ({ state }) => matchBadge(state)],
        ['Orders', ({ matches, state, code }) => link(String(matches), hrefOf({ state, assetCode: code })), 'end'],
        ['Asked', sum('asked'), 'end'],
        ['Paid', sum('paid'), 'end'],
        ['Given back', sum('returned'), 'end'],
        ['Booked', sum('booked'), 'end'],
        [`Worth in ${currency}`, (item) => worthOf(item, currency), 'end'],
        ['Lines not priced', ({ unpriced }) => count(unpriced === 0 ? null : unpriced), 'end'],
      ],
      empty: ['No amounts yet', 'They appear with the first request or payment.'],
    },
  );
}

/** Where no line is priced there is no worth: zero would be a claim. */
function worthOf({ own, unpriced }: { own: readonly { value: string }[]; unpriced: number }, currency: string): Value {
  const worth = roundedValue(sumExactValues(own.map(({ value }) => value)), currency);
  return unpriced > 0 && /^-?0(\.0+)?$/.test(worth) ? none('not priced') : text(worth);
}

function filtersOf(req: PageRequest): Section {
  const { id: named, state = '' } = req.filters;
  const shown = {
    value: state === 'open' ? '' : state,
    options: [...options(matchStates, words), { value: 'any', text: 'any' }],
    all: named === undefined ? 'not matched' : 'any',
  };
  return filters(req, { changes: { state: shown } });
}

async function matchRows({ db, now, books: { timeZone } }: PageDeps, req: PageRequest): Promise<TableSection> {
  const { id: named, ...narrowed } = req.filters;
  // Who names one wants to see it whatever its state.
  const { state = named === undefined ? 'open' : 'any', ...others } = narrowed;
  const query = matchQuery({
    ...others,
    ...(named === undefined ? {} : { id: named }),
    ...(state === 'any' ? {} : { state }),
  });
  const page = await listMatches(db, { ...query, ...req.slice }, { today: todayIn(timeZone, now()), timeZone });
  return listTable(req, page, {
    caption: 'Orders, invoices and payments, newest first',
    columns: [
      ['Order, or record', (item) => (item.kind === 'order' ? id(item.id, orderHref(item.id)) : entityValue(item))],
      ['State', ({ state }) => matchBadge(state)],
      ['Why', ({ reasons }) => stack(reasons.map(({ told }) => text(told)))],
      ['Asked', (item) => sideOf(item, 'asked'), 'end'],
      ['Paid', (item) => sideOf(item, 'paid'), 'end'],
      ['Booked', (item) => sideOf(item, 'booked'), 'end'],
      ['Since', ({ openedAt }) => ago(openedAt)],
    ],
    unfit: ['None fits', 'Clear the filters to see all that is not matched.'],
    empty: [
      'Nothing is unmatched',
      'Of what is matched so far all three sides agree. The tables above say how much that is.',
    ],
  });
}

export const matchBadge = badgesOf<MatchState>({ matched: 'good', partly_matched: 'warn', unmatched: 'bad' });

/** What was asked, paid or booked of it, in each asset. */
export function sideOf({ amounts }: MatchView, side: 'asked' | 'paid' | 'booked'): Value {
  return stack(amounts.flatMap((one) => (one[side] === '0' ? [] : [amount(one[side], one.code)])));
}
