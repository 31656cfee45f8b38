import { beforeAll, expect, it } from 'vitest';
import { defaultChart } from '../../src/domain/books/chart.js';
import type { JsonObject } from '../../src/domain/json.js';
import type { EntryView } from '../../src/domain/views/books-shapes.js';
import { importRatesFile } from '../../src/finance/import-rates.js';
import { postEntries } from '../../src/finance/post-entries.js';
import { createLog } from '../../src/log.js';
import { accountTotals } from '../../src/records/books/account-totals.js';
import { attributeBalance } from '../../src/records/books/attribute-balance.js';
import { getEntry, listEntries } from '../../src/records/books/list-entries.js';
import { defaultContract } from '../../src/service-api/contract.js';
import { judgedBalance } from '../support/classified-balance.js';
import { closeMonth } from '../support/closed-month.js';
import { useDatabase } from '../support/database.js';
import { absence, at, poll } from '../support/observations.js';
import { paidIntent, payout } from '../support/records.js';
import { save } from '../support/saved.js';
import { showRates } from '../support/shown-rates.js';

const ASSET = 'USDT.TRON';
const HOUR = 3600;
const database = useDatabase();

beforeAll(async () => {
  await judgedBalance(database.db, { assetCode: ASSET, opening: '100', balance: '60', now: new Date(at(0)) });
  await showRates(database.db, [
    { assetCode: ASSET, rate: '1.001', at: at(HOUR) },
    { assetCode: ASSET, rate: '1.002', at: Date.parse('2026-03-31T12:00:00Z') },
  ]);
}, 60_000);

const post = () =>
  postEntries({
    db: database.db,
    log: createLog('silent'),
    table: defaultContract.movements,
    timeZone: 'Asia/Tokyo',
    currency: 'USD',
  });
const entriesOf = async (recordId: string, key?: string): Promise<EntryView[]> =>
  (await listEntries(database.db, { recordId, take: 500 })).items.filter((one) => !key || one.key === key).reverse();
const totals = async (month = '9999-12') =>
  Object.fromEntries(
    (await accountTotals(database.db, month)).flatMap(({ account, closing }) =>
      closing === '0' ? [] : [[account, closing]],
    ),
  );
const withdrawal = (fields: JsonObject): JsonObject =>
  payout('po_1', {
    payoutType: 'withdrawal',
    amount: '10',
    feeAmount: '0.5',
    feeBearer: 'merchant',
    status: 'confirmed',
    statusHistory: [{ status: 'confirmed', timestamp: '2026-03-31T14:59:59.000Z', source: 'chain' }],
    networkFeeAmount: '3.1',
    networkFeeAssetCode: 'TRX',
    ...fields,
  });

it('posts a payment once, on the day of the books’ zone, valued at what the service showed then', async () => {
  const { statusHistory: _, ...paid } = paidIntent('pi_1', 'pa_1', { updatedAt: '2026-03-01T15:00:00.000Z' });
  await save(database, [poll('payment_intent', paid, 20)]);
  expect(await post()).toMatchObject({ complete: true });
  const [entry, ...more] = await entriesOf('pi_1');
  expect(more).toEqual([]);
  expect(entry).toMatchObject({
    date: '2026-03-02',
    month: '2026-03',
    at: '2026-03-01T15:00:00.000Z',
    datedBy: 'updated',
  });
  expect(entry?.lines[0]).toMatchObject({
    account: 'assets:operating',
    amount: '25.839',
    rate: '1.001',
    rateSource: 'service',
  });
  expect(await getEntry(database.db, entry?.id ?? '')).toEqual(entry);
  expect(await post()).toEqual({ records: 0, entries: 0, complete: true });
  expect(await totals()).toEqual({
    'assets:operating': '125.839',
    'equity:opening': '-100',
    'expenses:fees:service': '0.261',
    'income:payments': '-26.1',
  });
});

it('puts a payout of nobody knows whom to the operating balance where no sub-wallet shows it, with the gas as a memo', async () => {
  await save(database, [poll('payout', withdrawal({}), 30)]);
  await post();
  expect(await entriesOf('po_1', 'payout')).toMatchObject([{ date: '2026-03-31', datedBy: 'status_history' }]);
  expect(await entriesOf(ASSET, '2026-03-31')).toMatchObject([{ recordKind: 'placement', month: '2026-03' }]);
  const [memo] = await entriesOf('po_1', 'network-fee');
  expect(memo?.lines).toMatchObject([
    { account: 'expenses:fees:network', assetCode: 'TRX', amount: '3.1', memo: true },
  ]);
  expect(memo?.lines[0]?.unpriced).toContain('no rate of TRX');
  expect(await totals()).toMatchObject({ 'assets:operating': '115.339', 'equity:withdrawals': '10' });
  expect(await totals()).not.toHaveProperty('assets:in-transit:payouts');
});

it('corrects what is shown otherwise by a reversal and a new entry, each referring to the old one', async () => {
  await save(database, [poll('payout', withdrawal({ feeAmount: '0.7' }), 40)]);
  await post();
  const [first, reversal, correction] = await entriesOf('po_1', 'payout');
  expect(reversal).toMatchObject({ type: 'reversal', reverses: first?.id, date: first?.date, version: 2 });
  expect(correction).toMatchObject({ type: 'correction', corrects: first?.id, reverses: null, version: 3 });
  expect(reversal?.lines.map(({ rate }) => rate)).toEqual(['1.002', '1.002', '1.002']);
  expect(first?.lines.map(({ rate }) => rate)).toEqual(['1.002', '1.002', '1.002']);
  expect(await totals()).toMatchObject({ 'assets:operating': '115.139', 'expenses:fees:service': '0.961' });
});

