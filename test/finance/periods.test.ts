import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import request from 'supertest';
import { beforeAll, expect, it } from 'vitest';
import { chartSchema } from '../../src/domain/books/chart.js';
import { dayIn, startOfDay } from '../../src/domain/books/posting-month.js';
import { sumAmounts } from '../../src/domain/money.js';
import { type ExportFormat, exportFormatNames } from '../../src/finance/export-formats.js';
import { exportMonth } from '../../src/finance/export-month.js';
import { checkPeriod } from '../../src/finance/periods/check-period.js';
import { closePeriod } from '../../src/finance/periods/close-period.js';
import { reopenPeriod } from '../../src/finance/periods/reopen-period.js';
import { createLog } from '../../src/log.js';
import { accountTotals } from '../../src/records/books/account-totals.js';
import { listEntries } from '../../src/records/books/list-entries.js';
import { getPeriod } from '../../src/records/books/periods.js';
import { defaultContract } from '../../src/service-api/contract.js';
import { judgedBalance } from '../support/classified-balance.js';
import { bearer, testConsole } from '../support/console.js';
import { useDatabase } from '../support/database.js';
import { useFolder } from '../support/folder.js';
import { silentOfExceptions, unmarked } from '../support/month-files.js';
import { at, poll } from '../support/observations.js';
import { payout } from '../support/records.js';
import { save } from '../support/saved.js';

const ASSET = 'USDT.TRON';
const PAYOUTS = process.env['TALLYHOOK_LONG'] === undefined ? 20 : 1_000;
const zone = { timeZone: 'Asia/Tokyo', currency: 'USD', table: defaultContract.movements };
const database = useDatabase();
const dir = useFolder();

beforeAll(async () => {
  await judgedBalance(database.db, { assetCode: ASSET, opening: '100', balance: '60', now: new Date(at(0)) });
  await savePayouts('2026-03-31T14:59:59.000Z', '0.5', 100);
}, 60_000);

async function savePayouts(timestamp: string, feeAmount: string, second: number): Promise<void> {
  const about = { payoutType: 'withdrawal', amount: '0.000000000000000001', feeAmount, feeBearer: 'merchant' };
  const statusHistory = [{ status: 'confirmed', timestamp, source: 'chain' }];
  const readings = Array.from({ length: PAYOUTS }, (_, n) =>
    poll('payout', payout(`po_${n}`, { ...about, status: 'confirmed', statusHistory }), second),
  );
  await save(database, readings);
}

const datev = { consultant: 1001, client: 1, other: '1590' };
const ownChart = chartSchema.parse({ datev });

const close = (month: string, reason: string | null = null, now = '2026-07-01T00:00:00Z') =>
  closePeriod(
    { ...zone, db: database.db, log: createLog('silent'), chart: ownChart, now: () => new Date(now) },
    { month, actor: 'fina', reason },
  );
const reopen = (month: string) => reopenPeriod(database.db, { month, actor: 'fina', reason: 'the auditor asked' });
const missing = async (...asked: Parameters<typeof close>) => [
  ...new Set((await close(...asked)).missing.map(({ what }) => what)),
];
const otherChart = chartSchema.parse({ accounts: { 'assets:operating': 'assets:elsewhere' }, datev });
const exported = async (month: string, format: ExportFormat, chart = ownChart) => {
  const { files, status } = await exportMonth(database.db, {
    month,
    format,
    dir,
    chart,
    currency: 'USD',
    timeZone: 'Asia/Tokyo',
    table: zone.table,
  });
  return { files, status };
};
const all = (month: string, chart = ownChart) =>
  Promise.all(exportFormatNames.map((format) => exported(month, format, chart)));

/** Of the files as they were exported last, those that are text. */
async function texts(): Promise<Map<string, string>> {
  const names = (await readdir(dir)).filter((name) => /\.(csv|ndjson|journal|beancount)$/.test(name));
  return new Map(
    await Promise.all(names.map(async (name) => [name, await readFile(path.join(dir, name), 'utf8')] as const)),
  );
}

it('knows when a day begins in the zone of the books, also where clocks change', () => {
  expect(new Date(startOfDay('Asia/Tokyo', '2026-04-01')).toISOString()).toBe('2026-03-31T15:00:00.000Z');
  expect(new Date(startOfDay('America/Santiago', '2026-09-06')).toISOString()).toBe('2026-09-06T04:00:00.000Z');
  for (const timeZone of ['Pacific/Apia', 'Pacific/Pago_Pago', 'Europe/Berlin', 'Pacific/Kiritimati']) {
    const start = startOfDay(timeZone, '2026-11-01');
    expect([dayIn(timeZone, start - 1), dayIn(timeZone, start)]).toEqual(['2026-10-31', '2026-11-01']);
  }
});

