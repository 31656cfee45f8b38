import { addAmounts, compareAmounts, subtractAmounts, sumAmounts } from '../money.js';

/** What moved one balance since its opening position, added up from the records of the service. Signed decimal strings. */
export interface BalanceSums {
  /** Shown by lists of the service that hold all of their kind. */
  explained: string;
  /** Shown by records of operations that no list holds all of. */
  known: string;
  /** What finance has said of parts that nothing shows. */
  attributed: string;
  /** Known operations whose amount is not shown: they took no more than this together, a positive number. */
  limit: string;
  /** Why an effect is not known; null: there is none such. */
  unclear: string | null;
  /**
   * Payouts that may have been debited before the opening and counted after it: what is more may be theirs, from `least` to
   * `most`. `found`: what an earlier comparison found to be.
   */
  before?: { least: string; most: string; found: string; why: string } | null;
}

/** residual = unobservable + unexplained; balance = opening + explained + residual. All signed, of one asset. */
export interface BalanceVerdict {
  explained: string;
  residual: string;
  /** known + attributed + unknownAmount. */
  unobservable: string;
  attributed: string;
  /** What of it is put down to known operations whose amount is not shown: to be attributed. */
  unknownAmount: string;
  /** What of that is put down to payouts that were under way at the opening: not less than nothing. */
  atOpening: string;
  /** What nothing accounts for: a break. */
  unexplained: string;
  /** Why this is no proof; null: it is one. */
  unproven: string | null;
}

type Before = NonNullable<BalanceSums['before']>;

const NOTHING_BEFORE: Before = { least: '0', most: '0', found: '0', why: '' };

/** Splits what a balance changed by since its opening. Only a record, or finance, makes a part unobservable. Assets are never netted. */
export function classifyBalance(opening: string, balance: string, sums: BalanceSums): BalanceVerdict {
  const { explained, known, attributed, limit, unclear } = sums;
  const residual = subtractAmounts(subtractAmounts(balance, opening), explained);
  const open = subtractAmounts(subtractAmounts(residual, known), attributed);
  const before = sums.before ?? NOTHING_BEFORE;
  const atOpening = partAtOpening(open, before);
  const rest = subtractAmounts(open, atOpening);
  const settled = compareAmounts(rest, '0') < 0 && compareAmounts(addAmounts(rest, limit), '0') >= 0 ? rest : '0';
  const unknownAmount = addAmounts(atOpening, settled);
  const unexplained = subtractAmounts(rest, settled);
  const reasons = [
    unclear,
    atOpening === '0' ? null : `${atOpening} ${before.why}: attribute it`,
    settled === '0' ? null : `${settled} went to settlements whose amount is not shown: attribute it`,
  ].filter((reason) => reason !== null);
  return {
    explained,
    residual,
    unobservable: sumAmounts([known, attributed, unknownAmount]),
    attributed,
    unknownAmount,
    atOpening,
    unexplained,
    unproven: reasons.length === 0 ? null : reasons.join('; '),
  };
}

/** `available = balance − frozen` (specification 2.8); null where one of them is not shown. */
export function isIdentityKept({
  balance,
  frozen,
  available,
}: Record<'balance' | 'frozen' | 'available', string | null>): boolean | null {
  if (balance === null || frozen === null || available === null) return null;
  return compareAmounts(subtractAmounts(balance, frozen), available) === 0;
}

/** What they can't make is not theirs; what was found to be theirs before still is. */
function partAtOpening(open: string, { least, most, found }: Before): string {
  if (compareAmounts(open, least) < 0) return least;
  return compareAmounts(open, most) > 0 ? found : open;
}

/** How much of the open part may be attributed: a part of it, of its own sign. */
export function isAttributable(amount: string, open: string): boolean {
  const sign = compareAmounts(open, '0');
  const left = compareAmounts(subtractAmounts(open, amount), '0');
  return sign !== 0 && compareAmounts(amount, '0') === sign && (left === 0 || left === sign);
}

/** Which open part an amount is a part of; null: neither. In their sum a loss and what may be payouts would hide one another. */
export function attributedPart(
  amount: string,
  { unexplained, unknownAmount }: Pick<BalanceVerdict, 'unexplained' | 'unknownAmount'>,
): 'unexplained' | 'unknownAmount' | null {
  const isWhole = compareAmounts(amount, unknownAmount) === 0 && compareAmounts(amount, unexplained) !== 0;
  if (!isWhole && isAttributable(amount, unexplained)) return 'unexplained';
  return isAttributable(amount, unknownAmount) ? 'unknownAmount' : null;
}
