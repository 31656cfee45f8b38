import { expect, test } from 'vitest';
import { sumMovements } from '../../../src/records/balances/balance-sums.js';
import { defaultContract } from '../../../src/service-api/contract.js';
import { useDatabase } from '../../support/database.js';

const database = useDatabase();

test('why a balance is not known names a record to look at', async () => {
  const unclear = { record_kind: 'payout', line: 1, part: 'unclear', moved_from: 1, why: 'amount is not shown' };
  const movements = [
    { ...unclear, record_id: 'po_1', asset_code: 'USDT.TRC20' },
    { ...unclear, record_id: 'po_2', asset_code: 'USDT.TRC20' },
    { ...unclear, record_id: 'po_3', asset_code: 'BTC' },
  ];
  await database.db('movements').insert(movements);
  const read = async (assets: string[]) => {
    const given = { payoutsListedUntil: Number.POSITIVE_INFINITY, table: defaultContract.movements };
    return [...(await sumMovements(database.db, assets, given))].map(([asset, sums]) => [asset, sums.unclear]);
  };
  expect(await read(['USDT.TRC20', 'BTC', 'ETH'])).toEqual([
    ['USDT.TRC20', 'payout po_1: amount is not shown (and 1 more)'],
    ['BTC', 'payout po_3: amount is not shown'],
    ['ETH', null],
  ]);
  await database.db('movements').insert({ ...unclear, record_id: 'po_4', asset_code: null });
  expect(await read(['ETH'])).toEqual([['ETH', 'payout po_4, which does not name its asset: amount is not shown']]);
});
