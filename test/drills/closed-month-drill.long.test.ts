import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { exportFormatNames } from '../../src/finance/export-formats.js';
import { judgedBalance } from '../support/classified-balance.js';
import { useFreshDatabase } from '../support/database.js';
import { DRILL_MS, report, until } from '../support/drill.js';
import { createInstallation, type Installation } from '../support/installation.js';
import { at, poll } from '../support/observations.js';
import { payout } from '../support/records.js';
import { save } from '../support/saved.js';

const CHANGES = 1_000;
const [MONTH, NEXT] = ['2026-03', '2026-04'];
const kinds = [
  'PAYMENT_INTENTS',
  'INVOICES',
  'PAYOUTS',
  'ACCOUNTS',
  'TRANSACTIONS',
  'BALANCES',
  'DELIVERIES',
  'ENDPOINTS',
  'CATALOG',
];

const database = useFreshDatabase();
let installation: Installation;

beforeEach(async () => {
  await judgedBalance(database.db, { assetCode: 'USDT.TRON', opening: '100', balance: '60', now: new Date(at(0)) });
  // The records are given by hand: nothing is read.
  const env = Object.fromEntries(kinds.map((kind) => [`RECONCILE_${kind}_CRON`, 'off']));
  installation = await createInstallation({ databaseUrl: database.url, env: { ...env, BOOKS_TIMEZONE: 'Asia/Tokyo' } });
}, DRILL_MS);
afterEach(async () => {
  await installation?.close();
});

async function payouts(feeAmount: string, second: number): Promise<void> {
  const statusHistory = [{ status: 'confirmed', timestamp: '2026-03-31T14:59:59.000Z', source: 'chain' }];
  const about = { payoutType: 'withdrawal', amount: '0.000000000000000001', feeAmount, feeBearer: 'merchant' };
  const readings = Array.from({ length: CHANGES }, (_, n) =>
    poll('payout', payout(`po_${n}`, { ...about, status: 'confirmed', statusHistory }), second),
  );
  await save(database, readings);
}

async function entries(month: string): Promise<number> {
  const row = await database.db('entries').where({ month, record_kind: 'payout' }).count('* as count').first();
  return Number(row?.['count']);
}

async function posted(month: string, count: number): Promise<void> {
  await until(`${count} entries in ${month}`, async () => {
    const found = await entries(month);
    return found === count || `${found}`;
  });
}

/** Each format by a process of its own: name → content. */
async function exported(folder: string): Promise<Map<string, string>> {
  const dir = path.join(installation.cwd, folder);
  // DATEV asks for a chart.
  for (const format of exportFormatNames.filter((name) => name !== 'datev')) {
    const { code, stderr } = await installation.run(['export', MONTH, '--format', format, '--out', dir]);
    expect([format, code], stderr).toEqual([format, 0]);
  }
  const names = await readdir(dir);
  return new Map(
    await Promise.all(names.map(async (name) => [name, await readFile(path.join(dir, name), 'base64')] as const)),
  );
}

test(`a closed month is the same bytes after ${CHANGES} later changes and a restart; the changes stand in the next month`, {
  timeout: DRILL_MS,
}, async () => {
  await payouts('0.5', 100);
  await installation.start('schedule');
  await posted(MONTH, CHANGES);
  const closed = await installation.run(['periods', 'close', MONTH, '--reason', 'the residual is known', '--json']);
  expect(closed.code, closed.stdout + closed.stderr).toBe(0);
  const before = await exported('before');

  await payouts('0.7', 200);
  await installation.kill('schedule');
  await installation.start('schedule');
  // Each is taken back, and booked anew.
  await posted(NEXT, 2 * CHANGES);
  expect(await entries(MONTH)).toBe(CHANGES);
  expect(
    await database.db('entries').where({ month: NEXT, record_kind: 'payout' }).distinct('adjusts').pluck('adjusts'),
  ).toEqual([MONTH]);
  await installation.stop('schedule');
  const after = await exported('after');

  report('closed-month-drill', { files: before.size, changes: CHANGES, entries: await entries(NEXT) });
  expect(before.size).toBeGreaterThan(20);
  expect([...after]).toEqual([...before]);
  const now = await installation.run(['export', NEXT, '--format', 'csv', '--out', path.join(installation.cwd, 'next')]);
  expect(now.code, now.stderr).toBe(0);
});
