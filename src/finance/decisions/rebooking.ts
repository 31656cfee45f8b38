import type { Knex } from 'knex';
import { z } from 'zod';
import { attributionLines } from '../../domain/books/balance-entries.js';
import { contraAccounts, contraNames } from '../../domain/books/chart.js';
import { exactValue, roundedValue } from '../../domain/books/fiat-report.js';
import { negatedLines } from '../../domain/books/lines.js';
import { attributedRate } from '../../records/books/entry-rates.js';
import { type NewRebooking, type RebookResult, rebookAttribution } from '../../records/books/rebook-attribution.js';
import { inTransaction } from '../../records/database/statements.js';
import { type BooksNow, sidesOf } from './attributing.js';
import { asIs, type DecisionKind } from './decision-kind.js';

const contra = z.enum(contraNames, 'takes an account that an attribution can stand against');

export const rebookingInput = z.strictObject({
  assetCode: z.string(),
  attribution: z.string().regex(/^\d{1,18}$/, 'there is no such attribution'),
  from: contra,
  contra,
  on: z.iso.date('takes a day such as 2026-10-30'),
});

export const rebooking: DecisionKind<z.output<typeof rebookingInput>> = {
  input: rebookingInput,
  subject: ({ assetCode }) => `balance ${assetCode}`,
  prepare: asIs,
  look: async (trx, input, { ready, reason }) => {
    const { timeZone, currency, now } = ready;
    const given = { ...input, note: reason };
    const would = await wouldRebook(trx, { ...given, actor: '' }, { timeZone, currency, now: now() });
    if (would.result.outcome !== 'done') return { why: whyNotRebooked(would.result, input) };
    return {
      facts: [would.result.step, would.result.period, would.worth],
      preview: would.lines,
      apply: async (nested, { actor, approval }) => {
        const { outcome } = await rebookAttribution(nested, { ...given, actor, approval }, { timeZone, now: now() });
        return { done: outcome === 'done', message: rebookedText(input) };
      },
    };
  },
};

type Named = Pick<NewRebooking, 'assetCode' | 'attribution' | 'contra'>;

export const rebookedText = ({ attribution, contra: account }: Named): string =>
  `Attribution ${attribution} stands on ${account} now.`;

export function whyNotRebooked(result: Exclude<RebookResult, { outcome: 'done' }>, { assetCode, attribution }: Named) {
  return result.outcome === 'refused' ? result.why : `there is no attribution ${attribution} of ${assetCode}`;
}

/** Done and taken back: what it would come to is not computed a second way. In sentences; none where it would be refused. */
export async function wouldRebook(
  db: Knex,
  given: NewRebooking,
  { timeZone, currency, now }: BooksNow,
): Promise<{ result: RebookResult; lines: string[]; worth: string | null }> {
  const result = await inTransaction(db, true, (trx) => rebookAttribution(trx, given, { timeZone, now }));
  if (result.outcome !== 'done') return { result, lines: [], worth: null };
  const { attribution, from, contra: account, assetCode } = given;
  const { amount, period } = result;
  const rate = await attributedRate(db, attribution, currency);
  const worth = rate === null ? '' : `, ${roundedValue(exactValue(amount, rate), currency)} ${currency}`;
  const lines = (name: string) => attributionLines(assetCode, amount, name);
  const adjusts = period.adjusts === null ? [] : [`It adjusts ${period.adjusts}, to which the attribution belongs.`];
  return {
    result,
    worth: rate,
    lines: [
      `${amount} ${assetCode} of attribution ${attribution} will be rebooked on ${period.date} from ${from} (${contraAccounts[from]}) to ${account} (${contraAccounts[account]}).`,
      `Reversal: ${sidesOf(negatedLines(lines(from)))}.`,
      `Correction: ${sidesOf(lines(account))}.`,
      `Both keep the value of the attribution${worth}.`,
      'The balance, and what is unexplained of it, stay as they are.',
      ...adjusts,
    ],
  };
}
