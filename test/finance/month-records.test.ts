import { beforeAll, expect, it } from 'vitest';
import { defaultChart } from '../../src/domain/books/chart.js';
import { exportMonth } from '../../src/finance/export-month.js';
import { postEntries } from '../../src/finance/post-entries.js';
import { createLog } from '../../src/log.js';
import { type MonthRow, monthRows } from '../../src/records/books/month-query.js';
import {
  monthBreaks,
  monthOrders,
  monthPayments,
  monthPayouts,
  monthRefunds,
  monthSettlements,
} from '../../src/records/books/month-rows.js';
import { markSettlement } from '../../src/records/books/settlements.js';
import { defaultContract } from '../../src/service-api/contract.js';
import { judgedBalance } from '../support/classified-balance.js';
import { closeMonth } from '../support/closed-month.js';
import { useDatabase } from '../support/database.js';
import { poll } from '../support/observations.js';
import { intent, invoice, paidIntent, payin, payout } from '../support/records.js';
import { save } from '../support/saved.js';
import { showRates } from '../support/shown-rates.js';

const { movements } = defaultContract;
const table = {
  ...movements,
  choices: { ...movements.choices, payments: 'payins', networkFee: 'operating', disputeRefund: 'operating' },
} as const;
const refundWords = movements.words.payoutType.refund;
const january = '2026-01-10T10:00:00.000Z';
const march = '2026-03-20T10:00:00.000Z';
const database = useDatabase();

beforeAll(async () => {
  for (const assetCode of ['USDT.TRON', 'TRX'])
    await judgedBalance(database.db, {
      assetCode,
      opening: '100',
      balance: '60',
      now: new Date('2026-01-01T00:00:00Z'),
    });
  const rate = { rate: '2', at: Date.parse(march) - 3_600_000 };
  await showRates(database.db, [
    { ...rate, assetCode: 'USDT.TRON' },
    { ...rate, assetCode: 'TRX' },
  ]);
  await save(database, [
    confirmed('po_settled', { payoutType: 'settlement' }),
    confirmed('po_refund', { payoutType: 'Payment_Refund', networkFeeAmount: '3', networkFeeAssetCode: 'TRX' }),
    poll('payout', payout('po_waits', { payoutType: 'PAYMENT_REFUND', createdAt: march }), 20),
    // Paid in January, given back in March by a payout that names the payment alone.
    paid('refunded'),
    confirmed('po_refunded', { payoutType: 'refund', paymentIntentId: 'pi_refunded' }),
    // Given back by a payout that only the payment names.
    paid('disputed', { irregularRefundPayoutId: 'po_disputed' }),
    confirmed('po_disputed', { payoutType: 'refund' }),
    // Only its payin is of March.
    paid('deposited'),
    poll('payin', payin('pa_late', 'pi_deposited', { createdAt: january, ...history }), 20),
    paid('made', { createdAt: march }),
    poll('payin', payin('pa_of_made', 'pi_made', { createdAt: march, ...history }), 20),
    // Only the invoice has the reference, only the payment is of March.
    poll('invoice', invoice('in_1', { merchantReference: 'order-invoiced', createdAt: january }), 20),
    poll('payment_intent', intent('pi_invoiced', { ...bare, invoiceId: 'in_1', createdAt: march }), 20),
    poll('payment_intent', intent('pi_billed', { ...bare, createdAt: march }), 20),
    poll(
      'invoice',
      invoice('in_2', { merchantReference: 'order-billed', createdAt: january, paymentIntentId: 'pi_billed' }),
      20,
    ),
    // Only the invoice is of March, only the payment has the reference.
    paid('of_invoice'),
    poll('invoice', invoice('in_3', { createdAt: march, paymentIntentId: 'pi_of_invoice' }), 20),
    paid('naming_invoice', { invoiceId: 'in_4' }),
    poll('invoice', invoice('in_4', { createdAt: march }), 20),
    paid('of_january'),
  ]);
  const zone = { timeZone: 'UTC', currency: 'USD' };
  await postEntries({ db: database.db, log: createLog('silent'), table, ...zone });
}, 60_000);

const bare = { merchantReference: null };
const history = {
  status: 'confirmed',
  updatedAt: march,
  statusHistory: [{ status: 'confirmed', timestamp: march, source: 'chain' }],
};

function confirmed(id: string, fields: object) {
  const about = { amount: '10', feeAmount: '0.5', feeBearer: 'merchant', createdAt: march };
  return poll('payout', payout(id, { ...about, ...history, ...fields }), 20);
}

function paid(name: string, fields: object = {}) {
  const times = { createdAt: january, updatedAt: january };
  return poll('payment_intent', paidIntent(`pi_${name}`, `pa_${name}`, { ...times, payins: [], ...fields }), 10);
}

