import { expect, it } from 'vitest';
import { checkPeriod } from '../../src/finance/periods/check-period.js';
import { defaultContract } from '../../src/service-api/contract.js';
import { judgedBalance } from '../support/classified-balance.js';
import { useDatabase } from '../support/database.js';
import { poll } from '../support/observations.js';
import { postBooks } from '../support/posted-books.js';
import { payout } from '../support/records.js';
import { save } from '../support/saved.js';

const zone = { timeZone: 'UTC', currency: 'USD', table: defaultContract.movements };
const NOW = new Date('2026-11-22T12:00:00Z');
const database = useDatabase();

it('is what the service held where a proof after the month came to it, though nothing could be compared since', async () => {
  const proven = { opening: '100', balance: '100', now: new Date('2026-10-30T00:00:00Z') };
  const other = `PETH`;
  await judgedBalance(database.db, { ...proven, assetCode: other });
  await postBooks(database.db);
  const missing = async () =>
    (await checkPeriod(database.db, '2026-10', { ...zone, now: NOW })).missing.flatMap(({ what, of, told }) =>
      what === 'balance_unproven' && (of === other || told.includes(other)) ? [told] : [],
    );
  const row = () => database.db('balance_proofs').where({ asset_code: other });
  await row().update({ agreed_at: '2026-11-21T00:00:00Z', proven_at: '2026-10-31T23:59:59Z' });
  expect(await missing()).toHaveLength(1);
  const proven_at = database.db.fn.now();
  await row().update({ proven_at, unproven: 'not all records are read' });
  expect(await missing()).toEqual([]);
  await row().update({ unexplained: '1' });
  expect(await missing()).toHaveLength(1);
  await row().update({ unexplained: '0' });
  expect(await missing()).toEqual([]);
  // What is posted in the month after the proof is proven by nothing.
  const statusHistory = [{ status: 'confirmed', timestamp: '2026-10-31T10:00:00.000Z' }];
  const paid = { payoutType: 'withdrawal', amount: '7', feeBearer: 'merchant', status: 'confirmed', statusHistory };
  await save(database, [poll('payout', payout(`po_${other}`, { ...paid, assetCode: other }), 0)]);
  await postBooks(database.db);
  expect(await missing()).toHaveLength(1);
});

it('assets that one outage keeps from being proven are one exception, with what the books hold of each', async () => {
  const alike = ['X', 'Y'].map((letter) => `${letter}ETH`);
  for (const assetCode of alike)
    await judgedBalance(database.db, {
      assetCode,
      opening: '100',
      balance: '100',
      now: new Date('2026-10-30T00:00:00Z'),
    });
  await postBooks(database.db);
  for (const [n, asset_code] of alike.entries())
    await database
      .db('balance_proofs')
      .where({ asset_code })
      .update({ agreed_at: `2026-10-31T00:00:0${n}Z`, proven_at: null });
  const { missing } = await checkPeriod(database.db, '2026-10', { ...zone, now: NOW });
  const own = missing.filter(({ what, told }) => what !== 'unpriced_lines' && told.includes(alike[0] ?? ''));
  expect(own.map(({ what, of, byReason }) => [what, of, byReason])).toEqual([['balance_unproven', null, true]]);
  expect(own[0]?.told).toContain(alike.map((one) => `100 ${one}`).join(', '));
  expect(own[0]?.told).toMatch(
    /it is proven that the service held that: not compared with the records since 2026-10-31T00:00:00/,
  );
});
