import { grouped } from '../grouped.js';
import { counted, shortened } from '../in-words.js';
import { compareAmounts, divideAmounts, multiplyAmounts, subtractAmounts, sumAmounts } from '../money.js';
import { compareText } from '../record-state.js';
import type { GivenRate } from './rates-file.js';

/** What else is known of an asset's rate on a day or shortly before; null: nothing. */
export interface KnownRates {
  /** The newest that finance gave for a day before, and that day. */
  before: { rate: string; date: string } | null;
  /** That of a payment that is booked on the day. */
  payment: string | null;
  /** The newest that the service showed that day; only where the books are in US dollars. */
  service: string | null;
  /** What payments that were asked for in the currency that day were converted at: the mean of so many. */
  paid: { mean: string; payments: number } | null;
  /** The mean of what the service showed that day, in US dollars. */
  dollars: string | null;
}

export interface ObservedRate {
  given: GivenRate;
  known: KnownRates;
}

/** Why a person should look at a rate again, or at those of an asset, or of a month. */
export interface RateDoubt {
  /** Null: of all. */
  assetCode: string | null;
  /** The first day that it is about. */
  date: string;
  /** Of the first rate that it is about. */
  line: number;
  told: string;
  /** Each names it: its line or day and asset (2026-10-20:BTC); of more than a day the month and asset, or the month. */
  names: string[];
  /** Of one day's rate. */
  isOfDay: boolean;
}

/** A mean that is further from what else is known is asked about: single payments are within two percent of the market. */
const FAR_MEAN = '0.05';
/** The same of one day: a rate is of one moment of it. */
const FAR_DAY = '0.1';
/** So many payments, or days of the service's rates, make a mean. */
const ENOUGH = 5;
/** So many are named where they are some of a month. */
const MOST_DAYS = 10;
/** So near to what the service showed in dollars, rates are dollars. */
const SAME = '0.01';
const GREATEST = '1000000000';
const DOLLAR = 'USD';

/** Rates given for an asset in a month, and what they would be by something else that is known of the same days. */
interface Compared {
  month: string;
  assetCode: string;
  by: 'payments' | 'service';
  /** What was given, and what it would be; `weight`: how many say so. */
  days: { observed: ObservedRate; rate: string; weight: number }[];
  weight: number;
  ours: string;
  theirs: string;
}

/** Whether a rate is further from another than the share; the other may be a rounded quotient. */
export function isApart(rate: string, known: string, share: string): boolean {
  const size = compareAmounts(rate, known) > 0 ? subtractAmounts(rate, known) : subtractAmounts(known, rate);
  return compareAmounts(size, multiplyAmounts(known, share, 'half_even')) > 0;
}

/**
 * Of each month the assets whose rates are wrong by more than noise, in the mean or on a day: by what payments in the currency were converted at,
 * and crosswise by what the service showed in US dollars. One sentence where all are wrong by the same factor.
 */
export function meanDoubts(all: readonly ObservedRate[]): RateDoubt[] {
  const months = [...grouped(all, ({ given }) => given.date.slice(0, 7))].sort(([a], [b]) => compareText(a, b));
  return months.flatMap(([month, own]) => doubtsOf(month, own));
}

function doubtsOf(month: string, own: readonly ObservedRate[]): RateDoubt[] {
  const worth = dollarWorth(own);
  const compared = [...grouped(own, ({ given }) => given.assetCode)]
    .sort(([a], [b]) => compareText(a, b))
    .flatMap(([, rates]) => [byPayments(month, rates), byService(month, rates, worth)])
    .filter((one) => one !== null);
  const meant = compared.filter(({ weight }) => weight >= ENOUGH);
  const far = meant.filter(({ ours, theirs }) => isApart(ours, theirs, FAR_MEAN));
  const common = inCommon(month, meant, far) ?? inDollars(month, own);
  if (common !== null) return [common];
  const first = far.filter((one) => far.find(({ assetCode }) => assetCode === one.assetCode) === one);
  const others = compared.filter(({ assetCode }) => !first.some((one) => one.assetCode === assetCode));
  const single = new Map(others.flatMap(dayDoubts).map((one) => [one.line, one]));
  return [...first.map(meanDoubt), ...single.values()];
}

/** Whether all that is known of its own day agrees with a rate, and there is such: then what was given for another day says nothing. */
export function isConfirmed({ given, known: { payment, paid, service } }: ObservedRate): boolean {
  const others = [payment, paid?.mean ?? null, service].filter((one) => one !== null);
  return others.length > 0 && others.every((one) => !isApart(given.rate, one, FAR_DAY));
}

/** Those of its days that are wrong, where the others are right; else all of them. */
function wrongDaysOf(compared: Compared): Compared {
  const isWrong = ({ observed, rate }: Compared['days'][number]) => isApart(observed.given.rate, rate, FAR_DAY);
  const right = compared.days.filter((one) => !isWrong(one));
  const wrong = compared.days.filter(isWrong);
  if (right.length === 0 || wrong.length === 0) return compared;
  const rest = ofDays(compared, right);
  return isApart(rest.ours, rest.theirs, FAR_MEAN) ? compared : ofDays(compared, wrong);
}

