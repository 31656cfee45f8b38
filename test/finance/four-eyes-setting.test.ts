import { expect, it } from 'vitest';
import { judgedBalance } from '../support/classified-balance.js';
import { consoleTokens, tokenOf } from '../support/console.js';
import { useDatabase } from '../support/database.js';
import { useShell } from '../support/shell.js';

const database = useDatabase();
const CONSOLE_TOKENS = consoleTokens.map(({ name, role, token }) => `${name}:${role}:${token}-of-a-shell`).join();
const shell = useShell(database, () => ({
  CONSOLE_TOKENS,
  TALLYHOOK_TOKEN: `${tokenOf('finance')}-of-a-shell`,
}));

it('the setting of a process at work counts at the command line too', async () => {
  const { db } = database;
  await judgedBalance(db, { assetCode: 'BTC', opening: '2', balance: '3' });
  const attribute = async () => shell('balances', 'attribute', 'BTC', '--amount', '1', '--note', 'known');
  await db('setting_signs').insert({ setting: 'FOUR_EYES', value: 'on', part: 'console', seen_at: new Date() });
  expect((await attribute()).code).toBe(3);
  await db('setting_signs').update({ seen_at: new Date(Date.now() - 120_000) });
  expect((await attribute()).code).toBe(0);
}, 60_000);
