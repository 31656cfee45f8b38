import { execFile } from 'node:child_process';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { unzipSync } from 'fflate';
import type { Knex } from 'knex';
import { beforeAll, expect, it } from 'vitest';
import { defaultChart } from '../../src/domain/books/chart.js';
import { exportAudit } from '../../src/finance/audit/export-audit.js';
import { packMonth } from '../../src/finance/audit/pack-month.js';
import { closePeriod } from '../../src/finance/periods/close-period.js';
import { createLog } from '../../src/log.js';
import { recordAction } from '../../src/records/actions/record-action.js';
import { closedHeads } from '../../src/records/audit/pack-facts.js';
import { sealRows } from '../../src/records/audit/seal-rows.js';
import { getPeriod } from '../../src/records/books/periods.js';
import { markSettlement } from '../../src/records/books/settlements.js';
import { decideBreak } from '../../src/records/breaks/decide-breaks.js';
import { finishRun, startRun } from '../../src/records/runs/runs.js';
import { defaultContract } from '../../src/service-api/contract.js';
import { judgedBalance } from '../support/classified-balance.js';
import { useDatabase } from '../support/database.js';
import { useFolder } from '../support/folder.js';
import { giveRates } from '../support/given-rates.js';
import { silentOfExceptions } from '../support/month-files.js';
import { at, poll } from '../support/observations.js';
import { postBooks } from '../support/posted-books.js';
import { rebooked } from '../support/rebooked.js';
import { payout } from '../support/records.js';
import { save } from '../support/saved.js';

const DOCUMENT = new URL('../../docs/audit.md', import.meta.url);
const books = { timeZone: 'UTC', currency: 'USD', chart: defaultChart, table: defaultContract.movements };
const now = () => new Date();
const database = useDatabase();
let db: Knex;
const dir = useFolder();

beforeAll(async () => {
  db = database.db;
  const program = /```js\n([\s\S]+?)```/.exec(await readFile(DOCUMENT, 'utf8'))?.[1] ?? '';
  expect(program.trim().split('\n').length).toBeLessThan(45);
  await writeFile(path.join(dir, 'check.mjs'), program);
  await judgedBalance(db, { assetCode: 'USDT.TRON', opening: '100', balance: '60', now: new Date(at(0)) });
  await savePayout('po_1', 'line\u2028separators "and" \r\n quotes');
  await sealRows({ db, now });
  await savePayout('po_2', 'more');
  await postBooks(db);
  await recordAction(db, {
    actor: 'ann',
    action: 'look',
    reason: 'ünïcode 𝄞',
    details: { n: 1.5, a: ['b'] },
    outcome: 'done',
  });
}, 120_000);

async function savePayout(id: string, description: string, payoutType = 'withdrawal'): Promise<void> {
  const about = { payoutType, amount: '1', feeAmount: '0.5', feeBearer: 'merchant', status: 'confirmed' };
  const statusHistory = [{ status: 'confirmed', timestamp: '2026-03-20T10:00:00.000Z', source: 'chain' }];
  await save(database, [poll('payout', payout(id, { ...about, statusHistory, description }), 100)]);
}

/** What the program of the document says of a folder. */
function verify(folder: string): Promise<{ code: number; said: string }> {
  return new Promise((resolve) => {
    execFile(process.execPath, [path.join(dir, 'check.mjs'), folder], (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code), said: stdout + stderr });
    });
  });
}

