import { readFileSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { strFromU8, unzipSync } from 'fflate';
import { beforeAll, expect, test } from 'vitest';
import { defaultChart } from '../../src/domain/books/chart.js';
import type { JsonObject } from '../../src/domain/json.js';
import type { Observation } from '../../src/domain/observation.js';
import type { RecordKind } from '../../src/domain/records.js';
import type { AccountWorth } from '../../src/domain/views/books-shapes.js';
import { exportMonth } from '../../src/finance/export-month.js';
import { postEntries } from '../../src/finance/post-entries.js';
import { createLog } from '../../src/log.js';
import { defaultContract } from '../../src/service-api/contract.js';
import { judgedBalance } from '../support/classified-balance.js';
import { useDatabase } from '../support/database.js';
import { useFolder } from '../support/folder.js';
import { giveRates } from '../support/given-rates.js';
import { at, poll } from '../support/observations.js';
import { paidIntent, payin, payout } from '../support/records.js';
import { save } from '../support/saved.js';
import {
  ASSETS,
  deposits,
  disputes,
  MONTHS,
  opening,
  payments,
  payouts,
  rates,
  transactions,
  WALLETS,
} from './shop/records.js';
import { type AccountRow, accountRows, calculated } from './shop/sheets.js';
import { workbookFile, workbookParts } from './shop/workbook.js';

const FILE = new URL('shop/three-months.xlsx', import.meta.url);
const books = { timeZone: 'UTC', currency: 'EUR', table: defaultContract.movements };
const database = useDatabase();
const dir = useFolder();
const NOW = new Date('2026-04-02T00:00:00Z');

const noon = (day: string) => `${day}T12:00:00.000Z`;
const shown = (kind: RecordKind, fields: JsonObject, day: string): Observation =>
  poll(kind, fields, (Date.parse(noon(day)) - at(0)) / 1_000);
const history = (status: string, day: string) => [{ status, timestamp: noon(day), source: 'chain' }];
/** Of amounts with few decimals. */
const less = (amount: string, ...others: string[]) =>
  String(Number((Number(amount) - others.reduce((sum, one) => sum + Number(one), 0)).toFixed(8)));

function paymentFields({ id, on, asset, received, fee }: (typeof payments)[number], more: JsonObject = {}): JsonObject {
  return paidIntent(id, `in_${id}`, {
    assetCode: asset,
    amountCryptoExpected: received,
    totalAmountReceived: received,
    amountInRange: received,
    amountNetMerchant: less(received, fee),
    feeAmountTotal: fee,
    payins: [],
    createdAt: noon(on),
    statusHistory: history('completed', on),
    ...more,
  });
}

/** A payment as it was shown when it came in, when its dispute opened, and when that was decided. */
function stories(): Observation[] {
  return payments.flatMap((one) => {
    const first = shown('payment_intent', paymentFields(one), one.on);
    const found = disputes.find(({ payment }) => payment === one.id);
    if (found === undefined) return [first];
    const { inQuestion, opened, decided, decision } = found;
    const back = {
      irregularStatus: 'pending_decision',
      amountRejected: inQuestion,
      amountInRange: less(one.received, inQuestion),
      amountNetMerchant: less(one.received, one.fee, less(inQuestion, found.fee)),
      feeAmountTotal: less(one.fee, found.fee),
    };
    const open = shown('payment_intent', paymentFields(one, back), opened);
    if (decided === null) return [first, open];
    const refund = payouts.find((sent) => sent.from === 'dispute' && sent.amount === inQuestion)?.id ?? null;
    const amounts =
      decision === 'encashed' ? { amountRejected: inQuestion } : { ...back, irregularRefundPayoutId: refund };
    const end = { ...amounts, irregularStatus: decision, irregularActionAt: noon(decided) };
    return [first, open, shown('payment_intent', paymentFields(one, end), decided)];
  });
}

const others = (): Observation[] => [
  ...payouts.map(({ id, type, on, asset, amount, fee, bearer }) =>
    shown(
      'payout',
      payout(id, {
        payoutType: type,
        amount,
        assetCode: asset,
        feeAmount: fee,
        feeBearer: bearer,
        status: 'confirmed',
        createdAt: noon(on),
        updatedAt: noon(on),
        statusHistory: history('confirmed', on),
      }),
      on,
    ),
  ),
  ...deposits.map(({ id, type, on, asset, gross, fee }) =>
    shown(
      'payin',
      payin(id, '', {
        paymentIntentId: null,
        payinType: type,
        assetCode: asset,
        amountGross: gross,
        amountNet: less(gross, fee),
        feeAmount: fee,
        createdAt: noon(on),
        statusHistory: history('confirmed', on),
      }),
      on,
    ),
  ),
  ...transactions.map(({ id, wallet, type, on, asset, amount, fee, other }) =>
    shown(
      'transaction',
      {
        id,
        accountId: wallet,
        assetCode: asset,
        type,
        amount,
        feeAmount: fee,
        counterpartyAccountId: (WALLETS as readonly string[]).includes(other) ? other : null,
        createdAt: noon(on),
      },
      on,
    ),
  ),
];

beforeAll(async () => {
  const { db } = database;
  for (const { asset, on, amount } of opening)
    await judgedBalance(db, { assetCode: asset, opening: amount, balance: amount, now: new Date(`${on}T00:00:00Z`) });
  const lines = rates.map(({ on, asset, rate }) => `${on},${asset},EUR,${rate}`);
  await giveRates(['date,asset,currency,rate', ...lines].join('\n'), { ...books, db, now: NOW });
  const all = [...stories(), ...others()].toSorted((a, b) => a.to - b.to);
  for (const one of all) await save(database, [one], { now: NOW });
  await postEntries({ ...books, db, log: createLog('silent') });
}, 120_000);

test('the workbook in the repository is that of these records', () => {
  if (process.env['UPDATE_SHOP'] !== undefined) writeFileSync(FILE, workbookFile());
  const parts = Object.entries(unzipSync(readFileSync(FILE))).map(([name, bytes]) => [name, strFromU8(bytes)]);
  expect(Object.fromEntries(parts), 'UPDATE_SHOP=1 writes it again').toEqual(workbookParts());
});

/** Sums of doubles: far below the last digit of any of these amounts, and of a cent. */
const NEAR = 1e-7;
const isSame = (ours: readonly string[], theirs: readonly number[]) =>
  ours.length === theirs.length && ours.every((one, n) => Math.abs(Number(one) - (theirs[n] ?? Number.NaN)) < NEAR);
const isNothing = ({ units, euros }: AccountRow) => [...units, ...euros].every((one) => Math.abs(one || 0) < NEAR);

const jsonLines = async (name: string) =>
  (await readFile(path.join(dir, name), 'utf8'))
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));

