import { roundedValue, sumExactValues } from '../../domain/books/fiat-report.js';
import { todayIn } from '../../domain/books/match/ageing.js';
import type { MatchTotals, MatchView } from '../../domain/books/match/match-shapes.js';
import { matchReasons, matchStates } from '../../domain/books/match/reasons.js';
import { sumAmounts } from '../../domain/money.js';
import { unprovenBalances } from '../../records/balances/balance-proofs.js';
import { listMatches, matchSummary } from '../../records/books/match/list-matches.js';
import { matchBehind } from '../../records/books/match/match-progress.js';
import { matchAges, matchQuery } from '../match-query.js';
import type { Page, PageRequest } from '../page.js';
import { paging } from '../view/links.js';
import { matchBadge, matchHref } from '../view/match-words.js';
import { kindWord } from '../view/record-words.js';
import type { Section, TableSection } from '../view/sections.js';
import { amount, count, id, link, list, none, quiet, stack, text, time, type Value, words } from '../view/values.js';

/** Posting and matching take a minute at most; what is older waits for something. */
const LATE_MS = 300_000;

export const match: Page = {
  path: '/match',
  title: 'Match',
  group: 'Books',
  filters: ['id', 'state', 'age', 'assetCode', 'reason'],
  load: async ({ db, now, books }, req) => {
    const { id: named, ...narrowed } = req.filters;
    // Who names one wants to see it whatever its state.
    const { state = named === undefined ? 'open' : 'any', ...others } = narrowed;
    const filters = matchQuery({
      ...others,
      ...(named === undefined ? {} : { id: named }),
      ...(state === 'any' ? {} : { state }),
    });
    const timeZone = books?.timeZone ?? 'UTC';
    const today = todayIn(timeZone, now());
    const [page, summary, behind, unproven] = await Promise.all([
      listMatches(db, { ...filters, cursor: req.cursor }, { today, timeZone }),
      matchSummary(db, { today }),
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
        listOf(req, page, now()),
        ...(named === undefined ? [ageingOf(summary), amountsOf(summary, books?.currency)] : []),
      ],
    };
  },
};

function behindNotice(behind: string | null, now: Date): Section[] {
  if (behind === null || now.getTime() - Date.parse(behind) < LATE_MS) return [];
  const since = behind.replace('T', ' ').slice(0, 19);
  return [
    {
      is: 'notice',
      tone: 'warn',
      title: 'What is shown here is not the newest',
      text: `Changes since ${since} UTC are not matched yet. A scheduler posts and matches once a minute: is one at work?`,
      link: { text: 'Doctor', href: '/doctor' },
    },
  ];
}

function unprovenNotice(unproven: readonly { assetCode: string; why: string }[]): Section[] {
  if (unproven.length === 0) return [];
  const reasons = unproven.map(({ assetCode, why }) => `${assetCode}: ${why}`).join('. ');
  return [
    {
      is: 'notice',
      tone: 'warn',
      title: 'Not every balance is proven',
      text: `Of these assets matched means that the books agree with the payments, not that the money is there. ${reasons}.`,
      link: { text: 'Balances', href: '/balances' },
    },
  ];
}

const ageColumns = matchAges.map((age) => ({ label: age.replace('-', '–'), align: 'end' as const }));

/** Every match once, by state and age; each number is the way to its list. */
function countsOf({ counts }: MatchTotals): Section {
  return {
    is: 'table',
    caption: 'How many, by age in days',
    showCaption: true,
    columns: [{ label: 'State' }, ...ageColumns, { label: 'All', align: 'end' }],
    rows: matchStates.flatMap((state) => {
      const own = counts.filter((one) => one.state === state);
      return own.length === 0 ? [] : [[matchBadge(state), ...countCells(own, { state })]];
    }),
    empty: {
      title: 'Nothing is matched yet',
      text: 'Orders are matched once the balances were read and the books are open.',
    },
  };
}

function countCells(
  own: readonly { age: string; matches: number }[],
  query: Readonly<Record<string, string>>,
): Value[] {
  const cell = (n: number, more: Record<string, string>) =>
    n === 0 ? none() : link(String(n), `/match?${new URLSearchParams({ ...query, ...more }).toString()}`);
  const sum = (some: readonly { matches: number }[]) => some.reduce((all, { matches }) => all + matches, 0);
  return [...matchAges.map((age) => cell(sum(own.filter((one) => one.age === age)), { age })), cell(sum(own), {})];
}

