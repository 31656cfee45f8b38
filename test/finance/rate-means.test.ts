import * as fc from 'fast-check';
import { beforeAll, expect, it } from 'vitest';
import { defaultChart } from '../../src/domain/books/chart.js';
import { rateOfPayment } from '../../src/domain/books/choose-rate.js';
import type { GivenRate } from '../../src/domain/books/rates-file.js';
import type { JsonObject } from '../../src/domain/json.js';
import { divideAmounts, sumAmounts } from '../../src/domain/money.js';
import { importRatesFile } from '../../src/finance/import-rates.js';
import { moneyDoubts } from '../../src/finance/periods/check-period.js';
import { postEntries } from '../../src/finance/post-entries.js';
import { createLog } from '../../src/log.js';
import { knownBeside } from '../../src/records/books/given-rates.js';
import { defaultContract } from '../../src/service-api/contract.js';
import { judgedBalance } from '../support/classified-balance.js';
import { useDatabase } from '../support/database.js';
import { giveRates } from '../support/given-rates.js';
import { absence, at, poll, readPaid, report } from '../support/observations.js';
import { intent } from '../support/records.js';
import { save } from '../support/saved.js';
import { useShell } from '../support/shell.js';
import { sized } from '../support/sizes.js';

const ASSET = 'USDT.TRON';
const MONTH = '2026-03';
const books = { table: defaultContract.movements, timeZone: 'Europe/Berlin', currency: 'EUR', chart: defaultChart };
const database = useDatabase();
const run = useShell(database, () => ({ REPORTING_CURRENCY: 'EUR', BOOKS_TIMEZONE: 'Europe/Berlin' }));
const days = ['05', '06', '07'].map((day) => `${MONTH}-${day}`);

beforeAll(async () => {
  const { db } = database;
  await judgedBalance(db, { assetCode: ASSET, opening: '1000', balance: '1000', now: new Date(at(0)) });
  // Twenty-five euros for 26.1 coins: a coin is worth 0.95785.
  const paid = days.flatMap((day, n) =>
    [0, 1].flatMap((k) =>
      readPaid(`pi_${n}${k}`, { createdAt: `${day}T09:00:00.000Z`, updatedAt: `${day}T10:00:00.000Z` }, 20),
    ),
  );
  await save(database, paid);
  await postEntries({ ...books, db, log: createLog('silent') });
}, 60_000);

const fileOf = (rate: string) =>
  ['date,asset,currency,rate', ...days.map((day) => `${day},${ASSET},EUR,${rate}`)].join('\n');
const taken = (rate: string, dryRun: boolean) =>
  importRatesFile(fileOf(rate), { ...books, db: database.db, now: new Date(), actor: 'ann', dryRun });

it('a file whose mean is more than a twentieth from that of its payments is asked about, and the month that is booked at it', async () => {
  const told = `rates of ${ASSET}, 2026-03-05 to 2026-03-07: given are 1.04 EUR in the mean, 6 payments of these days say 0.957854 EUR: 8.58 % more than that`;
  for (const dryRun of [true, false])
    expect(await taken('1.04', dryRun)).toEqual({ outcome: 'asks', problems: [`${MONTH}:${ASSET}: ${told}`] });
  // Six payments of 26.1 each, which were booked at their own rate.
  const income = { before: '150.00', after: '153.47', difference: '3.47' };
  expect(await taken('0.98', true)).toMatchObject({
    outcome: 'would',
    accepted: [],
    assets: [`${ASSET}: 3 rates of 2026-03-05 to 2026-03-07, 0.98 EUR`],
    effects: [{ month: MONTH, income, expenses: { difference: '0.03' }, assets: { difference: '3.43' } }],
  });
  const about = { ...books, db: database.db };
  expect(await moneyDoubts(database.db, { ...books, month: MONTH })).toEqual([]);
  await giveRates(fileOf('1.04'), about);
  expect(await moneyDoubts(database.db, { ...books, month: MONTH })).toEqual([
    { what: 'rate_far', of: ASSET, told, byReason: true },
  ]);
  await giveRates(fileOf('0.98'), about);
  expect(await moneyDoubts(database.db, { ...books, month: MONTH })).toEqual([]);
});

it('lists the rates that count by day, with what they took the place of and what payments say', async () => {
  const { code, json } = await run('books', 'rates', 'list', '--from', days[0] ?? '', '--to', days[1] ?? '', '--json');
  const { items } = json as { items: object[] };
  expect(code).toBe(0);
  expect(items).toMatchObject(
    [days[1], days[0]].map((date) => ({ date, assetCode: ASSET, rate: '0.98', replaced: '1.04', actor: 'ann' })),
  );
  expect(items[0]).toMatchObject({ paid: { payments: 2 }, dollars: null });
  expect(await run('books', 'rates', 'list', '--asset', 'BTC', '--from', '2026-03-01')).toMatchObject({
    code: 0,
    stdout: '',
  });
  expect((await run('books', 'rates', 'list', '--from', 'March')).stderr).toContain('such as 2026-10-31');
});

const mostly = (usual: string, ...others: (string | null)[]) =>
  fc.oneof({ weight: 9, arbitrary: fc.constant(usual) }, ...others.map((one) => fc.constant(one)));
const fields = fc.record<JsonObject>(
  {
    amountRequested: mostly('25.00', '100000', '7', '0', '0.000000000000000001'),
    amountCryptoExpected: mostly('26.1', '13', '0.5', '0', null),
    currencyRequested: mostly('EUR', 'USD', null),
    requestedCurrencyType: mostly('fiat', 'crypto', null),
    assetCode: mostly('BTC', 'ETH', null),
    createdAt: fc.constantFrom('2026-04-10T09:00:00.000Z', '2026-04-09T22:30:00.000Z', '2026-04-10T22:30:00.000Z'),
    metadata: fc.constantFrom<JsonObject>({}, { note: 'x' }),
  },
  { noNullPrototype: true },
);

it('law: the mean of a day is that of its payments as each is valued by itself, without what only webhooks report or the service denies', async () => {
  const { db } = database;
  const day: GivenRate = { date: '2026-04-10', assetCode: 'BTC', currency: 'EUR', rate: '1', line: 2 };
  const ofDay = { assetCode: 'BTC', createdAt: '2026-04-10T09:00:00.000Z' };
  let found = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(fields, { minLength: 3, maxLength: 12, size: 'max' }), async (payments) => {
      await db('payment_intents').delete();
      const made = payments.map((one, n) => intent(`pi_${n}`, one));
      await save(database, [
        ...made.map((one) => poll('payment_intent', one, 20)),
        report('payment_intent', 'pi_said', intent('pi_said', ofDay), 20),
        poll('payment_intent', intent('pi_gone', ofDay), 20),
        absence('payment_intent', 'pi_gone', 30),
      ]);
      const rates = made.flatMap((one) => {
        const rate = rateOfPayment(one, 'BTC', 'EUR');
        const isOfDay = one['createdAt'] !== '2026-04-10T22:30:00.000Z';
        return rate?.rate != null && isOfDay ? [rate.rate] : [];
      });
      const [known] = await knownBeside(db, [day], { timeZone: 'Europe/Berlin' });
      if (rates.length === 0) {
        expect(known?.paid).toBeNull();
        return;
      }
      found += 1;
      expect(known?.paid?.payments).toBe(rates.length);
      const mean = divideAmounts(sumAmounts(rates), String(rates.length), 'half_even');
      expect(Number(known?.paid?.mean)).toBeCloseTo(Number(mean), 12);
    }),
    { numRuns: sized(20, 300) },
  );
  expect(found).toBeGreaterThan(3);
}, 120_000);