function ofDays(about: Pick<Compared, 'month' | 'assetCode' | 'by'>, days: Compared['days']): Compared {
  const ours = mean(days.map(({ observed, weight }) => ({ rate: observed.given.rate, weight })));
  return { ...about, days, weight: weightOf(days), ours, theirs: mean(days) };
}

/** Of which nothing is known but what was given with it: no rate of the days before, no payment, nothing to hold the service's rates against. */
export function unknownDoubts(all: readonly ObservedRate[]): RateDoubt[] {
  const months = grouped(all, ({ given }) => given.date.slice(0, 7));
  const worths = new Map([...months].map(([month, own]) => [month, dollarWorth(own)]));
  return [...grouped(all, ({ given }) => given.assetCode)].flatMap(([assetCode, rates]): RateDoubt[] => {
    const days = new Set(rates.map(({ given }) => given.date));
    const isKnown = ({ given, known: { before, payment, paid, service, dollars } }: ObservedRate) =>
      (before !== null && !days.has(before.date)) ||
      [payment, paid, service].some((one) => one !== null) ||
      (dollars !== null && (worths.get(given.date.slice(0, 7))?.(given) ?? null) !== null);
    const [first] = [...rates].sort((a, b) => compareText(a.given.date, b.given.date));
    if (first === undefined || rates.some(isKnown)) return [];
    const { date, currency, line } = first.given;
    const told = `nothing else is known of ${assetCode}: no rate of the week before ${date}, no payment asked for in ${currency}, no rate of the service to compare`;
    return [{ assetCode, date, line, told, names: [`${date.slice(0, 7)}:${assetCode}`], isOfDay: false }];
  });
}

function byPayments(month: string, rates: readonly ObservedRate[]): Compared | null {
  return comparedBy(month, 'payments', rates, ({ known: { paid } }) =>
    paid === null ? null : { rate: paid.mean, weight: paid.payments },
  );
}

function byService(month: string, rates: readonly ObservedRate[], worth: DollarWorth): Compared | null {
  return comparedBy(month, 'service', rates, ({ given, known: { dollars } }) => {
    const dollar = dollars === null ? null : worth(given);
    return dollars === null || dollar === null ? null : { rate: times(dollars, dollar), weight: 1 };
  });
}

function comparedBy(
  month: string,
  by: Compared['by'],
  rates: readonly ObservedRate[],
  of: (observed: ObservedRate) => { rate: string; weight: number } | null,
): Compared | null {
  const days = rates.flatMap((observed) => {
    const other = of(observed);
    return other === null || compareAmounts(other.rate, '0') === 0 ? [] : [{ observed, ...other }];
  });
  const [first] = days;
  if (first === undefined) return null;
  return ofDays({ month, assetCode: first.observed.given.assetCode, by }, days);
}

/** What a dollar was worth in the currency, beside a given rate; null: nothing says. */
type DollarWorth = (given: GivenRate) => string | null;

/** By payments where there are enough; else on each day by the other assets: what was given for them, by what the service showed of them. */
function dollarWorth(own: readonly ObservedRate[]): DollarWorth {
  if (own[0]?.given.currency === DOLLAR) return () => '1';
  const worth = paidForDollar(own);
  if (worth !== null) return () => worth;
  const days = grouped(own.flatMap(inDollar), ({ date }) => date);
  return ({ date, assetCode }) => {
    const all = days.get(date) ?? [];
    // Of two nobody knows which is wrong: each is held against the other.
    const beside = all.length === 2 ? all.filter((one) => one.assetCode !== assetCode) : all;
    return all.length < 2 ? null : (median(beside.map(({ rate }) => rate)) ?? null);
  };
}

function paidForDollar(own: readonly ObservedRate[]): string | null {
  const all = own.flatMap(({ known: { paid, dollars } }) =>
    paid === null || dollars === null ? [] : [{ rate: ratio(paid.mean, dollars), weight: paid.payments }],
  );
  return weightOf(all) < ENOUGH ? null : mean(all);
}

const inDollar = ({ given, known: { dollars } }: ObservedRate) =>
  dollars === null ? [] : [{ ...given, rate: ratio(given.rate, dollars) }];

/** All that there is enough of is wrong by about one factor. */
function inCommon(month: string, meant: readonly Compared[], far: readonly Compared[]): RateDoubt | null {
  const assets = new Set(far.map(({ assetCode }) => assetCode));
  const [first] = far;
  if (first === undefined || assets.size < 2 || far.length < meant.length) return null;
  const factor = ratio(first.ours, first.theirs);
  if (far.some(({ ours, theirs }) => isApart(ratio(ours, theirs), factor, FAR_DAY))) return null;
  const days = far.flatMap((one) => one.days.map(({ observed }) => observed));
  const currency = days[0]?.given.currency ?? '';
  const as = currency !== DOLLAR && areDollars(days) ? `in ${DOLLAR}, not in ${currency}` : `not in ${currency}`;
  const told = `the rates given for ${counted(assets.size, 'asset')} are all about ${apart(first.ours, first.theirs)} what payments and the service say: as if they were ${as}`;
  return ofMonth(month, days, told);
}