/** What of all that is not matched was asked for, by how long it waits; each sum is the way to its list. */
function ageingOf({ amounts }: MatchTotals): Section {
  const open = amounts.filter(({ state }) => state !== 'matched');
  const cell = (code: string, some: typeof open, more: Record<string, string>) =>
    some.length === 0
      ? none()
      : link(
          sumAmounts(some.map(({ asked }) => asked)),
          `/match?${new URLSearchParams({ assetCode: code, ...more }).toString()}`,
        );
  return {
    is: 'table',
    caption: 'Asked for and not matched, by age in days',
    showCaption: true,
    columns: [{ label: 'Asset' }, ...ageColumns, { label: 'All', align: 'end' }],
    rows: [...new Set(open.map(({ code }) => code))].map((code) => {
      const own = open.filter((one) => one.code === code);
      const ages = matchAges.map((age) =>
        cell(
          code,
          own.filter((one) => one.age === age),
          { age },
        ),
      );
      return [text(code), ...ages, cell(code, own, {})];
    }),
    empty: { title: 'Nothing waits', text: 'Nothing that is not matched has an amount.' },
  };
}

/** Sums by asset; what is asked for and not paid stands in the currency that it is asked for in. */
function amountsOf({ amounts }: MatchTotals, currency: string | undefined): Section {
  const keys = new Map(amounts.map(({ code, state }) => [JSON.stringify([code, state]), { code, state }]));
  return {
    is: 'table',
    caption: 'The three sides, by asset',
    showCaption: true,
    columns: [
      { label: 'Asset' },
      { label: 'State' },
      { label: 'Orders', align: 'end' },
      { label: 'Asked', align: 'end' },
      { label: 'Paid', align: 'end' },
      { label: 'Given back', align: 'end' },
      { label: 'Booked', align: 'end' },
      { label: currency === undefined ? 'Worth' : `Worth in ${currency}`, align: 'end' },
      { label: 'Lines not priced', align: 'end' },
    ],
    rows: [...keys.values()].map(({ code, state }) => {
      const own = amounts.filter((one) => one.code === code && one.state === state);
      const unpriced = own.reduce((sum, one) => sum + one.unpriced, 0);
      const matches = own.reduce((sum, one) => sum + one.matches, 0);
      return [
        text(code),
        matchBadge(state),
        link(String(matches), `/match?${new URLSearchParams({ state, assetCode: code }).toString()}`),
        ...(['asked', 'paid', 'returned', 'booked'] as const).map((side) =>
          amount(sumAmounts(own.map((one) => one[side]))),
        ),
        worthOf(
          own.map((one) => one.value),
          unpriced,
        ),
        unpriced === 0 ? none() : count(unpriced),
      ];
    }),
    empty: { title: 'No amounts yet', text: 'They appear with the first request or payment.' },
  };
}

/** Where no line is priced there is no worth: zero would be a claim. */
function worthOf(values: readonly string[], unpriced: number): Value {
  const worth = roundedValue(sumExactValues(values));
  return unpriced > 0 && /^-?0(\.0+)?$/.test(worth) ? none('not priced') : text(worth);
}

function filtersOf({ path, filters }: PageRequest): Section {
  const { id: named = '', state = '', age = '', assetCode = '', reason = '' } = filters;
  const one = (value: string) => ({ value, text: words(value) });
  return {
    is: 'filters',
    path,
    active: Object.keys(filters).length > 0,
    fields: [
      { name: 'id', label: 'Order, or ID', value: named, hint: 'the whole of it' },
      {
        name: 'state',
        label: 'State',
        value: state === 'open' ? '' : state,
        options: [...matchStates.map(one), { value: 'any', text: 'any' }],
        all: named === '' ? 'not matched' : 'any',
      },
      {
        name: 'age',
        label: 'Age in days',
        value: age,
        options: matchAges.map((value) => ({ value, text: value.replace('-', '–') })),
      },
      { name: 'assetCode', label: 'Asset', value: assetCode, hint: 'the whole code' },
      { name: 'reason', label: 'Why', value: reason, options: matchReasons.map(one) },
    ],
  };
}

function listOf(
  req: PageRequest,
  { items, nextCursor }: { items: MatchView[]; nextCursor: string | null },
  at: Date,
): TableSection {
  return {
    is: 'table',
    caption: 'Orders, invoices and payments, newest first',
    columns: [
      { label: 'Order, or record' },
      { label: 'State' },
      { label: 'Why' },
      { label: 'Asked', align: 'end' },
      { label: 'Paid', align: 'end' },
      { label: 'Booked', align: 'end' },
      { label: 'Since' },
    ],
    rows: items.map((item) => [
      item.kind === 'order'
        ? id(item.id, matchHref(item))
        : list([quiet(kindWord(item.kind)), id(item.id, matchHref(item))]),
      matchBadge(item.state),
      stack(item.reasons.map(({ told }) => text(told))),
      ...(['asked', 'paid', 'booked'] as const).map((side) =>
        stack(item.amounts.flatMap((one) => (one[side] === '0' ? [] : [amount(one[side], one.code)]))),
      ),
      time(item.openedAt, at),
    ]),
    empty:
      Object.keys(req.filters).length > 0
        ? { title: 'None fits', text: 'Clear the filters to see all that is not matched.' }
        : {
            title: 'Nothing is unmatched',
            text: 'Of what is matched so far all three sides agree. The tables above say how much that is.',
          },
    ...paging(req, nextCursor),
  };
}
