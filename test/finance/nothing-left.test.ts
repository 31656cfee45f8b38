import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { defaultChart } from '../../src/domain/books/chart.js';
import { currencyDecimals, negatedValue } from '../../src/domain/books/fiat-report.js';
import { dayAfter } from '../../src/domain/books/posting-month.js';
import type { JsonObject } from '../../src/domain/json.js';
import { subtractAmounts } from '../../src/domain/money.js';
import { allAccounts, monthValues } from '../../src/finance/exports/month-accounts.js';
import { closedMonths } from '../../src/records/books/posting-progress.js';
import { defaultContract } from '../../src/service-api/contract.js';
import { judgedBalance } from '../support/classified-balance.js';
import { closeMonth, reopenMonth, storeAccounts } from '../support/closed-month.js';
import { useDatabase } from '../support/database.js';
import { giveRates } from '../support/given-rates.js';
import { poll } from '../support/observations.js';
import { bookFindings, postBooks } from '../support/posted-books.js';
import { paidIntent, payout } from '../support/records.js';
import { save } from '../support/saved.js';
import { sized } from '../support/sizes.js';

const OPENED = '2026-02-28';
const MONTHS = ['2026-03', '2026-04', '2026-05', '2026-06'];
/** What passes through them keeps the value with which it came. */
const PASSED = ['assets:held:disputes', 'liabilities:disputes', 'assets:in-transit:payouts'];

const doing = <const Verb extends string, Given extends object>(
  verb: Verb,
  given: { [K in keyof Given]: fc.Arbitrary<Given[K]> },
) => fc.record(given).map((some) => ({ do: verb, ...some }));
const step = fc.oneof(
  { weight: 3, arbitrary: doing('pay', { isQuoted: fc.boolean() }) },
  {
    weight: 8,
    arbitrary: doing('dispute', {
      pick: fc.nat(),
      state: fc.constantFrom('pending_decision', 'pending_decision', 'encashed', 'refunded', 'none'),
      rejected: fc.constantFrom('5', '7.3', '20'),
      days: fc.nat(25),
    }),
  },
  { weight: 2, arbitrary: doing('payout', { days: fc.nat(5) }) },
  {
    weight: 6,
    arbitrary: doing('rate', {
      picks: fc.array(fc.nat(), { minLength: 1, maxLength: 6 }),
      rate: fc.integer({ min: 500_001, max: 1_500_000 }),
    }),
  },
  { weight: 4, arbitrary: doing('post', {}) },
  { weight: 2, arbitrary: doing('close', {}) },
  { weight: 1, arbitrary: doing('reopen', {}) },
);

