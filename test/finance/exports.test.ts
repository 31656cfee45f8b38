import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, expect, it } from 'vitest';
import { defaultChart } from '../../src/domain/books/chart.js';
import { sumAmounts } from '../../src/domain/money.js';
import type { ExportFormat } from '../../src/finance/export-formats.js';
import { exportMonth } from '../../src/finance/export-month.js';
import { keepRates } from '../../src/records/balances/balance-assets.js';
import { accountTotals } from '../../src/records/books/account-totals.js';
import { attributeBalance } from '../../src/records/books/attribute-balance.js';
import { defaultContract } from '../../src/service-api/contract.js';
import { judgedBalance } from '../support/classified-balance.js';
import { useDatabase } from '../support/database.js';
import { useFolder } from '../support/folder.js';
import { at, poll } from '../support/observations.js';
import { postBooks } from '../support/posted-books.js';
import { paidIntent, payout } from '../support/records.js';
import { save } from '../support/saved.js';

const run = promisify(execFile);
const ASSETS = ['USDT.TRON', '1INCH', 'x"y\n; z'] as const;
const [ASSET] = ASSETS;
const HOSTILE = '=HYPERLINK("http://x"),\n; "a\\b" ';
const database = useDatabase();
const dir = useFolder();

beforeAll(async () => {
  for (const assetCode of ASSETS)
    await judgedBalance(database.db, {
      assetCode,
      opening: '100.000000000000000001',
      balance: '60',
      now: new Date(at(0)),
    });
  await database.db.transaction((trx) =>
    keepRates(trx, [{ assetCode: ASSET, rate: '1.001', seenAt: at(3600), source: 'balance' }]),
  );
  await save(database, [
    poll('payment_intent', paidIntent('pi_1', 'pa_1', { updatedAt: '2026-03-01T15:00:00.000Z' }), 20),
    poll('payout', confirmed('po_1', '2026-03-31T14:59:59.000Z'), 30),
    poll('payout', confirmed(HOSTILE, '2026-04-02T10:00:00.000Z', { amount: '0.000000000000000003' }), 31),
  ]);
  await postBooks(database.db);
  for (const assetCode of ASSETS)
    await attributeBalance(
      database.db,
      { assetCode, amount: '-10', note: 'a settlement', actor: 'ann' },
      new Date('2026-04-03T00:00:00Z'),
    );
  await postBooks(database.db);
}, 60_000);

function confirmed(id: string, timestamp: string, fields = {}) {
  const networkFee = { networkFeeAmount: '3.1', networkFeeAssetCode: 'TRX' };
  const statusHistory = [{ status: 'confirmed', timestamp, source: 'chain' }];
  const about = { payoutType: 'withdrawal', amount: '10', feeAmount: '0.5', feeBearer: 'merchant' };
  return payout(id, { ...about, status: 'confirmed', statusHistory, ...networkFee, ...fields });
}

const write = (month: string, format: ExportFormat) =>
  exportMonth(database.db, {
    month,
    format,
    dir,
    chart: defaultChart,
    currency: 'USD',
    timeZone: 'UTC',
    table: defaultContract.movements,
  });
const text = (name: string) => readFile(path.join(dir, name), 'utf8');
const months = async (): Promise<string[]> => database.db('entries').distinct('month').orderBy('month').pluck('month');

/** Not a skip that nobody sees: it says what was not tried. */
async function isInstalled(program: string): Promise<boolean> {
  const found = await run(program, ['--version']).then(
    () => true,
    () => false,
  );
  if (!found) process.stderr.write(`\n${program} IS NOT INSTALLED: its reading of our books was NOT tried\n`);
  return found;
}

it('writes whole files, with their hashes, and leaves nothing else behind', async () => {
  const { files, status } = await write('2026-03', 'csv');
  expect(status).toBe('open');
  for (const { name, sha256, bytes } of files) {
    const content = await readFile(path.join(dir, name));
    expect([name, createHash('sha256').update(content).digest('hex'), content.length]).toEqual([name, sha256, bytes]);
  }
  const sums = files.map(({ name, sha256 }) => `${sha256}  ${name}\n`).join('');
  expect(await text('2026-03-csv.sha256')).toBe(sums);
  expect((await readdir(dir)).sort()).toEqual([...files.map(({ name }) => name), '2026-03-csv.sha256'].sort());
  expect((await write('2026-03', 'csv')).files).toEqual(files);
});