it('is verified by a program that was written from the document', async () => {
  await sealRows({ db, now });
  const out = path.join(dir, 'all');
  const exported = await exportAudit(db, { dir: out, from: null, to: null });
  expect((await readdir(out)).sort()).toEqual(['audit.sha256', 'manifest.json', 'rows.ndjson', 'seals.ndjson']);
  expect(await verify(out)).toEqual({ code: 0, said: '' });
  const part = path.join(dir, 'part');
  await exportAudit(db, { dir: part, from: '2', to: '3' });
  expect(await verify(part)).toEqual({ code: 0, said: '' });
  expect(await exportAudit(db, { dir: part, from: '900', to: null })).toBeNull();

  const rows = await readFile(path.join(out, 'rows.ndjson'), 'utf8');
  const lines = rows.split('\n');
  const damaged: [string, string, string][] = [
    ['a byte', rows.replace('"ann"', '"anm"'), 'the rows are not what was sealed'],
    ['a row gone', [...lines.slice(0, 3), ...lines.slice(4)].join('\n'), 'rows, sealed were'],
    ['two rows changed places', [lines[1], lines[0], ...lines.slice(2)].join('\n'), 'the rows are not what was sealed'],
  ];
  for (const [what, text, said] of damaged) {
    await writeFile(path.join(out, 'rows.ndjson'), text);
    expect(await verify(out), what).toMatchObject({ code: 3, said: expect.stringContaining(said) });
  }
  await writeFile(path.join(out, 'rows.ndjson'), rows);
  const seals = await readFile(path.join(out, 'seals.ndjson'), 'utf8');
  await writeFile(path.join(out, 'seals.ndjson'), seals.replace(/"rows":"\d+"/, '"rows":"99"'));
  expect((await verify(out)).said).toContain('seal 2 does not follow the one before it');
  await writeFile(path.join(out, 'seals.ndjson'), seals.split('\n').slice(0, -2).join('\n') + '\n');
  expect((await verify(out)).said).toContain('the last seal is not the one');
  expect(exported?.headHash).toMatch(/^[0-9a-f]{64}$/);
});

const pack = async (name: string, month = '2026-03') => {
  const out = path.join(dir, name);
  const result = await packMonth({ db, now }, { ...books, month, out });
  if (result.outcome === 'refused') throw new Error(result.why);
  return { ...result, bytes: await readFile(out) };
};
const give = (rate: string) =>
  giveRates(`date,asset,currency,rate\n2026-03-20,USDT.TRON,USD,${rate}\n`, { ...books, db });
const mark = async (amount: string, difference?: 'fees') => {
  const said = { payoutId: 'po_9', amount, on: '2026-03-21', difference, note: 'the statement', actor: 'fina' };
  expect(await markSettlement(db, said, { ...books, settlementDays: 5 }, now())).toMatchObject({ outcome: 'done' });
};
const textOf = (files: Record<string, Uint8Array>, name: string) => Buffer.from(files[name] ?? []).toString();

it('packs a month as it stands while it is open, and says so', async () => {
  const { bytes, status } = await pack('open.zip');
  const files = unzipSync(bytes);
  expect(status).toBe('open');
  expect(textOf(files, 'README.txt')).toContain('The month is OPEN');
  expect(textOf(files, 'books/2026-03-entries.ndjson')).toContain('po_2');
  expect(textOf(files, 'books/2026-03.journal')).toMatch(
    /^; Tallyhook, 2026-03: open\n; Posted until \S+\. The month is open/,
  );
});

