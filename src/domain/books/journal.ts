import { LineRounding } from './fiat-report.js';

/** A line of an entry. `value`: exact, in the reporting currency; null: no rate is known. */
export interface ValuedLine {
  account: string;
  value: string | null;
}

/** In units of the currency's last decimal; a debit is positive. */
export interface Booked {
  account: string;
  units: bigint;
}

/**
 * Entries of a month in money, one after the other. What an account's lines come to is what the report of the month shows of it;
 * an entry that doesn't balance once its lines are rounded has the rest as `rounding`.
 */
export class Journal {
  private readonly rounding: LineRounding;
  /** Of the newest entry, from 1, without a gap. */
  number = 0;

  constructor(currency: string) {
    this.rounding = new LineRounding(currency);
  }

  /** `units`: of each line, null where it has no value. */
  book(lines: readonly ValuedLine[]): { units: (bigint | null)[]; rounding: bigint } {
    this.number += 1;
    const units = lines.map(({ account, value }) => (value === null ? null : this.rounding.round(account, value)));
    return { units, rounding: -units.reduce<bigint>((sum, one) => sum + (one ?? 0n), 0n) };
  }

  text(units: bigint): string {
    return this.rounding.text(units);
  }
}

/** One amount from one account to another; `units` above zero. */
export interface Posting {
  debit: string;
  credit: string;
  units: bigint;
}

/** A balanced entry as postings from account to account, at most one fewer than it has accounts. `most`: units of one posting. */
export function postingsOf(booked: readonly Booked[], most: bigint): Posting[] {
  const sums = new Map<string, bigint>();
  for (const { account, units } of booked) sums.set(account, (sums.get(account) ?? 0n) + units);
  const debits = [...sums].filter(([, units]) => units > 0n);
  const credits = [...sums].filter(([, units]) => units < 0n).map(([account, units]) => [account, -units] as const);
  const postings: Posting[] = [];
  let [debit, credit] = [debits.shift(), credits.shift()];
  let [owed, given] = [debit?.[1] ?? 0n, credit?.[1] ?? 0n];
  while (debit !== undefined && credit !== undefined) {
    const units = [owed, given, most].reduce((least, one) => (one < least ? one : least));
    postings.push({ debit: debit[0], credit: credit[0], units });
    owed -= units;
    given -= units;
    if (owed === 0n) [debit, owed] = [debits[0], debits.shift()?.[1] ?? 0n];
    if (given === 0n) [credit, given] = [credits[0], credits.shift()?.[1] ?? 0n];
  }
  return postings;
}