test.each(MONTHS)('%s of the shop is in units and money what the formulas of the workbook come to', async (month) => {
  const { findings } = await exportMonth(database.db, { ...books, month, format: 'ndjson', dir, chart: defaultChart });
  expect(findings).toEqual([]);
  const theirs = accountRows(calculated(), month).filter((row) => !isNothing(row));
  const ours: AccountWorth[] = await jsonLines(`${month}-accounts.ndjson`);
  const moved = ours.filter((one) =>
    [one.opening, one.activity, one.closing, one.openingValue, one.activityValue, one.closingValue].some(Number),
  );
  const differing = moved.flatMap((one) => {
    const row = theirs.find(({ account, asset }) => account === one.account && asset === one.assetCode);
    const units = [one.opening, one.activity, one.closing];
    const euros = [one.openingValue, one.activityValue, one.closingValue];
    return row !== undefined && isSame(units, row.units) && isSame(euros, row.euros) ? [] : [{ one, row }];
  });
  expect(differing).toEqual([]);
  const nameOf = (account: string, asset: string | null) => `${account} ${asset ?? ''}`;
  expect(theirs.filter(({ asset }) => asset !== null).map((one) => nameOf(one.account, one.asset))).toEqual(
    expect.arrayContaining(moved.map((one) => nameOf(one.account, one.assetCode))),
  );
  expect(moved.length).toBe(theirs.filter(({ asset }) => asset !== null).length);
  expect(new Set(moved.map(({ assetCode }) => assetCode))).toEqual(new Set(ASSETS));

  const [{ accounts, unpriced }] = await jsonLines(`${month}-values.ndjson`);
  expect(unpriced).toBe(0);
  const cents = accounts
    .filter((one: { opening: string; value: string; closing: string }) =>
      [one.opening, one.value, one.closing].some(Number),
    )
    .map((one: { account: string; opening: string; value: string; closing: string }) => [
      one.account,
      one.opening,
      one.value,
      one.closing,
    ]);
  const summed = theirs.filter(({ asset }) => asset === null);
  expect(cents).toEqual(
    summed.map(({ account, euros }) => [account, ...euros.map((one) => one.toFixed(2).replace(/^-0\.00$/, '0.00'))]),
  );
});
