import type { Money } from '../family/money.js';
import { grouped, groupedPairs } from '../grouped.js';
import { compareAmounts, multiplyAmounts, sumAmounts } from '../money.js';
import { compareText } from '../record-state.js';
import type { BreakKind } from './breaks.js';
import { type Severity, severities } from './findings.js';

/** Breaks of one kind and severity that are about one and the same money, or about none that is known. */
export interface MoneyOfBreak {
  kind: BreakKind;
  severity: Severity;
  breaks: number;
  /** Those of them that somebody acknowledged, or was assigned. */
  inHand?: number;
  oldestSeconds: number;
  /** The record whose money it is, as `kind id`: of a payin, an invoice and an order their payment. */
  subject: string;
  /** Null: no record says how much. */
  money: Money | null;
}

/** All that nobody has closed of one kind and severity. */
export interface OpenBreaks {
  kind: BreakKind;
  severity: Severity;
  count: number;
  /** Those of them that somebody acknowledged, or was assigned: they are not closed, and count. */
  inHand?: number;
  oldestSeconds: number;
  /** What is known of the amounts, a sum for each asset; each money is in one line alone. */
  money: readonly Money[];
  /** Kinds in whose lines money stands that these are about too. */
  countedWith?: readonly BreakKind[];
  /** All of it by the newest rates, to put in order and never shown. */
  worth?: number;
}

const CENTS = 2;

/** Of one unit, by asset, as decimal strings; an asset that is not there has none. */
type Rates = ReadonlyMap<string, string>;

/**
 * A line for each kind and severity. Money that several breaks are about is in one line: that of the worst of them, of two alike
 * the first by name. Where they differ on the amount, the largest counts. The order of the given does not matter.
 */
export function linesOf(given: readonly MoneyOfBreak[], rates: Rates): OpenBreaks[] {
  const sorted = given.toSorted((a, b) => rankOf(a) - rankOf(b) || compareText(a.kind, b.kind));
  const moneys = byMoney(sorted).map((alike) => {
    const [first, ...others] = alike as [MoneyOfBreak, ...MoneyOfBreak[]];
    return { first, others, largest: largestOf(alike) };
  });
  const own = groupedPairs(moneys.map(({ first, largest }) => [lineOf(first), largest]));
  const elsewhere = groupedPairs(
    moneys.flatMap(({ first, others }) => others.map((other) => [lineOf(other), first] as const)),
  );
  return [...grouped(sorted, lineOf)].map(([line, some]) => {
    const [{ kind, severity }] = some as [MoneyOfBreak];
    const money = totalsOf(own.get(line) ?? []);
    return {
      kind,
      severity,
      count: sumOf(some.map(({ breaks }) => breaks)),
      inHand: sumOf(some.map(({ inHand = 0 }) => inHand)),
      oldestSeconds: some.reduce((oldest, { oldestSeconds }) => Math.max(oldest, oldestSeconds), 0),
      money,
      countedWith: kindsOf((elsewhere.get(line) ?? []).filter((first) => lineOf(first) !== line)),
      // What has no rate is put in order by its number.
      worth: sumOf(money.map((one) => Number(worthOf(one, rates) ?? one.amount))),
    };
  });
}

/** What breaks are about in one asset; `currency` null: of so many no record says how much. */
export interface MoneyOfBreaks {
  currency: string | null;
  breaks: number;
  /** Of each money once, however many breaks are about it. */
  amount: string | null;
  /** In US dollars to the cent, at the given rates; null: there is none. */
  worth: string | null;
}

/** The same by asset: what is worth most first, what nothing says last. */
export function moneyByAsset(given: readonly MoneyOfBreak[], rates: Rates): MoneyOfBreaks[] {
  const totals = totalsOf(byMoney(given).map(largestOf));
  const countOf = (currency: string | null) =>
    sumOf(given.flatMap(({ money, breaks }) => ((money?.currency ?? null) === currency ? breaks : [])));
  const known = totals.map(({ currency, amount }) => {
    return { currency, breaks: countOf(currency), amount, worth: worthOf({ currency, amount }, rates) };
  });
  const byWorth = known.toSorted(
    (a, b) => compareAmounts(b.worth ?? '-1', a.worth ?? '-1') || compareText(a.currency, b.currency),
  );
  const unknown = countOf(null);
  return unknown === 0 ? byWorth : [...byWorth, { currency: null, breaks: unknown, amount: null, worth: null }];
}

const rankOf = ({ severity }: MoneyOfBreak): number => severities.indexOf(severity);
const lineOf = ({ kind, severity }: MoneyOfBreak): string => `${kind} ${severity}`;
const kindsOf = (some: readonly MoneyOfBreak[]): BreakKind[] =>
  [...new Set(some.map(({ kind }) => kind))].sort(compareText);
const sumOf = (numbers: readonly number[]): number => numbers.reduce((sum, n) => sum + n, 0);

/** Of each money all that is about it. */
function byMoney(given: readonly MoneyOfBreak[]): MoneyOfBreak[][] {
  const known = given.filter(({ money }) => money !== null);
  return [...grouped(known, ({ subject, money }) => JSON.stringify([subject, money?.currency])).values()];
}

function largestOf(alike: readonly MoneyOfBreak[]): Money {
  const [first, ...others] = alike.flatMap(({ money }) => money ?? []) as [Money, ...Money[]];
  return others.reduce((most, one) => (compareAmounts(one.amount, most.amount) > 0 ? one : most), first);
}

function totalsOf(moneys: readonly Money[]): Money[] {
  return [...grouped(moneys, ({ currency }) => currency)]
    .map(([currency, some]) => ({ currency, amount: sumAmounts(some.map(({ amount }) => amount)) }))
    .toSorted((a, b) => compareText(a.currency, b.currency));
}

function worthOf({ currency, amount }: Money, rates: Rates): string | null {
  const rate = currency === 'USD' ? '1' : rates.get(currency);
  return rate === undefined ? null : multiplyAmounts(amount, rate, 'half_even', CENTS);
}
