import type { Knex } from 'knex';
import { classifyBalance } from '../../src/domain/balances/balance-proof.js';
import { followResidual, openPosition, saveClassified } from '../../src/records/balances/balance-proofs.js';
import { saveObservations } from '../../src/records/saving/save-observations.js';

/** An asset whose balance was read and judged: what it is more or less than at the opening is unexplained. */
export async function judgedBalance(
  db: Knex,
  {
    assetCode,
    opening,
    balance,
    now = new Date(),
  }: { assetCode: string; opening: string; balance: string; now?: Date },
): Promise<void> {
  const at = now.getTime();
  const sums = { explained: '0', known: '0', attributed: '0', limit: '0', unclear: null };
  const verdict = classifyBalance(opening, balance, sums);
  await db.transaction(async (trx) => {
    const fields = { id: assetCode, assetCode, balance, frozen: '0', available: balance };
    const source = { type: 'poll', ref: 'test' } as const;
    const poll = { type: 'poll', kind: 'balance', id: assetCode, from: at, to: at, source, fields } as const;
    await saveObservations(trx, [poll], { now, adoptedAt: new Date(0) });
    await openPosition(trx, assetCode, { opening: { balance: opening, at, openedAt: null }, now });
    await saveClassified(
      trx,
      { assetCode, poll: { balance, frozen: '0', at }, verdict, held: null },
      { now, runId: null },
    );
    const evidence = { unexplained: verdict.unexplained };
    await followResidual(trx, assetCode, { verdict, before: null }, evidence);
  });
}
