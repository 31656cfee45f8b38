import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, expect, it, vi } from 'vitest';
import { sumAmounts } from '../../src/domain/money.js';
import { accountTotals } from '../../src/records/books/account-totals.js';
import { isInstalled } from '../support/accounting-programs.js';
import { useDatabase } from '../support/database.js';
import { ASSET, exportsOf, HOSTILE, postMonths } from '../support/exported-books.js';
import { useFolder } from '../support/folder.js';

const run = promisify(execFile);
const database = useDatabase();
const dir = useFolder();

beforeAll(async () => postMonths(database), 60_000);

const { write, text, months } = exportsOf(database, dir);

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

it('is of one moment, whatever is saved while a second connection begins to write its files', async () => {
  const payouts = '2026-03-payouts.csv';
  const { files: before } = await write('2026-03', 'csv');
  const open = Reflect.get(database.db, 'transaction') as (...given: unknown[]) => unknown;
  const opened = vi.spyOn(database.db, 'transaction');
  let begun = 0;
  opened.mockImplementation(async (...given: unknown[]) => {
    begun += 1;
    if (begun === 2) await database.db('payouts').update({ txid: '0xmeanwhile' });
    return Reflect.apply(open, database.db, given);
  });
  const { files: meanwhile } = await write('2026-03', 'csv');
  opened.mockRestore();
  expect([begun, meanwhile]).toEqual([2, before]);
  const { files: after } = await write('2026-03', 'csv');
  const changed = after.filter(({ sha256 }) => before.every((file) => file.sha256 !== sha256));
  expect(changed.map(({ name }) => name)).toEqual([payouts]);
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
