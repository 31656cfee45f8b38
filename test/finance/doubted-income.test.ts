import { readFile } from 'node:fs/promises';
import path from 'node:path';
import fc from 'fast-check';
import { strFromU8, unzipSync } from 'fflate';
import { beforeAll, expect, it } from 'vitest';
import { defaultChart } from '../../src/domain/books/chart.js';
import { exactValue } from '../../src/domain/books/fiat-report.js';
import { doubtedIncomeText } from '../../src/domain/books/income-statement.js';
import { subtractAmounts, sumAmounts } from '../../src/domain/money.js';
import { packMonth } from '../../src/finance/audit/pack-month.js';
import { closePeriod } from '../../src/finance/periods/close-period.js';
import { createLog } from '../../src/log.js';
import { listEntries } from '../../src/records/books/list-entries.js';
import { doubtedPayments, incomeOfBreaks } from '../../src/records/books/period-facts.js';
import { openBreaks } from '../../src/records/breaks/breaks.js';
import { decideBreak } from '../../src/records/breaks/decide-breaks.js';
import { defaultContract } from '../../src/service-api/contract.js';
import { judgedBalance } from '../support/classified-balance.js';
import { useDatabase } from '../support/database.js';
import { useFolder } from '../support/folder.js';
import { poll } from '../support/observations.js';
import { postBooks } from '../support/posted-books.js';
import { paidIntent } from '../support/records.js';
import { save } from '../support/saved.js';
import { showRates } from '../support/shown-rates.js';

const MONTHS = ['2026-03', '2026-04'] as const;
const RATE = '2';
const kinds = ['duplicate_payment', 'fee_identity', 'contract_violation'] as const;
const database = useDatabase();
const folder = useFolder();

beforeAll(async () => {
  const now = new Date('2026-01-01T00:00:00Z');
  for (const assetCode of ['USDT.TRON', 'TRX'])
    await judgedBalance(database.db, { assetCode, opening: '100', balance: '60', now });
  const rated = [...MONTHS].map((month) => Date.parse(`${month}-09T23:00:00.000Z`));
  await showRates(
    database.db,
    rated.map((at) => ({ assetCode: 'USDT.TRON', rate: RATE, at })),
  );
});

const worlds = fc.record({
  payments: fc.array(
    fc.record({
      cents: fc.integer({ min: 1, max: 1_000_000 }),
      asset: fc.constantFrom('USDT.TRON', 'USDT.TRON', 'TRX'),
      month: fc.constantFrom(...MONTHS),
      order: fc.nat({ max: 2 }),
    }),
    { minLength: 1, maxLength: 5 },
  ),
  breaks: fc.array(
    fc.record({
      kind: fc.constantFrom(...kinds),
      payment: fc.nat({ max: 4 }),
      ofOrder: fc.boolean(),
      isClosed: fc.boolean(),
    }),
    { maxLength: 6 },
  ),
});

it('is the income of each payment with an open break once, whatever its breaks are, and of no other', async () => {
  let run = 0;
  await fc.assert(
    fc.asyncProperty(worlds, async ({ payments, breaks }) => {
      run += 1;
      const [prefix, { db }] = [`w${run}-`, database];
      await save(
        database,
        payments.map(({ cents, asset, month, order }, n) => {
          const amount = `${cents / 100}`;
          const at = `${month}-10T00:00:00.000Z`;
          return poll(
            'payment_intent',
            paidIntent(`${prefix}${n}`, `pa-${prefix}${n}`, {
              merchantReference: `${prefix}order-${order}`,
              createdAt: at,
              updatedAt: at,
              amountRequested: amount,
              currencyRequested: asset,
              totalAmountReceived: amount,
              amountNetMerchant: amount,
              amountInRange: amount,
              feeAmountTotal: '0',
              payins: [{ id: `pa-${prefix}${n}`, amountGross: amount, status: 'confirmed', assetCode: asset }],
            }),
            10,
          );
        }),
      );
      await postBooks(db);
      for (const { kind, payment, ofOrder, isClosed } of breaks) {
        const of = payment % payments.length;
        const entity = ofOrder
          ? ({ kind: 'order', id: `${prefix}order-${payments[of]?.order}` } as const)
          : ({ kind: 'payment_intent', id: `${prefix}${of}` } as const);
        await openBreaks(db, [{ kind, entity, evidence: { of: `${run} ${payment}` } }]);
        const own = { kind, entity_kind: entity.kind, entity_id: entity.id };
        const id = await db('breaks').where(own).max('id AS id').first();
        if (isClosed) await decideBreak(db, String(id?.id), 'resolve', { actor: 'ann', note: 'seen' });
      }
      for (const month of MONTHS) expect(await incomeOfBreaks(db, month, 'USD')).toEqual(await reckoned(month));
    }),
    { numRuns: 12 },
  );
}, 120_000);

