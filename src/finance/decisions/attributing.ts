import type { Knex } from 'knex';
import { z } from 'zod';
import { attributionLines } from '../../domain/books/balance-entries.js';
import { accounts, contraAccounts, contraNames } from '../../domain/books/chart.js';
import { chooseRate } from '../../domain/books/choose-rate.js';
import type { Line } from '../../domain/books/entry.js';
import { exactValue, roundedValue } from '../../domain/books/fiat-report.js';
import { dayIn } from '../../domain/books/posting-month.js';
import { isSignedAmount, negated, normalizeAmount } from '../../domain/money.js';
import {
  type AttributeResult,
  adjustsText,
  attributeBalance,
  type NewAttribution,
} from '../../records/books/attribute-balance.js';
import { ratesKnown } from '../../records/books/entry-rates.js';
import { inTransaction } from '../../records/database/statements.js';
import { asIs, type DecisionKind } from './decision-kind.js';

const attribution = z.strictObject({
  assetCode: z.string(),
  amount: z
    .string()
    .refine(isSignedAmount, 'the amount is a signed decimal number such as -12.50')
    .transform(normalizeAmount),
  on: z.iso.date().nullable(),
  contra: z.enum(contraNames).default(accounts.unobservable),
});

/** Booked on the day on which it was asked for, however late it is approved. */
export const attributing: DecisionKind<z.output<typeof attribution>> = {
  input: attribution,
  complete: (input, { timeZone, now }) => ({ ...input, on: input.on ?? dayIn(timeZone, now().getTime()) }),
  subject: ({ assetCode }) => `balance ${assetCode}`,
  prepare: asIs,
  look: async (trx, { on, ...given }, { ready: { timeZone, currency, now }, reason }) => {
    const day = on === null ? {} : { on: { day: on, timeZone } };
    const attributed = { ...given, note: reason, ...day };
    const would = await wouldAttribute(trx, { ...attributed, actor: '' }, { timeZone, currency, now: now() });
    if (would.result.outcome !== 'done') return { why: whyNotAttributed(would.result, given.assetCode) };
    const { proof, adjusts } = would.result;
    return {
      facts: [proof.unexplained, proof.unknownAmount, adjusts, would.worth],
      preview: would.lines,
      apply: async (nested, { actor, approval }) => {
        const { outcome } = await attributeBalance(nested, { ...attributed, actor, approval }, now());
        return { done: outcome === 'done', message: `${given.amount} ${given.assetCode} attributed.` };
      },
    };
  },
};

export function whyNotAttributed(result: Exclude<AttributeResult, { outcome: 'done' }>, assetCode: string): string {
  if (result.outcome === 'not_found') return `the balance of ${assetCode} was never read`;
  if (result.outcome === 'wrong_day') return `it can’t be booked on that day: ${result.why}`;
  return `open of the residual is ${result.open} ${assetCode}: no more than that, and of its sign, can be attributed`;
}

interface Would {
  result: AttributeResult;
  /** In sentences: accounts, day, money, and what is left; empty where it would be refused. */
  lines: string[];
  /** What of the money stays as it is; null: it moves with the service's rate, or is not known. */
  worth: string | null;
}

export interface BooksNow {
  timeZone: string;
  currency: string;
  now: Date;
}

/** Done and taken back: what it would leave is not computed a second way. */
export async function wouldAttribute(
  db: Knex,
  given: NewAttribution,
  { timeZone, currency, now }: BooksNow,
): Promise<Would> {
  const result = await inTransaction(db, true, (trx) => attributeBalance(trx, given, now));
  if (result.outcome !== 'done') return { result, lines: [], worth: null };
  const { assetCode, contra = accounts.unobservable } = given;
  const amount = normalizeAmount(given.amount);
  const day = given.on?.day ?? dayIn(timeZone, now.getTime());
  const money = await worthOf(db, { assetCode, amount, day }, { currency, now });
  const { unexplained, unknownAmount } = result.proof;
  return {
    result,
    worth: money.stays,
    lines: [
      `${amount} ${assetCode} will be attributed on ${day}: ${contraAccounts[contra]}.`,
      `Booked: ${sidesOf(attributionLines(assetCode, amount, contra))}.`,
      money.text,
      `After it ${unexplained ?? '0'} ${assetCode} are unexplained, ${unknownAmount ?? '0'} ${assetCode} not shown.`,
      ...adjustsText(result.adjusts),
    ],
  };
}

/** As a bookkeeper says them. */
export const sidesOf = (lines: readonly Line[]): string =>
  lines
    .map(
      ({ account, amount, assetCode }) =>
        `${account} ${amount.startsWith('-') ? `credit ${negated(amount)}` : `debit ${amount}`} ${assetCode}`,
    )
    .join('; ');

/** What the entry would be valued at, as entries are. */
async function worthOf(
  db: Knex,
  { assetCode, amount, day }: { assetCode: string; amount: string; day: string },
  { currency, now }: { currency: string; now: Date },
): Promise<{ text: string; stays: string | null }> {
  const at = now.getTime();
  const [known = { file: null, service: null }] = await ratesKnown(db, [{ assetCode, date: day, at }], currency);
  const { rate, source, reason } = chooseRate({ assetCode, currency, at, payment: null, ...known });
  if (rate === null) return { text: `It has no value in ${currency}: ${reason}.`, stays: null };
  const worth = `${roundedValue(exactValue(amount, rate), currency)} ${currency}`;
  if (source === 'service')
    return { text: `Worth ${worth} by the service’s rate now; the entry takes that of its moment.`, stays: null };
  return { text: `Worth ${worth}, at the rate ${rate} of ${day}.`, stays: `${rate} ${currency}` };
}
