import { z } from 'zod';
import { currencyDecimals } from '../books/fiat-report.js';
import type { Money } from '../family/money.js';
import { isFinal } from '../family/states.js';
import { isJsonObject, type JsonObject } from '../json.js';
import { compareAmounts, isAmount, isZero, subtractAmounts } from '../money.js';
import { amount, assetCode, described, text, time } from '../views/parts.js';

/**
 * `short`, `over`: less or more arrived than was expected, and finance says that the difference is not explained. `history`: made before the
 * adoption, when nobody marked what arrived.
 */
const settlementStates = ['under_way', 'waiting', 'late', 'arrived', 'short', 'over', 'failed', 'history'] as const;
export type SettlementState = (typeof settlementStates)[number];
/** What finance says that the difference from the expected amount is; `rate`: the money was changed at another rate than that of its day. */
export const differences = ['fees', 'rate', 'unexplained'] as const;
export type Difference = (typeof differences)[number];

const arrivalShape = z.object({
  amount: described(amount, 'What arrived.', '912.40'),
  currency: described(text, 'In which currency.', 'EUR'),
  on: described(text, 'The day on the bank’s statement.', '2026-11-04'),
  reference: described(text.nullable(), 'Of the bank.', 'SETTLE 4711'),
  difference: z.enum(differences).nullable(),
  note: text,
  by: text,
  at: time,
});

export const settlementShape = z
  .object({
    payoutId: described(text, 'The crypto leg.', 'po_1'),
    status: described(text.nullable(), 'As the service shows the payout.', 'confirmed'),
    amount: described(amount.nullable(), 'Of the crypto leg.', '1000'),
    assetCode: assetCode.nullable(),
    settledOn: described(
      text.nullable(),
      'The day on which it is booked, YYYY-MM-DD of the books; of one that is not, on which it was made.',
      '2026-11-02',
    ),
    expected: described(amount.nullable(), 'What it was worth that day; null: not known.', '915.00'),
    currency: described(text, 'Of what is expected: REPORTING_CURRENCY.', 'EUR'),
    state: z.enum(settlementStates),
    ageDays: described(z.int().nullable(), 'Since that day, until it arrived or today.', 2),
    arrival: described(arrivalShape.nullable(), 'What finance said last; null: nothing arrived yet.'),
    missing: described(
      amount.nullable(),
      'Expected less arrived; negative: more arrived; null: not known, or another currency.',
      '2.60',
    ),
  })
  .meta({ id: 'Settlement', description: 'A payout that the service turns into money on a bank account (2.6).' });
export type Settlement = z.output<typeof settlementShape>;
type Arrival = NonNullable<Settlement['arrival']>;

export type SettlementFacts = Omit<Settlement, 'state' | 'ageDays' | 'missing'>;

const DAY_MS = 86_400_000;

/**
 * How a settlement stands. `today`: YYYY-MM-DD of the books; after `lateDays` without the money it is late, unless it was made before the
 * adoption.
 */
export function settlementOf(
  facts: SettlementFacts,
  { today, lateDays, isHistory }: { today: string; lateDays: number; isHistory: boolean },
): Settlement {
  const { arrival, settledOn } = facts;
  const ageDays = settledOn === null ? null : daysBetween(settledOn, arrival?.on ?? today);
  return {
    ...facts,
    state: stateOf(facts, ageDays !== null && ageDays > lateDays, isHistory),
    ageDays,
    missing: missingOf(facts),
  };
}

function stateOf(facts: SettlementFacts, isOld: boolean, isHistory: boolean): SettlementState {
  const { arrival, status } = facts;
  if (arrival !== null) {
    if (!isUnexplained(facts)) return 'arrived';
    return apart(missingOf(facts) ?? '0').than === 'more' ? 'over' : 'short';
  }
  if (status !== 'confirmed') return status !== null && isFinal('payout', status) ? 'failed' : 'under_way';
  if (isHistory) return 'history';
  return isOld ? 'late' : 'waiting';
}