it('does not close a month that is not over, whatever the reason', async () => {
  expect(await missing('2026-03', 'please', '2026-03-31T14:59:59.999Z')).toContain('month_not_over');
  expect(await missing('2026-03', null, '2026-03-31T15:00:00.000Z')).not.toContain('month_not_over');
  expect(await missing('2026-02', 'please')).toContain('nothing_posted');
});

it('names all that is missing, and closes only with a reason', async () => {
  const refused = await close('2026-03');
  expect(refused.outcome).toBe('refused');
  expect(await missing('2026-03')).toEqual(['kind_unproven', 'balance_unproven', 'unpriced_lines']);
  const words = refused.missing.map((one) => one.told).join('\n');
  expect(words).toMatch(/the service may have held .*unexplained; .*break \d+ is open: balance residual/);
  expect(words).toMatch(/payouts: no run was ever proven complete/);
  expect(words).toMatch(
    /lines? of USDT\.TRON without a value, (on [-\d]{10}|from [-\d]{10} to [-\d]{10}), such as in entry \d+/,
  );
  expect(await getPeriod(database.db, '2026-03')).toMatchObject({ status: 'open', files: [] });
});

it('keeps the bytes of a closed month, whatever changes later; what changes stands in the next', async () => {
  await close('2026-03');
  await all('2026-03');
  const open = await texts();
  expect(await close('2026-03', 'the residual is being looked into')).toMatchObject({ outcome: 'closed' });
  const before = await all('2026-03');
  const closed = await texts();
  expect([...closed.values()].every((text) => !text.includes('monthStatus":"open') && !/,open\r$/m.test(text))).toBe(
    true,
  );
  for (const [name, text] of open) {
    expect(unmarked(name, closed.get(name) ?? ''), name).toBe(unmarked(name, text));
    if (text.split('\n').length > 2)
      expect(text).toMatch(/,open\r\n|"monthStatus":"open"|; Tallyhook, 2026-03: open\n|;"2026-03 open";/);
  }
  const files = before.flatMap((one) => one.files.filter(({ name }) => !name.endsWith('.sha256')));
  expect(files.length).toBeGreaterThan(exportFormatNames.length);
  for (const { name } of files)
    expect(silentOfExceptions(name, '2026-03', await readFile(path.join(dir, name))), name).toBeNull();
  const totals = await accountTotals(database.db, '2026-03');

  await savePayouts('2026-03-31T14:59:59.000Z', '0.7', 200);
  expect(await missing('2026-04', 'please', '2026-04-02T00:00:00Z')).toContain('month_not_over');
  expect(await all('2026-03', otherChart)).toEqual(before);
  expect(before[0]?.status).toBe('closed');
  expect(await accountTotals(database.db, '2026-03')).toEqual(totals);

  const april = (await listEntries(database.db, { month: '2026-04', take: 500 })).items;
  const adjusting = april.filter(({ recordKind }) => recordKind === 'payout');
  expect(adjusting.length).toBe(Math.min(PAYOUTS * 2, 500));
  expect(new Set(adjusting.map(({ adjusts }) => adjusts))).toEqual(new Set(['2026-03']));
  const closing = new Map(totals.map((one) => [`${one.account} ${one.assetCode}`, one.closing]));
  for (const one of await accountTotals(database.db, '2026-04')) {
    expect(one.opening).toBe(closing.get(`${one.account} ${one.assetCode}`) ?? '0');
    expect(one.closing).toBe(sumAmounts([one.opening, one.activity]));
  }
}, 60_000);

it.each(['', '  ', '\n'])('takes no empty reason (%j), neither to close nor to reopen', async (reason) => {
  expect(await close('2026-04', reason)).toMatchObject({ outcome: 'refused' });
  const given = { month: '2026-03', actor: 'fina', reason };
  expect(await reopenPeriod(database.db, given)).toMatchObject({ outcome: 'refused', why: 'a reason is needed' });
  expect(await getPeriod(database.db, '2026-03')).toMatchObject({ status: 'closed', reopenedBy: null });
});

