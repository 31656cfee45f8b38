import type { Knex } from 'knex';
import { type Approval, recordAction } from '../../records/actions/record-action.js';
import { saveReopened } from '../../records/books/periods.js';
import { closedMonths, lockBooks } from '../../records/books/posting-progress.js';
import { oneMoment } from '../posting-deps.js';

export type ReopenResult =
  | { outcome: 'reopened'; month: string }
  /** Nothing was changed; `why` is a sentence. */
  | { outcome: 'refused'; month: string; why: string };

const NO_REASON = 'a reason is needed';

/** Only the newest closed month: one after it would go on from other balances. What was stored of it is kept. */
export async function reopenPeriod(
  db: Knex,
  { month, actor, reason: given, approval }: { month: string; actor: string; reason: string; approval?: Approval },
): Promise<ReopenResult> {
  const reason = given.trim();
  if (reason === '') return { outcome: 'refused', month, why: NO_REASON };
  return db.transaction(async (trx): Promise<ReopenResult> => {
    await lockBooks(trx);
    const why = await whyNotReopened(trx, { month, reason });
    const about = { actor, action: 'reopen period', target: `period ${month}`, reason, approval } as const;
    if (why !== null) {
      await recordAction(trx, { ...about, details: { why }, outcome: 'refused' });
      return { outcome: 'refused', month, why };
    }
    await saveReopened(trx, month, { actor, reason });
    await recordAction(trx, { ...about, outcome: 'done' });
    return { outcome: 'reopened', month };
  }, oneMoment);
}

/** In a sentence; null: it may be reopened. */
export async function whyNotReopened(
  db: Knex,
  { month, reason }: { month: string; reason: string },
): Promise<string | null> {
  if (reason.trim() === '') return NO_REASON;
  const newest = [...(await closedMonths(db))].sort().at(-1);
  if (newest === month) return null;
  return newest !== undefined && newest > month ? `${newest} is to be reopened first` : `${month} is not closed`;
}
