import { beforeAll, expect, test } from 'vitest';
import { sealRows } from '../../src/records/audit/seal-rows.js';
import { judgedBalance } from '../support/classified-balance.js';
import { useDatabase } from '../support/database.js';
import { at, poll } from '../support/observations.js';
import { postBooks } from '../support/posted-books.js';
import { payout } from '../support/records.js';
import { save } from '../support/saved.js';
import { useShell } from '../support/shell.js';

const database = useDatabase();
const shell = useShell(database);
const periods = (...words: string[]) => shell('periods', ...words);

beforeAll(async () => {
  await judgedBalance(database.db, { assetCode: 'BTC', opening: '2', balance: '2', now: new Date(at(0)) });
  await postBooks(database.db);
}, 60_000);

let head = '';
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
  const closing = await periods('close', '2026-03', '--reason', ' known ');
  expect(closing.code).toBe(0);
  head = /keep the head of the seals outside: (\d+:[0-9a-f]{64})\n/.exec(closing.stderr)?.[1] ?? '';
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

test('a rewrite by the owner of the database is named by the head that was kept outside, and stops the next closing', async () => {
  const verify = (...words: string[]) => shell('audit', 'verify', ...words);
  expect((await verify('--head', head)).code).toBe(0);
  expect((await verify('--head', '1')).code).toBe(2);
  const { db } = database;
  await db.transaction(async (trx) => {
    await trx.raw('SET LOCAL session_replication_role = replica');
    await trx.raw(`UPDATE actions SET reason = 'a good one' WHERE action = 'close period' AND outcome = 'done'`);
    await trx.raw(`UPDATE entries SET description = 'other'`);
  });
  const named = await verify();
  expect([named.code, named.stdout]).toEqual([3, expect.stringMatching(/rows? .*of entries .* not what was sealed/)]);
  const stopped = await periods('close', '2026-03', '--reason', 'please', '--json');
  expect(stopped.code).toBe(3);
  expect(stopped.json.items[0]).toMatchObject({ what: 'seals_broken', byReason: false });
  await db.transaction(async (trx) => {
    await trx.raw('SET LOCAL session_replication_role = replica');
    for (const table of ['seals', 'seal_checks']) await trx(table).delete();
    await trx('seal_head').update({ number: 0, hash: '0'.repeat(64) });
    await sealRows({ db: trx, now: () => new Date() });
  });
  expect((await verify()).code).toBe(0);
  const rewritten = await verify('--head', head);
  expect([rewritten.code, rewritten.stdout]).toEqual([3, expect.stringContaining('expected was seal')]);
}, 120_000);

test('an export posts first what is known, and says that the month is open', async () => {
  const statusHistory = [{ status: 'confirmed', timestamp: '2026-03-20T10:00:00.000Z', source: 'chain' }];
  const about = { amount: '1', feeAmount: '0', feeBearer: 'merchant', status: 'confirmed', statusHistory };
  await save(database, [
    poll('payout', payout('po_new', { payoutType: 'withdrawal', assetCode: 'BTC', ...about }), 100),
  ]);
  const exported = await shell('export', '2026-03', '--format', 'hledger', '--out', 'out');
  expect([exported.code, exported.stderr]).toEqual([0, '2026-03 is open: it may still change\n']);
  expect(await database.db('entries').where({ record_id: 'po_new' })).toHaveLength(1);

  await database.db('posting_due').insert({ record_kind: 'payout', record_id: 'po_new' });
  const poster = await database.db.transaction();
  await poster.raw('LOCK TABLE posting_progress IN EXCLUSIVE MODE');
  const behind = await shell('export', '2026-03', '--format', 'hledger', '--out', 'out', '--json');
  await poster.rollback();
  expect([behind.code, behind.json.status]).toEqual([3, 'open']);
  expect(behind.json.findings).toEqual([
    expect.stringMatching(/^posted until 2026-.*Z: 1 change of records not posted yet/),
  ]);
}, 120_000);