it('closes in order and reopens the newest first, each closing with files of its own', async () => {
  expect(await missing('2026-05', 'please')).toContain('earlier_month_open');
  expect(await close('2026-04', 'the same')).toMatchObject({ outcome: 'closed' });
  expect(await missing('2026-04', 'please')).toContain('already_closed');
  expect(await reopen('2026-03')).toMatchObject({ outcome: 'refused', why: '2026-04 is to be reopened first' });
  expect(await reopen('2026-05')).toMatchObject({ outcome: 'refused', why: '2026-05 is not closed' });
  expect(await reopen('2026-04')).toMatchObject({ outcome: 'reopened' });
  expect(await getPeriod(database.db, '2026-04')).toMatchObject({ status: 'open', reopenedBy: 'fina', files: [] });
  await savePayouts('2026-04-10T00:00:00.000Z', '0.9', 300);
  await close('2026-04', 'once more');
  expect(await getPeriod(database.db, '2026-04')).toMatchObject({ status: 'closed', closings: 2 });
  const actions = await database.db('actions').where({ target: 'period 2026-04', outcome: 'done' }).orderBy('id');
  expect(actions.map(({ action, reason }) => [action, reason])).toEqual([
    ['close period', 'the same'],
    ['reopen period', 'the auditor asked'],
    ['close period', 'once more'],
  ]);
}, 60_000);

it('the last month of all is never over, and of many open months the first twenty are listed', async () => {
  const check = (month: string) => checkPeriod(database.db, month, { ...zone, now: new Date('2099-01-01T00:00:00Z') });
  expect((await check('9999-12')).missing[0]).toMatchObject({ what: 'month_not_over' });
  const earlier = (await check('2030-01')).missing.filter(({ what }) => what === 'earlier_month_open');
  expect(earlier).toHaveLength(21);
  // Of the 44 from May 2026 to the end of 2029.
  expect(earlier[0]).toMatchObject({ of: '2026-05' });
  expect(earlier[20]).toMatchObject({ of: null, told: '24 more earlier months are not closed' });
});

it('gives out no stored file that is not what was stored, and closes nothing over broken seals', async () => {
  const byte = (change: string) =>
    database.db.raw(`UPDATE period_file_parts SET content = set_byte(content, 5, get_byte(content, 5) ${change}) WHERE file_id = (
                       SELECT min(id) FROM period_files WHERE month = '2026-04' AND closing = 2 AND format = 'ndjson' AND bytes > 0)`);
  await database.db.raw('ALTER TABLE period_file_parts DISABLE TRIGGER USER');
  await byte('+ 1');
  await expect(exported('2026-04', 'ndjson')).rejects.toThrow('is not what was stored');
  const refused = await close('2026-05', 'please');
  expect(refused.missing[0]).toMatchObject({ what: 'seals_broken', byReason: false });
  expect(refused.missing[0]?.told).toMatch(/^1 finding .* the stored file 2026-04-\S+ .* is not what was stored/);
  await byte('- 1');
  await database.db.raw('ALTER TABLE period_file_parts ENABLE TRIGGER USER');
  await expect(database.db('period_file_parts').delete()).rejects.toThrow('append-only');
});

it('is asked by programs: only finance closes and reopens, with a reason', async () => {
  const { app } = testConsole(database.db, { books: { ...zone, chart: async () => ownChart, settlementDays: 5 } });
  const ask = (verb: 'get' | 'post', url: string, role: string) =>
    request(app)[verb](`/api/v1/periods${url}`).set(bearer(role));
  const [viewer, operator, finance] = ['viewer', 'operator', 'finance'];
  expect((await ask('get', '', viewer)).body.items[0]).toMatchObject({ month: '2026-04', status: 'closed' });
  expect((await ask('get', '?take=1&cursor=bm90', viewer)).status).toBe(400);
  for (const verb of ['close', 'reopen'])
    expect((await ask('post', `/2026-04/${verb}`, operator).send({ reason: 'x' })).status).toBe(403);
  expect((await ask('post', '/2026-04/reopen', finance).send({})).status).toBe(400);
  const reopened = await ask('post', '/2026-04/reopen', finance).send({ reason: 'a late invoice' });
  expect([reopened.status, reopened.body.status]).toEqual([200, 'open']);
  const refused = await ask('post', '/2026-04/close', finance).send({});
  expect(refused.status).toBe(409);
  expect(refused.body.missing.length).toBeGreaterThan(3);
  expect((await ask('get', '/2026-04/check', viewer)).body.missing).not.toEqual([]);
  const closed = await ask('post', '/2026-04/close', finance).send({ reason: 'known' });
  expect(closed.body).toMatchObject({ status: 'closed', closedBy: 'fina', closings: 3, reason: 'known' });
  expect((await ask('get', '/2026-13/check', viewer)).status).toBe(400);
});

it('says of each month how many entries it has', async () => {
  const counted = await database.db('entries').count('* as entries').groupBy('month').select('month');
  expect(counted.length).toBeGreaterThan(0);
  for (const { month, entries } of counted) {
    expect(await getPeriod(database.db, String(month))).toMatchObject({ entries: Number(entries) });
  }
});
