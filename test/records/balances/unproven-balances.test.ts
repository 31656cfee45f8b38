import fc from 'fast-check';
import { expect, test } from 'vitest';
import { unprovenBalances } from '../../../src/records/balances/balance-proofs.js';
import { listBalances } from '../../../src/records/balances/balance-views.js';
import { judgedBalance } from '../../support/classified-balance.js';
import { useDatabase } from '../../support/database.js';

const database = useDatabase();
const HOUR_MS = 3_600_000;
const NOW = new Date('2026-07-01T12:00:00Z');

const world = fc.record({
  balance: fc.constantFrom('5', '5.000000000000000001', '7'),
  agreedHoursAgo: fc.constantFrom(null, 0, 1, 23, 24, 25, 800),
  unproven: fc.constantFrom(null, 'the polls differ'),
});

test('what closes a month takes a balance for proven exactly where its page does, old agreement included', async () => {
  const { db } = database;
  let nth = 0;
  await fc.assert(
    fc.asyncProperty(world, async ({ balance, agreedHoursAgo, unproven }) => {
      const assetCode = `A${(nth += 1)}`;
      await judgedBalance(db, { assetCode, opening: '5', balance, now: NOW });
      const at = agreedHoursAgo === null ? null : new Date(NOW.getTime() - agreedHoursAgo * HOUR_MS);
      await db('balance_proofs').where({ asset_code: assetCode }).update({ agreed_at: at, unproven });
      const { items } = await listBalances(db, { take: 500 }, NOW);
      const status = items.find(({ id }) => id === assetCode)?.proof?.status;
      const isNamed = (await unprovenBalances(db, NOW)).some((one) => one.assetCode === assetCode);
      expect(isNamed).toBe(status !== 'agrees');
      expect(isNamed).toBe(balance !== '5' || unproven !== null || agreedHoursAgo === null || agreedHoursAgo >= 24);
    }),
    { numRuns: 40 },
  );
});