it('packs a closed month with the same bytes, whatever came later, and it can be checked with what is in it', async () => {
  await db('secrets').insert({ label: 'main', fingerprint: 'c0ffee12' });
  const { id: run } = await startRun(db, 'payouts', false, now());
  const tally = { calls: 1, seen: 2, changed: 2, breaksOpened: 0 };
  await finishRun(db, run, {
    ...tally,
    status: 'succeeded',
    complete: true,
    proof: { b: 1, a: 2 },
    error: null,
    now: now(),
  });
  const [found] = await db('breaks').where({ status: 'open' }).orderBy('id');
  await decideBreak(db, found.id, 'acknowledge', { actor: 'fina', note: 'known' });
  await give('0.98');
  await give('0.99');
  await savePayout('po_9', 'to the bank', 'settlement');
  await postBooks(db);
  await mark('0.5', 'fees');
  await mark('0.99');
  await rebooked(db, 'USDT.TRON', '2026-03-22');
  const closing = {
    ...books,
    db,
    log: createLog('silent'),
    now: () => new Date('2026-05-02'),
  };
  expect(
    await closePeriod(closing, {
      month: '2026-03',
      actor: 'fina',
      reason: 'known',
      approval: { decision: '9', approvedBy: 'jonas' },
    }),
  ).toMatchObject({
    outcome: 'closed',
  });

  const first = await pack('first.zip');
  const files = unzipSync(first.bytes);
  for (const [name, bytes] of Object.entries(files)) {
    const file = path.join(dir, 'unpacked', name);
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, bytes);
  }
  const sums = textOf(files, 'MANIFEST.sha256').trim().split('\n');
  expect(sums.map((line) => line.slice(66)).sort()).toEqual(
    Object.keys(files)
      .filter((name) => name !== 'MANIFEST.sha256')
      .sort(),
  );
  const stored = await db('period_files').select('name', 'sha256');
  for (const { name, sha256 } of stored) expect(sums).toContain(`${sha256}  books/${name}`);
  expect(await verify(path.join(dir, 'unpacked/seals'))).toEqual({ code: 0, said: '' });
  expect(textOf(files, 'README.txt')).toContain(first.seals.headHash);
  expect(textOf(files, 'README.txt')).toMatch(
    /closed WITH EXCEPTIONS at \S+ by fina, who asked for it, and jonas, who approved it\. Why: known\nWhat was missing:\n {2}- /,
  );
  expect(await getPeriod(db, '2026-03')).toMatchObject({
    closedBy: 'fina',
    approvedBy: 'jonas',
    exceptions: expect.arrayContaining([expect.stringMatching(/-39 is unexplained/)]),
  });
  const packed = Object.entries(files).filter(([name]) => name.startsWith('books/'));
  expect(packed.length).toBe(stored.length);
  for (const [name, bytes] of packed)
    expect(silentOfExceptions(path.basename(name), '2026-03', bytes), name).toBeNull();
  const [sent] = await closedHeads(db);
  expect(textOf(files, 'HEAD')).toBe(`${sent?.number}:${sent?.hash}\n`);
  expect(textOf(files, 'README.txt')).toContain('has since become more severe');
  expect(JSON.parse(textOf(files, 'about.json'))).toMatchObject({
    month: '2026-03',
    status: 'closed',
    closed: {
      by: 'fina',
      approvedBy: 'jonas',
      reason: 'known',
      exceptions: expect.arrayContaining([expect.stringMatching(/-39 is unexplained/)]),
    },
  });
  expect(textOf(files, 'breaks.ndjson')).toContain('"note":"known"');
  expect(textOf(files, 'runs.ndjson')).toContain('"proof":{"a":2,"b":1}');
  expect(textOf(files, 'actions.ndjson').trim().split('\n').at(-1)).toContain('"action":"close period"');
  const lines = (name: string) =>
    textOf(files, name)
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
  const given = { date: '2026-03-20', asset_code: 'USDT.TRON', currency: 'USD', actor: 'ann' };
  expect(lines('given-rates.ndjson')).toMatchObject([
    { ...given, rate: '0.98', replaced: null },
    { ...given, rate: '0.99', replaced: '0.98' },
  ]);
  const said = { payout: 'po_9', currency: 'USD', on: '2026-03-21', note: 'the statement', actor: 'fina' };
  expect(lines('settlement-marks.ndjson')).toMatchObject([
    { ...said, before: null, amount: '0.5', difference: 'fees' },
    { ...said, before: '0.5', amount: '0.99', difference: null },
  ]);
  const moved = { from: 'income:attributed', contra: 'equity:deposits', on: '2026-03-22', step: 1 };
  expect(lines('attributions.ndjson')).toMatchObject([
    { balance: 'USDT.TRON', actor: 'fina', amount: '-1', contra: 'income:attributed' },
    { balance: 'USDT.TRON', actor: 'fina', amount: '-1', ...moved },
  ]);
  const saying = packed.filter(([, bytes]) => Buffer.from(bytes).includes('rebooking 1 of attribution 1'));
  expect(saying.map(([name]) => path.basename(name))).toEqual([
    '2026-03-entries.csv',
    '2026-03-entries.ndjson',
    '2026-03.journal',
    '2026-03-activity.journal',
    '2026-03.beancount',
    '2026-03-activity.beancount',
    '2026-03-journal.csv',
  ]);
  expect(JSON.parse(textOf(files, 'secrets.json'))).toEqual({
    asOf: 'closing',
    secrets: [{ label: 'main', fingerprint: 'c0ffee12', retiredAt: null }],
  });

  await db('secrets').update({ fingerprint: 'other' });
  await savePayout('po_3', 'later');
  await give('1.01');
  await mark('0.7', 'fees');
  await decideBreak(db, found.id, 'resolve', { actor: 'fina', note: 'gone' });
  await recordAction(db, { actor: 'ann', action: 'look', outcome: 'done' });
  await sealRows({ db, now });
  const second = await pack('second.zip');
  expect(second.bytes.equals(first.bytes)).toBe(true);
  const out = path.join(dir, 'third.zip');
  await packMonth({ db, now }, { ...books, timeZone: 'Asia/Tokyo', currency: 'EUR', month: '2026-03', out });
  expect((await readFile(out)).equals(first.bytes)).toBe(true);
});