describe.each(['JPY', 'EUR', 'KWD'])('books in %s', (currency) => {
  const database = useDatabase();
  const books = { timeZone: 'UTC', currency, table: defaultContract.movements };
  let count = 0;

  it('an account that holds nothing of an asset is worth nothing at a month’s end, or says what rates have made of it', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 8, maxLength: 24 }), async (steps) => {
        count += 1;
        const asset = `C${count}.NET`;
        const world = count;
        const { db } = database;
        for (const month of [...(await closedMonths(db))].sort().reverse()) await reopenMonth(db, month);
        const now = new Date(`${OPENED}T00:00:00Z`);
        await judgedBalance(db, { assetCode: asset, opening: '1000', balance: '1000', now });
        await postBooks(db, currency);
        let today = '2026-03-01';
        let closed = 0;
        const payments: JsonObject[] = [];
        const seconds = () => (Date.parse(`${today}T10:00:00Z`) - Date.parse('2026-03-01T00:00:00Z')) / 1000;
        const show = (kind: 'payment_intent' | 'payout', fields: JsonObject) =>
          save(database, [poll(kind, fields, seconds())]);
        const days = [today];
        const pass = (count: number) => {
          for (let n = 0; n < count && today < '2026-06-25'; n += 1) today = dayAfter(today);
          days.push(today);
        };
        for (const one of steps) {
          if ('days' in one) pass(one.days);
          if (one.do === 'pay') {
            const id = `pi_${world}_${payments.length}`;
            payments.push(paid(id, { asset, today, currency: one.isQuoted ? currency : 'USD' }));
            await show('payment_intent', payments.at(-1) ?? {});
          }
          const n = 'pick' in one ? one.pick % Math.max(1, payments.length) : 0;
          const own = payments[n];
          if (one.do === 'dispute' && own !== undefined && mayBecome(own['irregularStatus'], one.state)) {
            payments[n] = { ...own, ...disputed(own, one, today) };
            await show('payment_intent', payments[n]);
          }
          if (one.do === 'payout') {
            const id = `po_${world}_${seconds()}`;
            const at = { createdAt: `${today}T09:00:00Z`, updatedAt: `${today}T09:00:00Z` };
            await show(
              'payout',
              payout(id, { ...at, payoutType: 'withdrawal', assetCode: asset, status: 'confirmed', amount: '3' }),
            );
          }
          if (one.do === 'rate') {
            const on = [...new Set(one.picks.map((pick) => days[pick % days.length] ?? ''))];
            const lines = on.map((day, place) => `${day},${asset},${currency},${(one.rate + place * 7_301) / 1e6}`);
            await giveRates(`date,asset,currency,rate\n${lines.join('\n')}\n`, { ...books, db });
          }
          if (one.do === 'post' || one.do === 'close') await postBooks(db, currency);
          if (one.do === 'close' && closed < 3) {
            const month = MONTHS[closed] ?? '';
            await closeMonth(db, month, (trx, closing) => storeAccounts(trx, month, closing, currency));
            closed += 1;
          }
          if (one.do === 'reopen' && closed > 0) {
            closed -= 1;
            await reopenMonth(db, MONTHS[closed] ?? '');
          }
        }
        await postBooks(db, currency);
        for (const [n, month] of MONTHS.entries()) {
          const empty = (await allAccounts(db, { ...books, month })).filter(
            (one) => one.assetCode === asset && one.closing === '0' && /^(assets|liabilities):/.test(one.account),
          );
          for (const { account, closingValue, rateDifference } of empty) {
            expect([month, account, rateDifference]).toEqual([month, account, negatedValue(closingValue)]);
            if (PASSED.includes(account)) expect([month, account, closingValue]).toEqual([month, account, '0']);
          }
          // Of all assets: each month's rounding by itself, half a unit of the last decimal at most.
          const { accounts } = await monthValues(db, { ...books, month }, defaultChart);
          const units = await allAccounts(db, { ...books, month });
          for (const { account, closing } of accounts.filter((one) => PASSED.includes(one.account))) {
            if (units.some((one) => one.account === account && one.closing !== '0')) continue;
            expect(Math.abs(Number(closing))).toBeLessThanOrEqual(((n + 1) / 2) * 10 ** -currencyDecimals(currency));
          }
        }
        expect(await bookFindings(db, currency)).toEqual([]);
      }),
      { numRuns: sized(6, 100), endOnFailure: true },
    );
  }, 300_000);
});

function paid(id: string, { asset, today, currency }: { asset: string; today: string; currency: string }): JsonObject {
  const at = `${today}T10:00:00.000Z`;
  const own = { id: `in_${id}`, amountGross: '20', amountNet: '19.8', feeAmount: '0.2', assetCode: asset };
  return paidIntent(id, own.id, {
    assetCode: asset,
    currencyRequested: currency,
    amountRequested: '18.01',
    amountCryptoExpected: '20',
    totalAmountReceived: '20',
    amountNetMerchant: '19.8',
    feeAmountTotal: '0.2',
    amountInRange: '20',
    amountRejected: null,
    irregularStatus: 'none',
    irregularActionAt: null,
    createdAt: at,
    statusHistory: [{ status: 'completed', timestamp: at, source: 'chain' }],
    payins: [{ ...own, status: 'confirmed', createdAt: at }],
  });
}

/** A dispute opens, another part comes into question, it ends; one that was refunded stays so. */
function mayBecome(before: unknown, state: string): boolean {
  return before !== 'refunded' && (before === 'pending_decision' || state === 'pending_decision');
}

function disputed(
  own: JsonObject,
  { state, rejected }: { state: string; rejected: string },
  today: string,
): JsonObject {
  const part = state === 'pending_decision' ? rejected : own['amountRejected'];
  const isTaken = state === 'pending_decision' || state === 'refunded';
  const left = isTaken && typeof part === 'string' ? subtractAmounts('20', part) : '20';
  const fee = String(Number(left) / 100);
  return {
    irregularStatus: state,
    irregularActionAt: state === 'encashed' || state === 'refunded' ? `${today}T10:00:00.000Z` : null,
    amountRejected: state === 'none' ? null : (part ?? null),
    amountNetMerchant: subtractAmounts(left, fee),
    feeAmountTotal: fee,
  };
}
