import type { Knex } from 'knex';
import { recordAction } from '../../src/records/actions/record-action.js';
import { beginClosing, saveClosed, saveReopened } from '../../src/records/books/periods.js';

/** Closes a month as a person does; `files`: what is stored with it. */
export async function closeMonth(
  db: Knex,
  month: string,
  files: (trx: Knex.Transaction, closing: number) => Promise<unknown> = async () => {},
): Promise<void> {
  await db.transaction(async (trx) => {
    await files(trx, await beginClosing(trx, month));
    await saveClosed(trx, month, { actor: 'ann', reason: null });
    const about = { actor: 'ann', target: `period ${month}`, outcome: 'done' } as const;
    await recordAction(trx, { ...about, action: 'close period' });
  });
}

export async function reopenMonth(db: Knex, month: string): Promise<void> {
  await db.transaction(async (trx) => {
    await saveReopened(trx, month, { actor: 'ann', reason: 'a test' });
    const about = { actor: 'ann', target: `period ${month}`, reason: 'a test', outcome: 'done' } as const;
    await recordAction(trx, { ...about, action: 'reopen period' });
  });
}