it('leaves the digits as they are, and makes harmless what others wrote, and only that', async () => {
  await write('2026-04', 'csv');
  const entries = await text('2026-04-entries.csv');
  expect(entries).toContain(`,"'${HOSTILE.replaceAll('"', '""')}"`);
  expect(entries).toContain(',-0.500000000000000003,no,');
  expect(entries).not.toContain(",'-");
  expect(await text('2026-04-values.csv')).toMatch(/\(lines without a rate\),[1-9]/);
});

it('holds the same in ndjson, each month going on where the one before it ended', async () => {
  const read = async (name: string) =>
    (await text(name))
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
  let before: Record<string, string> = {};
  for (const month of await months()) {
    await write(month, 'ndjson');
    const entries = await read(`${month}-entries.ndjson`);
    const totals = await read(`${month}-accounts.ndjson`);
    const activity: Record<string, string[]> = {};
    for (const { account, assetCode, amount, memo } of entries.flatMap(({ lines }) => lines))
      if (!memo) (activity[`${account} ${assetCode}`] ??= []).push(amount);
    for (const total of totals) {
      const of = `${total.account} ${total.assetCode}`;
      expect([of, total.opening]).toEqual([of, before[of] ?? '0']);
      expect([of, total.activity]).toEqual([of, sumAmounts(activity[of] ?? [])]);
      expect([of, total.closing]).toEqual([of, sumAmounts([total.opening, total.activity])]);
    }
    before = Object.fromEntries(totals.map((one) => [`${one.account} ${one.assetCode}`, one.closing]));
  }
  expect(Object.keys(before).length).toBeGreaterThan(5);
});

it('is read by hledger, to the last digit', async (context) => {
  context.skip(!(await isInstalled('hledger')), 'hledger is not installed');
  for (const month of await months()) {
    await write(month, 'hledger');
    const file = path.join(dir, `${month}.journal`);
    await run('hledger', ['-f', file, 'check', '--strict']);
    const { stdout } = await run('hledger', [
      '-f',
      file,
      'balance',
      '--flat',
      '-N',
      '-E',
      '-O',
      'csv',
      '--layout=bare',
    ]);
    const totals = (await accountTotals(database.db, month)).filter(({ assetCode }) => assetCode === ASSET);
    for (const { account, closing } of totals) {
      const row = stdout.split('\n').find((line) => line.startsWith(`"${account}","${ASSET}"`));
      expect([account, plain(row?.split('"').at(-2) ?? '0')]).toEqual([account, closing]);
    }
  }
  const month = (await months()).at(-1) ?? '';
  const wrong = path.join(dir, 'wrong.journal');
  await writeFile(wrong, (await text(`${month}.journal`)).replace(/= (\S+)(?=\d )/, '= $19'));
  await expect(run('hledger', ['-f', wrong, 'check', '--strict'])).rejects.toThrow(/assertion/);
}, 60_000);

it('is read by beancount', async (context) => {
  context.skip(!(await isInstalled('bean-check')), 'beancount is not installed');
  for (const month of await months()) {
    await write(month, 'beancount');
    const { stdout, stderr } = await run('bean-check', ['-C', path.join(dir, `${month}.beancount`)]);
    expect(stdout + stderr).toBe('');
  }
  const month = (await months()).at(-1) ?? '';
  const wrong = path.join(dir, 'wrong.beancount');
  const last = /(?<=balance Assets:Operating {2}\S*)(\d)(?= ~)/;
  await writeFile(
    wrong,
    (await text(`${month}.beancount`)).replace(last, (digit) => String((Number(digit) + 1) % 10)),
  );
  await expect(run('bean-check', [wrong])).rejects.toThrow(/Balance failed/);
}, 60_000);

function plain(amount: string): string {
  return amount.includes('.') ? amount.replace(/\.?0+$/, '') : amount;
}