function read(sql: string, month: string, words: readonly string[] = refundWords): Promise<MonthRow[]> {
  const [from, to] = [new Date(`${month}-01T00:00:00Z`), new Date(`${month}-01T00:00:00Z`)];
  to.setUTCMonth(to.getUTCMonth() + 1);
  return database.db.transaction(async (trx) => {
    const found: MonthRow[] = [];
    for await (const part of monthRows(trx, sql, { month, from, to, currency: 'USD', refundWords: words }))
      found.push(...part);
    return found;
  });
}

const rowsOf = (rows: readonly MonthRow[], id: string) =>
  rows.filter((row) => row['id'] === id).map(({ asset, booked, value }) => [asset, booked, value]);

it('shows what a settlement took, and what it was worth', async () => {
  expect(rowsOf(await read(monthPayouts, '2026-03'), 'po_settled')).toEqual([['USDT.TRON', '10', '20']]);
  expect(rowsOf(await read(monthRefunds, '2026-03'), 'po_settled')).toEqual([]);
});

it('shows a settlement with what finance said last of the bank, and breaks that came after the month as such', async () => {
  const { db } = database;
  const books = { table: defaultContract.movements, timeZone: 'UTC', currency: 'USD', settlementDays: 5 };
  const shown = { id: 'po_settled', asset: 'USDT.TRON', amount: '10', value: '20' };
  expect(await read(monthSettlements, '2026-03')).toMatchObject([{ ...shown, arrivedAmount: null, markedBy: null }]);
  const said = { payoutId: 'po_settled', on: '2026-04-02', note: 'statement 4/2', actor: 'ann' };
  for (const amount of ['19', '18.5'])
    await markSettlement(db, { ...said, amount, reference: 'R 7', difference: 'unexplained' }, books, new Date());
  const arrived = { arrivedAmount: '18.5', arrivedCurrency: 'USD', arrivedOn: '2026-04-02', difference: 'unexplained' };
  expect(await read(monthSettlements, '2026-03')).toMatchObject([
    { ...shown, ...arrived, reference: 'R 7', note: 'statement 4/2', markedBy: 'ann' },
  ]);
  expect(await read(monthSettlements, '2026-04')).toEqual([]);
  const later = async (month: string) =>
    (await read(monthBreaks, month)).filter(({ kind }) => kind === 'settlement_short').map((one) => one['openedLater']);
  expect([await later('2026-03'), await later('2999-01')]).toEqual([['yes'], ['no']]);
});

it('shows a refund whole, under refunds alone, by each word of the contract and before it is booked', async () => {
  const whole = [
    ['TRX', '0', null],
    ['USDT.TRON', '10', '20'],
  ];
  // By the word, and by what is booked where the word is none of the contract's.
  for (const words of [refundWords, ['something else']]) {
    expect(rowsOf(await read(monthRefunds, '2026-03', words), 'po_refund')).toEqual(whole);
    expect(rowsOf(await read(monthPayouts, '2026-03', words), 'po_refund')).toEqual([]);
  }
  expect(rowsOf(await read(monthRefunds, '2026-03'), 'po_waits')).toEqual([['USDT.TRON', null, null]]);
  expect(rowsOf(await read(monthPayouts, '2026-03'), 'po_waits')).toEqual([]);
});

it('has a payment once for each asset that is booked, and once without any where none is', async () => {
  const rows = await read(monthPayments, '2026-03');
  const found = (id: string) =>
    rows.filter((row) => row['id'] === id).map(({ asset, gross, held, value }) => [asset, gross, held, value]);
  const [asset, gross, held, value] = found('pi_made')[0] ?? [];
  expect([asset, held, Number(value)]).toEqual(['USDT.TRON', '0', Number(gross) * 2]);
  // Made in March, and in January.
  for (const id of ['pi_made', 'pi_deposited']) expect(found(id)).toEqual([[asset, gross, held, value]]);
  expect(found('pi_invoiced')).toEqual([[null, null, null, null]]);
});

it('has each order of which anything was made or booked in the month, whichever record has its reference', async () => {
  const orders = async (month: string) => (await read(monthOrders, month)).map(({ order }) => String(order)).sort();
  const ofMarch = ['made', 'refunded', 'disputed', 'deposited', 'of_invoice', 'naming_invoice'].map(
    (of) => `order-pi_${of}`,
  );
  expect(await orders('2026-03')).toEqual([...ofMarch, 'order-invoiced', 'order-billed'].sort());
  expect(await orders('2026-02')).toEqual([]);
  expect(await orders('2026-01')).toContain('order-pi_of_january');
});

it('exports no closed month as it stands now: what was not stored when it was closed is refused', async () => {
  await closeMonth(database.db, '2026-01');
  const { closed_at: closedAt } = await database.db('periods').first('closed_at');
  const settings = { dir: '/nowhere', chart: defaultChart, table, currency: 'USD', timeZone: 'UTC' };
  await expect(exportMonth(database.db, { month: '2026-01', format: 'csv', ...settings })).rejects.toThrow(
    `2026-01 was closed on ${closedAt.toISOString()}, and csv was not stored then (none is)`,
  );
});