/** The same from lists, in plain steps. */
async function reckoned(month: string) {
  const { db } = database;
  const orders = new Map<string, string[]>();
  for (const { id, reference } of await db('payment_intents').select('id', 'merchant_reference AS reference'))
    orders.set(reference, [...(orders.get(reference) ?? []), id]);
  const standing = await db('breaks').whereIn('status', ['open', 'acknowledged']).select('*');
  const pairs = standing.flatMap((one) =>
    (one.entity_kind === 'order' ? (orders.get(one.entity_id) ?? []) : [one.entity_id]).map((payment) => ({
      kind: one.kind as string,
      id: one.id as string,
      payment,
    })),
  );
  const earned = new Map<string, { value: string; unpriced: number }>();
  for (const { recordId, lines } of (await listEntries(db, { month, take: 500 })).items) {
    const income = lines.filter(({ account }) => account.startsWith('income:'));
    const unpriced = income.filter(({ rate }) => rate === null).length;
    const value = sumAmounts(income.map(({ amount, rate }) => exactValue(amount, rate ?? '0')));
    if (income.length > 0) earned.set(recordId, { value: subtractAmounts('0', value), unpriced });
  }
  const lineOf = (kind: string | null) => {
    const own = pairs.filter((one) => (kind === null || one.kind === kind) && earned.has(one.payment));
    const payments = [...new Set(own.map(({ payment }) => payment))].map((id) => earned.get(id));
    return {
      kind,
      breaks: new Set(own.map(({ id }) => id)).size,
      payments: payments.length,
      value: sumAmounts(payments.map((one) => one?.value ?? '0')),
      unpriced: payments.reduce((sum, one) => sum + (one?.unpriced ?? 0), 0),
    };
  };
  const byWorth = kinds
    .map(lineOf)
    .filter(({ breaks }) => breaks > 0)
    .sort((a, b) => Number(b.value) - Number(a.value) || (a.kind ?? '').localeCompare(b.kind ?? ''));
  return byWorth.length === 0 ? [] : [lineOf(null), ...byWorth];
}

it('is in the files of a closed month with its breaks and payments, as it was then, and in its pack', async () => {
  const { db } = database;
  const [month] = MONTHS;
  const books = { timeZone: 'UTC', currency: 'USD', chart: defaultChart, table: defaultContract.movements };
  const deps = { ...books, db, now: () => new Date() };
  const [all] = await incomeOfBreaks(db, month, 'USD');
  const rows = await doubtedPayments(db, month, 'USD');
  const counted = rows.filter(({ counts }) => counts === 'yes').map(({ value }) => value ?? '0');
  expect([new Set(rows.map(({ id }) => id)).size, counted.length, sumAmounts(counted)]).toEqual([
    all?.breaks,
    all?.payments,
    all?.value,
  ]);
  const told = doubtedIncomeText(await incomeOfBreaks(db, month, 'USD'), 'USD') ?? '';
  expect(told).toContain('of the income is from payments with an open break');

  const log = createLog('silent');
  for (const one of ['2026-01', '2026-02', month]) {
    const closed = await closePeriod({ ...deps, log }, { month: one, actor: 'fina', reason: 'known' });
    expect(closed.outcome).toBe('closed');
  }
  await db('breaks').update({ status: 'resolved', resolved_at: new Date() });
  const out = path.join(folder, 'pack.zip');
  expect((await packMonth(deps, { ...books, month, out })).outcome).toBe('packed');
  const files = unzipSync(await readFile(out));
  const textOf = (name: string) => strFromU8(files[name] ?? new Uint8Array());
  const lines = textOf(`books/${month}-doubted.ndjson`).trim().split('\n');
  expect(lines.map((line) => JSON.parse(line))).toEqual(
    rows.map((row) => ({ ...row, monthStatus: 'closed with exceptions' })),
  );
  expect(textOf(`books/${month}-doubted.csv`).trim().split('\r\n')).toHaveLength(rows.length + 1);
  for (const name of [`books/${month}.journal`, `books/${month}-activity.beancount`, 'README.txt', 'about.json'])
    expect(textOf(name), name).toContain(told);
  const sheet = strFromU8(
    unzipSync(files[`books/${month}.xlsx`] ?? new Uint8Array())['xl/worksheets/sheet1.xml'] ?? new Uint8Array(),
  );
  expect(sheet).toContain(told);
}, 120_000);

it('is said in a sentence, and not at all where there is none', () => {
  const line = { breaks: 2, payments: 2, unpriced: 0 };
  const told = doubtedIncomeText(
    [
      { ...line, kind: null, value: '700.604' },
      { ...line, kind: 'duplicate_payment', value: '700.604' },
    ],
    'EUR',
  );
  expect(told).toBe(
    '700.60 EUR of the income is from payments with an open break: duplicate payment 700.60 EUR of 2 payments.',
  );
  expect(doubtedIncomeText([], 'EUR')).toBeNull();
});
