import { beforeAll, expect, test } from 'vitest';
import { judgedBalance } from '../support/classified-balance.js';
import { seedBooks } from '../support/console-books.js';
import { useDatabase } from '../support/database.js';
import { useShell } from '../support/shell.js';

const database = useDatabase();
const shell = useShell(database);
const match = (...words: string[]) => shell('match', ...words);

beforeAll(async () => {
  const opened = new Date(Date.now() - 60_000);
  await judgedBalance(database.db, { assetCode: 'USDT.TRON', opening: '100', balance: '56', now: opened });
  await seedBooks(database.db);
}, 60_000);

const names = ({ json }: Awaited<ReturnType<typeof match>>): string[] =>
  json.items.map(({ id }: { id: string }) => id).sort();

test('lists what is not matched with the reason, sums by age, and what is not proven', async () => {
  const found = await match('--json');
  expect([found.code, names(found)]).toEqual([0, ['order-pi_forgotten', 'order-pi_waiting', 'pi_loose']]);
  expect(found.json).toMatchObject({
    currency: 'USD',
    unproven: [{ assetCode: 'USDT.TRON', why: '-44 is unexplained' }],
    summary: {
      counts: [
        { state: 'matched', age: '0-30', matches: 1 },
        { state: 'partly_matched', age: '0-30', matches: 1 },
        { state: 'unmatched', age: '31-60', matches: 1 },
        { state: 'unmatched', age: '90+', matches: 1 },
      ],
    },
  });
  expect(names(await match('--json', '--state', 'unmatched', '--age', '90+'))).toEqual(['order-pi_forgotten']);
  expect(names(await match('--json', '--state', 'matched', '--asset', 'USDT.TRON'))).toEqual(['order-booked']);
  const printed = await match('--reason', 'not_paid');
  expect(printed.stdout).toContain('nothing came in yet of 19.9 EUR');
  expect(printed.stderr).toContain('the balance of USDT.TRON is not proven');
});

test('says how it stood on a day, and refuses one that is still to come', async () => {
  const day = new Date(Date.now() - 30 * 86_400_000).toISOString().slice(0, 10);
  const then = await match('--json', '--as-of', day);
  expect([then.json.asOf, names(then)]).toEqual([day, ['order-pi_forgotten', 'order-pi_waiting']]);
  const ages = then.json.items.map(({ age }: { age: string }) => age).sort();
  expect(ages).toEqual(['0-30', '61-90']);
  expect((await match('--as-of', '2999-01-01')).code).toBe(2);
  expect((await match('--as-of', 'yesterday')).stderr).toContain('a day such as 2026-10-31');
});
