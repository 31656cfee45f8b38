import fc from 'fast-check';
import { expect, it } from 'vitest';
import { classifyBalance } from '../../../src/domain/balances/balance-proof.js';
import {
  followResidual,
  readProofs,
  residualAppeared,
  saveClassified,
} from '../../../src/records/balances/balance-proofs.js';
import { attributeBalance } from '../../../src/records/books/attribute-balance.js';
import { decideBreak } from '../../../src/records/breaks/decide-breaks.js';
import { listBreaks } from '../../../src/records/breaks/list-breaks.js';
import { judgedBalance } from '../../support/classified-balance.js';
import { useDatabase } from '../../support/database.js';

const database = useDatabase();
let count = 0;

/** No two of the moments that are told apart are the same millisecond. */
async function nextMs(): Promise<number> {
  const from = Date.now();
  while (Date.now() <= from + 1) await new Promise(setImmediate);
  return Date.now();
}

async function poll(assetCode: string, balance: string): Promise<string> {
  const at = await nextMs();
  const { attributed, unexplained: before } = (await readProofs(database.db, [assetCode])).get(assetCode)!;
  const sums = { explained: '0', known: '0', attributed: attributed ?? '0', limit: '0', unclear: null };
  const verdict = classifyBalance('100', balance, sums);
  const readAt = new Date(at).toISOString();
  const evidence = { unexplained: verdict.unexplained, theirs: { readAt } };
  await database.db.transaction(async (trx) => {
    const classified = { assetCode, poll: { balance, frozen: '0', at }, verdict, held: null };
    await saveClassified(trx, classified, { now: new Date(), runId: null });
    await followResidual(trx, assetCode, { verdict, before }, evidence);
  });
  return readAt;
}

const step = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constant('poll' as const), balance: fc.constantFrom('100', '90', '80') }),
  },
  { weight: 2, arbitrary: fc.constant({ do: 'attribute' as const }) },
  { weight: 1, arbitrary: fc.constant({ do: 'close' as const }) },
);

it('a residual appeared by the first poll since all was accounted for, whatever became of its amount and its break', async () => {
  const { db } = database;
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 9 }), async (steps) => {
      count += 1;
      const assetCode = `R${count}`;
      await judgedBalance(db, { assetCode, opening: '100', balance: '100' });
      let seen: string | null = null;
      let clean = '';
      for (const one of steps) {
        const unexplained = (await readProofs(db, [assetCode])).get(assetCode)?.unexplained ?? '0';
        const { items } = await listBreaks(db, { status: 'open', kind: 'balance_residual', entityId: assetCode });
        if (one.do === 'poll') {
          const readAt = await poll(assetCode, one.balance);
          const left = (await readProofs(db, [assetCode])).get(assetCode)?.unexplained;
          if (left === '0') [seen, clean] = [null, readAt];
          else seen ??= readAt;
        }
        if (one.do === 'attribute' && unexplained !== '0') {
          const at = new Date(await nextMs()).toISOString();
          const said = { assetCode, amount: unexplained, note: 'n', actor: 'ann' };
          expect(await attributeBalance(db, said)).toMatchObject({ outcome: 'done' });
          if (items.length > 0) [seen, clean] = [null, at];
        }
        if (one.do === 'close')
          for (const { id } of items) await decideBreak(db, id, 'resolve', { actor: 'ann', note: 'n' });
      }
      const appeared = await residualAppeared(db, assetCode);
      const isOpen = (await readProofs(db, [assetCode])).get(assetCode)?.unexplained !== '0';
      expect(appeared?.seen ?? null).toBe(isOpen ? seen : null);
      if (appeared !== null) {
        expect(appeared.clean >= clean).toBe(true);
        expect(appeared.clean < appeared.seen).toBe(true);
      }
    }),
    { numRuns: 40 },
  );
}, 120_000);