/** Null: it is not known what was expected, or another currency arrived. */
export function missingOf({
  expected,
  currency,
  arrival,
}: Pick<SettlementFacts, 'expected' | 'currency'> & {
  arrival: Pick<Arrival, 'amount' | 'currency'> | null;
}): string | null {
  if (arrival === null || expected === null || arrival.currency !== currency) return null;
  return subtractAmounts(expected, arrival.amount);
}

/** What a break of a settlement is about: what is missing or too much of one that arrived, all of one that is late; null: that is not known. */
export function missingMoney({ ours, missing }: JsonObject): Money | null {
  const { expected = null, currency = null } = isJsonObject(ours) ? ours : {};
  const amount = typeof missing === 'string' ? apart(missing).size : expected;
  return isAmount(amount) && typeof currency === 'string' ? { amount, currency } : null;
}

/** What arrived differs from what was expected, and finance can't say why: a break. */
export function isUnexplained({ arrival }: Pick<Settlement, 'arrival'>): boolean {
  return arrival?.difference === 'unexplained';
}

/** What is to be said of the difference, in a sentence; null: nothing is. One of the currency's last decimal is the rounding of what was expected. */
export function whyRefused(
  { missing, currency }: Pick<Settlement, 'missing' | 'currency'>,
  difference: Difference | null,
): string | null {
  if (missing === null || isZero(missing))
    return difference === null ? null : 'no difference is known: there is none that could be fees, rate or unexplained';
  const { size, than } = apart(missing);
  if (than === 'more' && difference === 'fees') return `${size} more than expected arrived: that is no fee`;
  if (difference !== null || compareAmounts(size, lastDecimal(currency)) <= 0) return null;
  const say = than === 'more' ? 'that is the rate, or unexplained' : 'the rest is fees, rate or unexplained';
  return `${size} ${than} than expected arrived: say whether ${say}`;
}

/**
 * Whether two people say it where FOUR_EYES is on: it explains money that is missing or too much, or money in place of which nothing can be expected,
 * or says something else than what was said before. What leaves a break or a question, one may say.
 */
export function needsTwo(
  { missing, arrival }: Pick<Settlement, 'missing' | 'arrival'>,
  { saidBefore }: { saidBefore: boolean },
): boolean {
  if (arrival === null || isUnexplained({ arrival })) return false;
  return saidBefore || arrival.difference !== null || missing === null;
}

/** How it stands after a mark, in a sentence. */
export function markedText({ payoutId, arrival, missing, expected, currency }: Settlement): string {
  if (arrival === null)
    return `${payoutId}: nothing arrived yet; ${expected ?? 'an unknown amount of'} ${currency} are expected.`;
  const { size, than } = apart(missing ?? '0');
  const rest = isZero(size) ? '' : `, ${size} ${currency} ${than} than expected`;
  const why =
    arrival.difference === null ? '' : `: ${arrival.difference}${isUnexplained({ arrival }) ? ', and a break' : ''}`;
  return `${payoutId}: ${arrival.amount} ${arrival.currency} arrived on ${arrival.on}${rest}${why}.`;
}

export const referenceText = (reference: string | null): string =>
  reference === null ? 'No reference of the bank is given.' : `The bank’s reference: ${reference}.`;

/** What finance said before, in a sentence. */
export function earlierText({ amount, currency, on, difference, reference, note, by }: Arrival): string {
  const rest = [
    ...(difference === null ? [] : [`the rest is ${difference}`]),
    ...(reference === null ? [] : [`reference ${reference}`]),
  ];
  return `It takes the place of an earlier mark: ${[`${amount} ${currency} arrived on ${on}`, ...rest].join(', ')} (${by}: ${note}).`;
}

/** How far what arrived is from what was expected, and which way. */
export function apart(missing: string): { size: string; than: 'more' | 'less' } {
  return missing.startsWith('-') ? { size: missing.slice(1), than: 'more' } : { size: missing, than: 'less' };
}

function lastDecimal(currency: string): string {
  const decimals = currencyDecimals(currency);
  return (10 ** -decimals).toFixed(decimals);
}

function daysBetween(from: string, to: string): number {
  return Math.round((Date.parse(`${to}T00:00:00Z`) - Date.parse(`${from}T00:00:00Z`)) / DAY_MS);
}