it('puts what changes in a closed month into the next open one, and leaves the month as it was', async () => {
  for (const month of ['2026-03', '2026-04']) await closeMonth(database.db, month);
  const before = await totals('2026-04');
  await save(database, [poll('payout', withdrawal({ feeAmount: '0.9' }), 50)]);
  await post();
  expect(await totals('2026-04')).toEqual(before);
  expect((await entriesOf('po_1', 'payout')).slice(3)).toMatchObject([
    { type: 'reversal', month: '2026-05', date: '2026-05-01', adjusts: '2026-03', at: '2026-03-31T14:59:59.000Z' },
    { type: 'correction', month: '2026-05', date: '2026-05-01', adjusts: '2026-03' },
  ]);
  const may = await accountTotals(database.db, '2026-05');
  expect(may.find(({ account }) => account === 'assets:operating')).toMatchObject({
    opening: '115.139',
    activity: '-0.2',
    closing: '114.939',
  });
});

it('takes back what the service no longer shows', async () => {
  await save(database, [absence('payout', 'po_1', 60)]);
  await post();
  expect((await entriesOf('po_1', 'payout')).at(-1)).toMatchObject({ type: 'reversal', month: '2026-05' });
  expect(await totals()).toMatchObject({ 'assets:operating': '125.839', 'expenses:fees:service': '0.261' });
  await save(database, [poll('payout', withdrawal({ feeAmount: '0.9' }), 70)]);
  await post();
  expect((await entriesOf('po_1', 'payout')).at(-1)).toMatchObject({ type: 'correction', month: '2026-05' });
  expect(await totals()).toMatchObject({ 'assets:operating': '114.939' });
});

it('books what finance attributed, once', async () => {
  const given = { assetCode: ASSET, amount: '-40', note: 'a settlement', actor: 'ann' };
  expect(await attributeBalance(database.db, given, new Date(at(0)))).toMatchObject({ outcome: 'done' });
  await post();
  await post();
  expect(await totals()).toMatchObject({ 'assets:operating': '74.939', 'equity:unobservable': '40' });
});

it('values by a file of finance what is in open months, and takes no file with a wrong line', async () => {
  const importing = {
    db: database.db,
    now: new Date(),
    dryRun: false,
    timeZone: 'Asia/Tokyo',
    currency: 'USD',
    chart: defaultChart,
    actor: 'ann',
  };
  const file = (...lines: string[]) => ['date,asset,currency,rate', ...lines].join('\n');
  const wrong = await importRatesFile(file('2026-03-31,TRX,USD,0.3', '2026-03-31,BTC,USD,0'), importing);
  expect(wrong).toEqual({ outcome: 'refused', problems: [expect.stringMatching(/^line 3: the rate is zero/)] });
  expect(await database.db('given_rates')).toEqual([]);

  const closedBefore = await database.db('entry_rates').count();
  const accepted = ['2026-03:TRX'];
  const given = file(`2026-03-31,${ASSET},USD,0.99`, '2026-03-31,TRX,USD,0.3');
  const done = await importRatesFile(given, { ...importing, accepted });
  expect(done).toMatchObject({ outcome: 'done', rates: 2 });
  const payouts = await entriesOf('po_1', 'payout');
  const rates = payouts.map(({ month, lines }) => [month, lines[0]?.rate]);
  expect(new Set(rates.filter(([month]) => month === '2026-03').map(([, rate]) => rate))).not.toContain('0.99');
  expect(rates.at(-1)).toEqual(['2026-05', '0.99']);
  expect(await database.db('entry_rates').count()).not.toEqual(closedBefore);
  const again = await importRatesFile(file('2026-03-31,TRX,USD,0.3'), { ...importing, accepted: ['2026-03:TRX'] });
  expect(again).toMatchObject({ valued: 0 });
});

it('takes no change, no deletion, no entry out of balance and none of a closed month', async () => {
  const { db } = database;
  for (const table of ['entries', 'entry_lines', 'entry_rates', 'given_rates']) {
    await expect(db(table).delete(), table).rejects.toThrow('append-only');
    await expect(db.raw(`TRUNCATE ${table} CASCADE`), table).rejects.toThrow('append-only');
  }
  await expect(db('entry_lines').update({ amount: 1 })).rejects.toThrow('append-only');
  const [first] = await db('entries').orderBy('id').limit(1);
  const june = { month: '2026-06', date: '2026-06-01', sources: '[]', observed: null };
  const { id: _, ...copy } = { ...first, version: 99, type: 'change', corrects: first.id, ...june };
  const add = (lines: string[], about: object = {}) =>
    db.transaction(async (trx) => {
      const [made] = await trx('entries')
        .insert({ ...copy, posted_at: trx.fn.now(), ...about })
        .returning('id');
      const line = { entry_id: made.id, account: 'assets:operating', asset_code: ASSET };
      for (const [n, amount] of lines.entries()) await trx('entry_lines').insert({ ...line, line: n, amount });
    });
  await expect(add(['1', '-0.999999999999999999'])).rejects.toThrow('does not add up to zero');
  await expect(add([])).rejects.toThrow('has no lines');
  const late = { entry_id: first.id, account: 'assets:operating', asset_code: ASSET, line: 90, amount: 1 };
  await expect(db('entry_lines').insert(late)).rejects.toThrow('no more lines');
  await closeMonth(db, june.month);
  await expect(add(['1', '-1'])).rejects.toThrow('is closed');
}, 120_000);
