import { z } from 'zod';
import { counted } from '../../domain/in-words.js';
import type { Missing } from '../../domain/views/books-shapes.js';
import { accountValues, keptTotals } from '../../records/books/account-totals.js';
import { getPeriod } from '../../records/books/periods.js';
import {
  closeIn,
  mayClose,
  missingToClose,
  type ReadyToClose,
  readyToClose,
  sealClosing,
} from '../periods/close-period.js';
import { reopenPeriod, whyNotReopened } from '../periods/reopen-period.js';
import { asIs, type DecisionKind, shortened } from './decision-kind.js';

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
    return {
      facts: [missing.map(({ what, of: which }) => [what, which]), totals, values],
      preview: closingPreview(of, { missing, totals, values, currency: ready.currency }),
      apply: async (nested, by) => {
        const done = (await closeIn(nested, ready, { month: of, ...by }, missing)).outcome === 'closed';
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

function closingPreview(
  of: string,
  {
    missing,
    totals,
    values,
    currency,
  }: {
    missing: readonly Missing[];
    totals: Awaited<ReturnType<typeof keptTotals>>;
    values: Awaited<ReturnType<typeof accountValues>>;
    currency: string;
  },
): string[] {
  const worthOf = (account: string) => values.find((one) => one.account === account)?.value ?? null;
  const moved = totals.filter(({ activity }) => activity !== '0');
  const accounts = [...new Set(moved.map(({ account }) => account))];
  return shortened([
    `${of} would be closed with ${counted(missing.length, 'exception')}.`,
    ...missing.map(({ told }) => `Exception: ${told}`),
    ...accounts.map((account) => {
      const sums = moved.filter((one) => one.account === account);
      const amounts = sums.map(
        ({ activity, closing: end, assetCode }) => `${activity} ${assetCode} in the month, ${end} at its end`,
      );
      const worth = worthOf(account);
      return `${account}: ${amounts.join(', ')}${worth === null ? '' : `, worth ${worth} ${currency}`}`;
    }),
  ]);
}
