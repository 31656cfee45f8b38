import { beforeAll, expect, test } from 'vitest';
import { judgedBalance } from '../support/classified-balance.js';
import { useDatabase } from '../support/database.js';
import { useShell } from '../support/shell.js';

const database = useDatabase();
const shell = useShell(database);
const balances = (...words: string[]) => shell('balances', ...words);

beforeAll(async () => {
  await judgedBalance(database.db, { assetCode: 'BTC', opening: '2', balance: '2' });
  await judgedBalance(database.db, { assetCode: 'USDT.TRC20', opening: '100', balance: '56' });
}, 60_000);

const attribute = (amount: string, asset = 'USDT.TRC20', ...more: string[]) =>
  balances('attribute', asset, '--amount', amount, '--note', 'the settlement of 3 November', ...more);
const kept = () => database.db('balance_attributions').select('asset_code', 'note').orderBy('id');

test('says what is unexplained by exit code 3, until a person has attributed all of it, once', async () => {
  const before = await balances('--json');
  expect(before.code).toBe(3);
  expect(before.json.items).toMatchObject([
    { assetCode: 'BTC', unexplained: '0' },
    { assetCode: 'USDT.TRC20', opening: { balance: '100' }, balance: '56', unexplained: '-44' },
  ]);
  expect((await balances()).stdout).toContain('-44');

  const rehearsed = await attribute('-44', 'USDT.TRC20', '--dry-run');
  expect([rehearsed.code, await kept()]).toEqual([0, []]);
  for (const amount of ['-44.1', '1.0000000000000000001']) {
    const refused = await attribute(amount);
    expect([amount, refused.code]).toEqual([amount, 2]);
  }
  const today = new Date().toISOString().slice(0, 10);
  for (const day of ['2999-01-01', '2020-01-01', 'yesterday']) {
    const refused = await attribute('-44', 'USDT.TRC20', '--on', day);
    expect([day, refused.code, refused.stderr]).toEqual([day, 2, expect.stringContaining('on that day')]);
  }
  expect((await attribute('-44', 'USDT.TRC20', '--on', today, '--dry-run')).code).toBe(0);
  const unknown = await attribute('-44', 'NEVER.SEEN');
  expect([unknown.code, unknown.stderr.includes('was never read')]).toEqual([2, true]);
  expect(await kept()).toEqual([]);

  const done = await attribute('-44');
  expect([done.code, done.json]).toMatchObject([0, { unexplained: '0', attributed: '-44', unobservable: '-44' }]);
  expect((await attribute('-44')).code).toBe(2);
  expect(await kept()).toEqual([{ asset_code: 'USDT.TRC20', note: 'the settlement of 3 November' }]);
  expect((await balances('--json')).code).toBe(0);
}, 120_000);
