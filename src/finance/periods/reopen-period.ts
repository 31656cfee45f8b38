import type { Knex } from 'knex';
import { recordAction } from '../../records/actions/record-action.js';
import { saveReopened } from '../../records/books/periods.js';
import { closedMonths, lockBooks } from '../../records/books/posting-progress.js';
import { oneMoment } from '../posting-deps.js';

export type ReopenResult =
  | { outcome: 'reopened'; month: string }
  /** Nothing was changed; `why` is a sentence. */
  | { outcome: 'refused'; month: string; why: string };

/** Only the newest closed month: one after it would go on from other balances. What was stored of it is kept. */
export async function reopenPeriod(
  db: Knex,
  { month, actor, reason }: { month: string; actor: string; reason: string },
): Promise<ReopenResult> {
  return db.transaction(async (trx): Promise<ReopenResult> => {
    await lockBooks(trx);
    const newest = [...(await closedMonths(trx))].sort().at(-1);
    const about = { actor, action: 'reopen period', target: `period ${month}`, reason } as const;
    if (newest !== month) {
      const why =
        newest !== undefined && newest > month ? `${newest} is to be reopened first` : `${month} is not closed`;
      await recordAction(trx, { ...about, details: { why }, outcome: 'refused' });
      return { outcome: 'refused', month, why };
    }
    await saveReopened(trx, month, { actor, reason });
    await recordAction(trx, { ...about, outcome: 'done' });
    return { outcome: 'reopened', month };
  }, oneMoment);
}
