import { z } from 'zod';
import { isPerSubWallet } from '../../domain/books/chart.js';
import { fiatReport } from '../../domain/books/fiat-report.js';
import { incomeStatement } from '../../domain/books/income-statement.js';
import { monthAfter } from '../../domain/books/posting-month.js';
import { ratesByAsset } from '../../domain/books/rate-effects.js';
import { grouped } from '../../domain/grouped.js';
import { counted, shortened, words } from '../../domain/in-words.js';
import type { Missing } from '../../domain/views/books-shapes.js';
import { accountValues, keptTotals } from '../../records/books/account-totals.js';
import { ratesInUse } from '../../records/books/given-rates.js';
import { spanOf } from '../../records/books/month-query.js';
import { standingBreaks } from '../../records/books/period-facts.js';
import { getPeriod } from '../../records/books/periods.js';
import { breakFacts } from '../../records/breaks/decide-breaks.js';
import { doubtedIncome } from '../exports/standing.js';
import {
  closeIn,
  mayClose,
  missingToClose,
  type ReadyToClose,
  readyToClose,
  sealClosing,
} from '../periods/close-period.js';
import { reopenPeriod, whyNotReopened } from '../periods/reopen-period.js';
import { asIs, type DecisionKind } from './decision-kind.js';

const month = z.strictObject({ month: z.string().regex(/^\d{4}-(0[1-9]|1[0-2])$/, 'takes a month such as 2026-10') });
const subject = ({ month: of }: z.output<typeof month>) => `period ${of}`;

export const closing: DecisionKind<z.output<typeof month>, ReadyToClose> = {
  input: month,
  subject,
  prepare: readyToClose,
  look: async (trx, { month: of }, { ready, reason }) => {
    const missing = await missingToClose(trx, ready, of);
    if (!mayClose(missing, reason)) return { why: `${of} stays open: ${missing.map(({ told }) => told).join('; ')}` };
    const totals = await keptTotals(trx, of);
    const values = await accountValues(trx, of, ready.currency);
    const { critical, ofBalances } = await standingBreaks(trx);
    const breaks = await breakFacts(
      trx,
      [...critical, ...ofBalances].map(({ id }) => id),
    );
    const evidence = breaks.map(({ id, severity, evidence: both }) => [id, severity, both]);
    const kinds = new Map(critical.map(({ id, kind }) => [id, kind]));
    const { currency, chart } = ready;
    const doubted = await doubtedIncome(trx, { month: of, currency });
    const rates = ratesByAsset(await ratesInUse(trx, of, currency)).map((text) => `Rates that finance gave, ${text}`);
    const about = [...(doubted === null ? [] : [doubted]), ...shortened(rates)];
    const entries = { count: (await getPeriod(trx, of))?.entries ?? 0, ...(await spanOf(trx, of)) };
    const would = { missing, kinds, totals, values, month: of, currency, chart, about, entries };
    const preview = closingPreview(of, would);
    return {
      facts: [missing, evidence, totals, values],
      preview,
      apply: async (nested, by) => {
        const done = (await closeIn(nested, ready, { month: of, ...by }, { missing, doubted })).outcome === 'closed';
        return { done, message: done ? `${of} is closed.` : `${of} stays open.` };
      },
    };
  },
  afterwards: async (deps) => {
    const head = await sealClosing(deps);
    return head === null ? '' : ` Keep the head of the seals outside: ${head.number}:${head.hash}.`;
  },
};

export const reopening: DecisionKind<z.output<typeof month>> = {
  input: month,
  subject,
  prepare: asIs,
  look: async (trx, { month: of }, { reason }) => {
    const why = await whyNotReopened(trx, { month: of, reason });
    const found = await getPeriod(trx, of);
    if (why !== null || found === null) return { why: `${of} stays as it is: ${why ?? 'it is not in the books'}` };
    const { closings, closedAt, closedBy, entries, files } = found;
    return {
      facts: [closings, closedAt],
      preview: [
        `${of} would take entries again: it has ${counted(entries, 'entry', 'entries')}.`,
        `Closed ${counted(closings, 'time')}, last ${closedAt} by ${closedBy}. Its ${counted(files.length, 'file')} are kept.`,
      ],
      apply: async (nested, by) => {
        const result = await reopenPeriod(nested, { month: of, ...by });
        if (result.outcome === 'refused') return { done: false, message: `${of} stays as it is: ${result.why}.` };
        return { done: true, message: `${of} is open again.` };
      },
    };
  },
};

