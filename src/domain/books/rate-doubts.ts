import { compareText } from '../record-state.js';
import {
  isApart,
  isConfirmed,
  type KnownRates,
  meanDoubts,
  type ObservedRate,
  type RateDoubt,
  unknownDoubts,
} from './rate-means.js';
import type { GivenRate } from './rates-file.js';

const FAR = '0.2';
/** A rate that is older says little of the day. */
const NEAR_MS = 7 * 86_400_000;

/** Why a person should look at rates again. Each begins with what it is named by. */
export interface RateDoubts {
  /** Of what a person named. */
  accepted: string[];
  asked: string[];
  /** What a person named, and nothing is asked about. */
  unfounded: string[];
}

/** `named`: lines of the file, days and assets as 2026-10-20:BTC, months and assets as 2026-10:BTC, or months. */
export function doubtfulRates(
  rates: readonly GivenRate[],
  known: readonly KnownRates[],
  named: readonly string[],
): RateDoubts {
  const doubts = rateDoubts(rates, known);
  const isNamed = ({ names }: RateDoubt) => names.some((name) => named.includes(name));
  const told = (one: RateDoubt) => `${one.isOfDay ? 'line ' : ''}${one.names[0]}: ${one.told}`;
  return {
    accepted: doubts.filter(isNamed).map(told),
    asked: doubts.filter((one) => !isNamed(one)).map(told),
    unfounded: named.filter((name) => !doubts.some(({ names }) => names.includes(name))),
  };
}

/** All that is doubtful of rates of one currency: first what is wrong with many, then single days in the order of their lines. */
export function rateDoubts(rates: readonly GivenRate[], known: readonly KnownRates[]): RateDoubt[] {
  const all = rates.flatMap((given, n): ObservedRate[] => {
    const of = known[n];
    return of === undefined ? [] : [{ given, known: of }];
  });
  const means = meanDoubts(all);
  const far = farRates(all);
  const ofDays = means.filter(({ isOfDay, line }) => isOfDay && !far.some((one) => one.line === line));
  return [
    ...means.filter(({ isOfDay }) => !isOfDay),
    ...unknownDoubts(all),
    ...[...far, ...ofDays].sort((a, b) => a.line - b.line),
  ];
}

/** Those that are more than a fifth from what else is known of their days. */
function farRates(all: readonly ObservedRate[]): RateDoubt[] {
  const sorted = [...all].sort(
    ({ given: a }, { given: b }) => compareText(a.assetCode, b.assetCode) || compareText(a.date, b.date),
  );
  const found: RateDoubt[] = [];
  for (const [index, observed] of sorted.entries()) {
    const { given, known } = observed;
    const { before, payment, service, paid } = known;
    const previous = sorted[index - 1]?.given;
    const own = previous?.assetCode === given.assetCode ? previous : null;
    // A rate of the file takes the place of what was given before for its day.
    const last = own !== null && (before === null || own.date >= before.date) ? own : before;
    const isNear = last !== null && Date.parse(given.date) - Date.parse(last.date) <= NEAR_MS;
    // Of two that are apart the first may be the wrong one.
    const too = last === own && found.some(({ line }) => line === own?.line) ? ', which is asked about too' : '';
    const others: [string | null, string, string][] = [
      [isNear && !isConfirmed(observed) ? last.rate : null, `that of ${last?.date}`, too],
      [payment, 'that of a payment of the day', ''],
      [payment === null ? (paid?.mean ?? null) : null, 'the mean of payments of the day', ''],
      [service, 'that which the service showed that day', ''],
    ];
    const { date, line, assetCode, currency, rate } = given;
    for (const [other, of, more] of others) {
      if (other === null || !isFar(rate, other)) continue;
      const told = `${rate} ${currency} for ${assetCode} is far from ${of}, ${other}${more}`;
      found.push({ assetCode, date, line, told, names: [String(line), `${date}:${assetCode}`], isOfDay: true });
    }
  }
  return found;
}

/** Whether a rate is more than a fifth from another. */
export const isFar = (rate: string, known: string): boolean => isApart(rate, known, FAR);
