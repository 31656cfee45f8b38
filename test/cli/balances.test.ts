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

test('lists what was attributed, and moves it to the right account, once', async () => {
  const listed = async () => (await balances('attributions', 'USDT.TRC20', '--json')).json.items;
  const [{ id }] = await listed();
  const today = new Date().toISOString().slice(0, 10);
  const rebook = (from: string, contra: string, ...more: string[]) => {
    const words = ['--from', from, '--contra', contra, '--on', today, '--note', 'the owner is known'];
    return balances('rebook', 'USDT.TRC20', id, ...words, ...more);
  };
  const tried = await rebook('equity:unobservable', 'equity:conversion', '--dry-run');
  expect([tried.code, tried.stdout.split('\n').slice(0, 3)]).toEqual([
    0,
    [
      `-44 USDT.TRC20 of attribution ${id} will be rebooked on ${today} from equity:unobservable (it is not known what it was) to equity:conversion (a settlement to the bank).`,
      'Reversal: assets:operating debit 44 USDT.TRC20; equity:unobservable credit 44 USDT.TRC20.',
      'Correction: assets:operating credit 44 USDT.TRC20; equity:conversion debit 44 USDT.TRC20.',
    ],
  ]);
  expect(await listed()).toMatchObject([{ standsOn: 'equity:unobservable', rebookings: [] }]);
  expect(await rebook('equity:unobservable', 'equity:conversion')).toMatchObject({ code: 0 });
  const again = await rebook('equity:unobservable', 'equity:deposits');
  expect([again.code, again.stderr]).toEqual([
    2,
    expect.stringContaining(`attribution ${id} stands on equity:conversion`),
  ]);
  expect((await rebook('equity:nothing', 'equity:deposits')).code).toBe(2);
  expect(
    (
      await balances(
        'rebook',
        'USDT.TRC20',
        'x',
        '--from',
        'equity:conversion',
        '--contra',
        'equity:deposits',
        '--on',
        today,
        '--note',
        'n',
      )
    ).stderr,
  ).toContain('there is no such attribution');
  expect(await listed()).toMatchObject([
    { standsOn: 'equity:conversion', rebookings: [{ note: 'the owner is known' }] },
  ]);
  expect((await balances('attributions', 'USDT.TRC20')).stdout).toContain(`from equity:unobservable on ${today}`);
}, 120_000);
