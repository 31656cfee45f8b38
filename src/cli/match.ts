import { type Command, Option } from 'commander';
import { type AgeBucket, ageBuckets } from '../domain/age-buckets.js';
import { roundedValue } from '../domain/books/fiat-report.js';
import { todayIn } from '../domain/books/match/ageing.js';
import {
  type MatchReason,
  type MatchState,
  type MatchTotals,
  type MatchView,
  matchReasons,
  matchStates,
} from '../domain/books/match/match-shapes.js';
import { words } from '../domain/in-words.js';
import { UsageError } from '../errors.js';
import { matchAsOf } from '../finance/match-as-of.js';
import { unprovenBalances } from '../records/balances/balance-proofs.js';
import { listMatches, type MatchFilters, matchSummary } from '../records/books/match/list-matches.js';
import { matchBehind } from '../records/books/match/match-progress.js';
import { defaultTake, type PageQuery } from '../records/database/paging.js';
import { day, type Flags, listFlags } from './arguments.js';
import { type Columns, printJson, printList, printNote } from './print.js';
import { withStore } from './with-store.js';

interface MatchFlags extends Flags, PageQuery {
  asOf?: string;
  state?: MatchState;
  age?: AgeBucket;
  asset?: string;
  reason?: MatchReason;
}

interface Report {
  /** The day of the books' zone on which it is so. */
  asOf: string;
  currency: string;
  summary: MatchTotals;
  /** Assets whose balance is not proven: that the books agree says less of them. */
  unproven: { assetCode: string; why: string }[];
  /** Since when changes wait to be matched; null: none does. */
  behindSince: string | null;
  items: MatchView[];
  nextCursor: string | null;
  /** More that fit, and are not among the items. */
  left?: number;
}

export function define(command: Command): void {
  listFlags(command)
    .option('--as-of <date>', 'as it was on a day such as 2026-10-31, as far as is known now', day)
    .addOption(new Option('--state <state>', 'left out: all that is not matched').choices(matchStates))
    .addOption(new Option('--age <days>', 'how long it waits').choices(Object.keys(ageBuckets)))
    .option('--asset <code>', 'only with this asset, or currency of what is not paid')
    .addOption(new Option('--reason <reason>', 'why').choices(matchReasons))
    .action(showMatch);
}

async function showMatch({ json = false, ...flags }: MatchFlags): Promise<void> {
  const report = await withStore(async ({ db, zone, contract }): Promise<Report> => {
    const today = todayIn(zone.timeZone, new Date());
    const { state, age, asset: assetCode, reason } = flags;
    const filters: MatchFilters = { state, open: state === undefined, age, assetCode, reason };
    const about = { unproven: await unprovenBalances(db), behindSince: await matchBehind(db) };
    const asOf = flags.asOf ?? today;
    if (asOf > today) throw new UsageError(`${asOf} is still to come.`);
    if (asOf < today) {
      if (flags.cursor !== undefined)
        throw new UsageError('--cursor goes on in the match of today, not of another day.');
      const most = flags.take ?? defaultTake;
      const { words } = (await contract()).movements;
      const asked = { ...zone, payoutWords: words.payoutType, day: asOf, filters, most };
      const found = await matchAsOf(db, asked);
      return { asOf, currency: zone.currency, ...about, ...found, nextCursor: null };
    }
    const summary = await matchSummary(db, { today });
    const { take, cursor } = flags;
    const page = await listMatches(db, { ...filters, take, cursor }, { today, timeZone: zone.timeZone });
    return { asOf, currency: zone.currency, ...about, summary, ...page };
  });
  if (json) printJson(report);
  else print(report);
}

function print(report: Report): void {
  const { asOf, currency, summary, unproven, behindSince, items, nextCursor, left = 0 } = report;
  printList({ items: summary.counts }, false, countColumns);
  printList({ items: summary.amounts }, false, amountColumns(currency));
  printList({ items, nextCursor }, false, columns);
  const notes = [
    `as of ${asOf}`,
    ...(left > 0 ? [`${left} more: --take`] : []),
    ...unproven.map(({ assetCode, why }) => `the balance of ${assetCode} is not proven: ${why}`),
    ...(behindSince === null ? [] : [`changes since ${behindSince} are not matched yet`]),
  ];
  for (const note of notes) printNote(note);
}

const countColumns: Columns<MatchTotals['counts'][number]> = {
  state: (item) => words(item.state),
  'age in days': 'age',
  orders: 'matches',
};

const amountColumns = (currency: string): Columns<MatchTotals['amounts'][number]> => ({
  asset: 'code',
  state: (item) => words(item.state),
  'age in days': 'age',
  orders: 'matches',
  asked: 'asked',
  paid: 'paid',
  'given back': 'returned',
  booked: 'booked',
  [`booked in ${currency}`]: (item) => roundedValue(item.value, currency),
  'not priced': 'unpriced',
});

const columns: Columns<MatchView> = {
  order: 'id',
  kind: (item) => words(item.kind),
  state: (item) => words(item.state),
  'age in days': 'age',
  why: (item) => item.reasons.map(({ told }) => told).join('; '),
};