/** Rates of several assets that are what the service showed in dollars, where payments don't say what a dollar is worth. */
function inDollars(month: string, own: readonly ObservedRate[]): RateDoubt | null {
  const currency = own[0]?.given.currency ?? DOLLAR;
  if (currency === DOLLAR || paidForDollar(own) !== null || !areDollars(own)) return null;
  if (new Set(own.flatMap(inDollar).map(({ assetCode }) => assetCode)).size < 2) return null;
  return ofMonth(
    month,
    own,
    `the rates given are what the service showed in ${DOLLAR}: as if they were not in ${currency}`,
  );
}

function areDollars(rates: readonly ObservedRate[]): boolean {
  const middle = median(rates.flatMap(inDollar).map(({ rate }) => rate));
  return middle !== undefined && !isApart(middle, '1', SAME);
}

function ofMonth(month: string, own: readonly ObservedRate[], told: string): RateDoubt {
  const line = Math.min(...own.map(({ given }) => given.line));
  return { assetCode: null, date: `${month}-01`, line, told, names: [month], isOfDay: false };
}

function meanDoubt(compared: Compared): RateDoubt {
  const { month, assetCode, days, weight, ours, theirs } = wrongDaysOf(compared);
  const dates = days.map(({ observed }) => observed.given.date).sort();
  const [from = '', to = from] = [dates[0], dates.at(-1)];
  const { currency, line } = days[0]?.observed.given ?? { currency: '', line: 0 };
  const isPart = days.length < compared.days.length;
  const named = isPart ? shortened(dates, MOST_DAYS).join(', ') : from === to ? from : `${from} to ${to}`;
  const given = `rates of ${assetCode}, ${named}: given are ${legible(ours)} ${currency} in the mean`;
  const other =
    compared.by === 'payments'
      ? `${counted(weight, 'payment')} of these days say ${legible(theirs)} ${currency}`
      : `by what the service showed in ${DOLLAR} it would be ${legible(theirs)} ${currency}`;
  const told = `${given}, ${other}: ${apart(ours, theirs)} that`;
  return { assetCode, date: from, line, told, names: [`${month}:${assetCode}`], isOfDay: false };
}

function dayDoubts({ by: who, days }: Compared): RateDoubt[] {
  return days.flatMap(({ observed: { given }, rate, weight }): RateDoubt[] => {
    if ((who === 'payments' && weight < ENOUGH) || !isApart(given.rate, rate, FAR_DAY)) return [];
    const { date, assetCode, currency, line } = given;
    const other =
      who === 'payments'
        ? `the mean of ${counted(weight, 'payment')} of the day`
        : `what it would be by the service’s rates in ${DOLLAR}`;
    const told = `${given.rate} ${currency} for ${assetCode} is ${apart(given.rate, rate)} ${legible(rate)} ${currency}, ${other}`;
    return [{ assetCode, date, line, told, names: [String(line), `${date}:${assetCode}`], isOfDay: true }];
  });
}

function mean(rates: readonly { rate: string; weight: number }[]): string {
  const sum = sumAmounts(rates.map(({ rate, weight }) => times(rate, String(weight))));
  return divideAmounts(sum, String(weightOf(rates)), 'half_even');
}

const weightOf = (rates: readonly { weight: number }[]): number => rates.reduce((all, { weight }) => all + weight, 0);

/** The lower of two in the middle. */
function median(rates: readonly string[]): string | undefined {
  return [...rates].sort(compareAmounts)[Math.floor((rates.length - 1) / 2)];
}

const times = (a: string, b: string): string => multiplyAmounts(a, b, 'half_even');

/** A ratio beyond all sense is the greatest that can be computed with. */
function ratio(a: string, b: string): string {
  const exact = divideAmounts(a, b, 'half_even');
  return compareAmounts(exact, GREATEST) > 0 ? GREATEST : exact;
}

const shown = (most: number) => new Intl.NumberFormat('en', { maximumSignificantDigits: most, useGrouping: false });

/** Six digits of a rate, which say enough in a sentence. */
const legible = (rate: string): string => shown(6).format(Number(rate));

/** How far they are apart, as a beginning: `100 times`, `8 % more than`, `1 % of`. */
function apart(ours: string, theirs: string): string {
  const times = Number(ours) / Number(theirs);
  if (times >= 2) return `${shown(3).format(times)} times`;
  if (times < 0.5) return `${shown(3).format(times * 100)} % of`;
  return `${shown(3).format(Math.abs(times - 1) * 100)} % ${times > 1 ? 'more' : 'less'} than`;
}
