import { beforeAll, expect, test } from 'vitest';
import { judgedBalance } from '../support/classified-balance.js';
import { useDatabase } from '../support/database.js';
import { at } from '../support/observations.js';
import { postBooks } from '../support/posted-books.js';
import { useShell } from '../support/shell.js';

const database = useDatabase();
const shell = useShell(database);
const periods = (...words: string[]) => shell('periods', ...words);

beforeAll(async () => {
  await judgedBalance(database.db, { assetCode: 'BTC', opening: '2', balance: '2', now: new Date(at(0)) });
  await postBooks(database.db);
}, 60_000);

const kept = async () => ({
  months: await database.db('periods').select('month', 'status', 'closings', 'reason'),
  actions: await database.db('actions').orderBy('id').pluck('action'),
  files: (await database.db('period_files')).length,
});

test('a rehearsed closing says what is missing, or that it would be taken, and changes nothing', async () => {
  const before = await kept();
  const stays = await periods('close', '2026-03', '--dry-run', '--json');
  expect([stays.code, stays.json.wouldClose]).toEqual([3, false]);
  expect(stays.json.items.map(({ what }: { what: string }) => what)).toContain('kind_unproven');
  const blank = await periods('close', '2026-03', '--dry-run', '--json', '--reason', '  ');
  expect([blank.code, blank.json.wouldClose]).toEqual([3, false]);
  const closes = await periods('close', '2026-03', '--dry-run', '--reason', 'known');
  expect([closes.code, closes.stdout]).toEqual([0, expect.stringContaining('would close 2026-03')]);
  const never = await periods('close', '2026-04', '--dry-run', '--json', '--reason', 'known');
  expect([never.code, never.json.wouldClose]).toEqual([3, false]);
  expect(await kept()).toEqual(before);
}, 120_000);

test('a month is reopened with a reason that says something; a rehearsed reopening changes nothing', async () => {
  expect((await periods('close', '2026-03', '--reason', ' known ')).code).toBe(0);
  const closed = await kept();
  expect(closed.months).toEqual([{ month: '2026-03', status: 'closed', closings: 1, reason: 'known' }]);
  const blank = await periods('reopen', '2026-03', '--reason', '  ');
  expect([blank.code, blank.stderr]).toEqual([2, expect.stringContaining('a reason is needed')]);
  const rehearsed = await periods('reopen', '2026-03', '--reason', 'a late invoice', '--dry-run');
  expect([rehearsed.code, rehearsed.stdout]).toEqual([0, 'would reopen 2026-03\n']);
  const other = await periods('reopen', '2026-04', '--reason', 'a late invoice', '--dry-run');
  expect([other.code, other.stderr]).toEqual([2, expect.stringContaining('2026-04 is not closed')]);
  expect(await kept()).toEqual(closed);
  expect((await periods('reopen', '2026-03', '--reason', ' a late invoice ')).code).toBe(0);
  expect((await kept()).months).toMatchObject([{ status: 'open', reason: 'a late invoice' }]);
}, 120_000);