/** So many exceptions that are no break of a kind are listed. */
const MOST_EXCEPTIONS = 200;
/** So many breaks of a kind are numbered. */
const MOST_NUMBERED = 10;

interface WouldClose {
  missing: readonly Missing[];
  /** Of each critical break. */
  kinds: ReadonlyMap<string, string>;
  totals: Awaited<ReturnType<typeof keptTotals>>;
  values: Awaited<ReturnType<typeof accountValues>>;
  month: string;
  currency: string;
  chart: ReadyToClose['chart'];
  /** What is to be known of its income and rates, in sentences. */
  about: readonly string[];
  /** `last`: the id of the newest. */
  entries: { count: number; last: string | null };
}

/** However many breaks and sub-wallets there are, all else is in it: first what is known to be wrong with money, then what is not proven. */
function closingPreview(of: string, would: WouldClose): string[] {
  const { missing, kinds, entries } = would;
  const kindOf = (one: Missing) => (one.what === 'critical_break' ? (kinds.get(one.of ?? '') ?? null) : null);
  const { ofWallets, others } = totalLines(would);
  const byKind = [...grouped(missing, kindOf)].filter(([kind]) => kind !== null);
  return [
    `${of} would be closed ${missing.length === 0 ? 'without exceptions' : `with ${counted(missing.length, 'exception')}`}.`,
    ...byKind.map(([kind, some]) => breaksLine(words(kind ?? ''), some)),
    ...shortened(
      missing
        .filter((one) => kindOf(one) === null)
        .sort((a, b) => rankOf(a) - rankOf(b))
        .map(({ told }) => `Exception: ${told}`),
      MOST_EXCEPTIONS,
    ),
    ...others,
    ...shortened(ofWallets),
    `Entries: ${entries.count}, the newest of them ${entries.last}.`,
    `It takes no entry any more: what changes later is booked in ${monthAfter(of)}. Its files are kept, with their hashes.`,
  ];
}

const moneyFirst: readonly Missing['what'][] = [
  'value_differs',
  'rate_far',
  'settlement_open',
  'unpriced_lines',
  'books_differ',
];

function rankOf({ what }: Missing): number {
  const rank = moneyFirst.indexOf(what);
  return rank === -1 ? moneyFirst.length : rank;
}

function breaksLine(kind: string, [first, ...others]: readonly Missing[]): string {
  if (others.length === 0) return `Exception: ${first?.told}`;
  const numbers = others.slice(0, MOST_NUMBERED - 1).map(({ of }) => of);
  const more = others.length - numbers.length;
  const rest = more > 0 ? ` and ${more} more` : '';
  return `Exceptions: ${others.length + 1} critical breaks of one kind, ${kind}: ${[first?.of, ...numbers].join(', ')}${rest}`;
}

/** What each account comes to in money, rounded once, those of one sub-wallet apart; units are on the page Ledger. */
function totalLines(would: WouldClose): { ofWallets: string[]; others: string[] } {
  const { totals, values, currency } = would;
  const { accounts, total, residual, unpriced } = fiatReport(values, currency);
  const moved = grouped(
    totals.filter(({ activity }) => activity !== '0'),
    ({ account }) => account,
  );
  const worth = new Map(accounts.map(({ account, value }) => [account, `${value} ${currency} in the month`]));
  const lineOf = (account: string) =>
    `${account}: ${worth.get(account) ?? 'no rate is known'}, ${counted(moved.get(account)?.length ?? 0, 'asset')}`;
  const named = [...moved.keys()];
  return {
    ofWallets: named.filter(isPerSubWallet).map(lineOf),
    others: [
      resultOf(would),
      ...would.about,
      ...named.filter((account) => !isPerSubWallet(account)).map(lineOf),
      `All accounts: ${total} ${currency}, of which rounding ${residual}.`,
      ...(unpriced === 0 ? [] : [`${counted(unpriced, 'line')} without a rate: in none of these values.`]),
    ],
  };
}

function resultOf({ month, values, currency, chart }: WouldClose): string {
  const { income, expenses, result } = incomeStatement(values, { month, currency, chart }).totals;
  const shown = (sums: { month: string }) => `${sums.month} ${currency}`;
  return `Result of the month: income ${shown(income)}, expenses ${shown(expenses)}, so ${shown(result)}.`;
}
