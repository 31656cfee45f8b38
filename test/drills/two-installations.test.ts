import { expect, test } from 'vitest';
import { chartSchema } from '../../src/domain/books/chart.js';
import type { JsonObject } from '../../src/domain/json.js';
import type { Observation } from '../../src/domain/observation.js';
import { closePeriod } from '../../src/finance/periods/close-period.js';
import { postEntries } from '../../src/finance/post-entries.js';
import { createLog } from '../../src/log.js';
import { readPeriodFile } from '../../src/records/books/period-files.js';
import { defaultContract } from '../../src/service-api/contract.js';
import { judgedBalance } from '../support/classified-balance.js';
import { DRILL_MS, isLong, report } from '../support/drill.js';
import { giveRates } from '../support/given-rates.js';
import { at, poll } from '../support/observations.js';
import { paidIntent, payin, payout } from '../support/records.js';
import { resettableDatabase } from '../support/resettable-database.js';
import { save } from '../support/saved.js';
import { normal } from './year/normal-files.js';

const MONTHS = isLong ? 12 : 3;
const PAYMENTS = isLong ? 250 : 24;
const BEGIN = Date.UTC(2025, 0, 1);
const DAY_MS = 86_400_000;
const ASSETS = ['USDT.TRON', 'BTC', 'ETH'] as const;
const DAYS = Math.round((Date.UTC(2025, MONTHS, 1) - BEGIN) / DAY_MS);
const AFTER = new Date('2027-01-05T03:00:00Z');

const database = resettableDatabase();
const chart = chartSchema.parse({
  accounts: { 'income:payments': 'income:sales' },
  datev: {
    consultant: 29_098,
    client: 55_003,
    other: '1590',
    accounts: { 'income:payments': '8400', 'assets:operating': '1361' },
  },
});
const books = { timeZone: 'Europe/Berlin', currency: 'EUR', table: defaultContract.movements };
const log = createLog('silent');

/** Something of the service: when it was done, and how its list shows it then. */
interface Done {
  kind: 'payment_intent' | 'payin' | 'payout' | 'transaction';
  ms: number;
  fields: JsonObject;
}

/** A number of the year, the same each time; below `limit`. */
const some = (n: number, salt: number, limit: number) =>
  (((n + 1) * 2_654_435_761 + salt * 40_503) % 4_294_967_291) % limit;
const iso = (ms: number) => new Date(ms).toISOString();
const amount = (units: number) =>
  `${Math.floor(units / 1e6)}.${String(units % 1e6).padStart(6, '0')}`.replace(/\.?0+$/, '');
const assetOf = (n: number) => ASSETS[some(n, 1, ASSETS.length)] ?? ASSETS[0];

function paymentsOf(month: number): Done[] {
  const [from, to] = [Date.UTC(2025, month, 1), Date.UTC(2025, month + 1, 1)];
  return Array.from({ length: PAYMENTS }, (_, i) => {
    const n = month * PAYMENTS + i;
    const ms = from + some(n, 2, to - from);
    const received = 1_000_000 + some(n, 3, 400_000_000);
    const fee = Math.floor(received / 100) + 1;
    const about = {
      amountNet: amount(received - fee),
      feeAmount: amount(fee),
      assetCode: assetOf(n),
      createdAt: iso(ms),
    };
    const summary = { id: `in_${n}`, amountGross: amount(received), status: 'confirmed', ...about };
    const fields = paidIntent(`pi_${n}`, `in_${n}`, {
      assetCode: assetOf(n),
      amountCryptoExpected: amount(received),
      totalAmountReceived: amount(received),
      amountInRange: amount(received),
      amountNetMerchant: amount(received - fee),
      feeAmountTotal: amount(fee),
      createdAt: iso(ms - 60_000),
      statusHistory: [{ status: 'completed', timestamp: iso(ms), source: 'chain' }],
      payins: [summary],
    });
    return { kind: 'payment_intent' as const, ms, fields };
  });
}

const TYPES = ['withdrawal', 'withdrawal', 'refund', 'settlement', 'internal', 'withdrawal'] as const;

/** Payouts of all sorts, some of them a sub-wallet's, and what else moves a balance. */
function othersOf(month: number): Done[] {
  const [from, to] = [Date.UTC(2025, month, 1), Date.UTC(2025, month + 1, 1)];
  return Array.from({ length: 18 }, (_, i) => month * 18 + i).flatMap((n): Done[] => {
    const ms = from + some(n, 5, to - from);
    const sum = amount(100_000 + some(n, 6, 30_000_000));
    const asset = assetOf(n + 7);
    const wallet = `wa_${n % 3}`;
    const moved = (type: string, signed: string, more: JsonObject = {}): Done => ({
      kind: 'transaction',
      ms,
      fields: {
        id: `tx_${n}`,
        accountId: wallet,
        assetCode: asset,
        type,
        amount: signed,
        feeAmount: '0',
        createdAt: iso(ms),
        ...more,
      },
    });
    if (n % 6 === 4) return [moved('deposit', sum)];
    if (n % 6 === 5) return [moved('transfer_out', `-${sum}`, { feeAmount: '0.01', counterpartyAccountId: null })];
    const fields = payout(`po_${n}`, {
      payoutType: TYPES[n % TYPES.length] ?? 'withdrawal',
      amount: sum,
      assetCode: asset,
      feeAmount: '0.05',
      feeBearer: n % 4 === 1 ? 'customer' : 'merchant',
      createdAt: iso(ms - 3_000),
      updatedAt: iso(ms),
      status: 'confirmed',
      statusHistory: [{ status: 'confirmed', timestamp: iso(ms), source: 'chain' }],
    });
    const sent: Done = { kind: 'payout', ms, fields };
    if (n % 6 === 1 && n % 4 !== 1) return [sent, moved('withdrawal', `-${sum}`)];
    if (n % 6 !== 3) return [sent];
    const come = {
      payinType: 'merchant_deposit',
      paymentIntentId: null,
      assetCode: asset,
      amountGross: sum,
      amountNet: sum,
      feeAmount: '0',
    };
    const history = [{ status: 'confirmed', timestamp: iso(ms), source: 'chain' }];
    return [
      sent,
      { kind: 'payin', ms, fields: payin(`own_${n}`, '', { ...come, createdAt: iso(ms), statusHistory: history }) },
    ];
  });
}

const year = Array.from({ length: MONTHS }, (_, month) => [...paymentsOf(month), ...othersOf(month)])
  .flat()
  .toSorted((a, b) => a.ms - b.ms);

/** As the list shows it at a moment: a payment that was not completed then is pending. */
function seen({ kind, fields }: Done, ms: number, isDone = true): Observation {
  const open = {
    status: 'pending',
    amountNetMerchant: '0',
    feeAmountTotal: '0',
    totalAmountReceived: '0',
    payins: [],
    statusHistory: [],
  };
  return poll(kind, isDone ? fields : { ...fields, ...open }, (ms - at(0)) / 1_000);
}

/** `ms`: of our clock. */
async function keep(observations: readonly Observation[], ms: number): Promise<void> {
  for (let n = 0; n < observations.length; n += 100)
    await save(database, observations.slice(n, n + 100), { now: new Date(ms), adoptedAt: new Date(BEGIN) });
}

async function rates(days: readonly number[]): Promise<void> {
  const rateOf = (asset: string, n: number) =>
    (asset === 'BTC' ? 40_000 : asset === 'ETH' ? 2_000 : 0.9) + some(n, 9, 1_000) / 10_000;
  const lines = days.flatMap((n) =>
    ASSETS.map((asset) => `${iso(BEGIN + n * DAY_MS).slice(0, 10)},${asset},EUR,${rateOf(asset, n).toFixed(4)}`),
  );
  await giveRates(['date,asset,currency,rate', ...lines].join('\n'), { ...books, db: database.db, now: AFTER });
}

const post = () => postEntries({ ...books, db: database.db, log });
const days = (from: number, to: number) => Array.from({ length: to - from }, (_, n) => from + n);
const dayOf = (month: number) => Math.round((Date.UTC(2025, month, 1) - BEGIN) / DAY_MS);

/** The files of a closed month, and how long it took to close it. */
async function close(month: number, now: Date): Promise<{ files: Map<string, string[]>; ms: number }> {
  const { db } = database;
  const asked = { month: iso(Date.UTC(2025, month, 2)).slice(0, 7), actor: 'fina', reason: 'a drill' };
  const began = performance.now();
  const closed = await closePeriod({ ...books, db, log, chart, now: () => now }, asked);
  const ms = performance.now() - began;
  expect(closed.outcome, JSON.stringify(closed)).toBe('closed');
  const files = new Map<string, string[]>();
  for (const { id, name } of closed.outcome === 'closed' ? closed.files : []) {
    const parts: Buffer[] = [];
    for await (const part of readPeriodFile(db, id)) parts.push(part);
    const lines = normal(name, Buffer.concat(parts));
    if (lines !== null) files.set(name, lines);
  }
  return { files, ms };
}

async function open(): Promise<void> {
  await database.reset();
  for (const assetCode of ASSETS)
    await judgedBalance(database.db, { assetCode, opening: '1000000', balance: '1000000', now: new Date(BEGIN) });
}

/** Reads and posts each day, has the rates before, and closes each month in the first minutes after it. */
async function diligent() {
  await open();
  const closed: Awaited<ReturnType<typeof close>>[] = [];
  for (let month = 0; month < MONTHS; month += 1) {
    const [from, to] = [dayOf(month), dayOf(month + 1)];
    await rates(days(from, to + (month === MONTHS - 1 ? 1 : 0)));
    for (const n of days(from, to)) {
      // A day of the service's clock: what is of the next day in the zone of the books is read with it.
      const own = year.filter(({ ms }) => ms >= BEGIN + n * DAY_MS && ms < BEGIN + (n + 1) * DAY_MS);
      const night = BEGIN + (n + 1) * DAY_MS;
      await keep(
        own.map((one) => seen(one, night)),
        night,
      );
      await post();
    }
    closed.push(await close(month, new Date(BEGIN + to * DAY_MS + 300_000)));
  }
  return closed;
}

/** Sees payments before they are completed; reads all of the year backwards at its end, posts once, has the rates after, and closes months in a row. */
async function late() {
  await open();
  const payments = year.filter(({ kind }, n) => kind === 'payment_intent' && n % 3 === 0);
  await keep(
    payments.map((one) => seen(one, one.ms - 1_000, false)),
    BEGIN,
  );
  const end = BEGIN + (DAYS + 3) * DAY_MS;
  const last = (kind: Done['kind']) => year.filter((one) => one.kind === kind).toReversed();
  const all = [...last('payout'), ...last('transaction'), ...last('payin'), ...last('payment_intent')];
  await keep(
    all.map((one, n) => seen(one, end + n * 10)),
    AFTER.getTime(),
  );
  expect(await post()).toMatchObject({ complete: true });
  await rates(days(0, DAYS + 1));
  const closed: Awaited<ReturnType<typeof close>>[] = [];
  for (let month = 0; month < MONTHS; month += 1) closed.push(await close(month, AFTER));
  return closed;
}

test(`two installations that read, post, value and close ${MONTHS * PAYMENTS} payments at other times have the same amounts, dates and accounts in each file`, {
  timeout: DRILL_MS,
}, async () => {
  const [first, second] = [await diligent(), await late()];
  for (const [month, { files }] of first.entries()) {
    const other = second[month]?.files ?? new Map<string, string[]>();
    expect([...files.keys()]).toEqual([...other.keys()]);
    expect(files.size).toBeGreaterThan(25);
    for (const [name, lines] of files) {
      const theirs = other.get(name) ?? [];
      const differing = lines.flatMap((line, n) => (line === theirs[n] ? [] : [[line, theirs[n]]]));
      expect([name, lines.length, differing.slice(0, 3)]).toEqual([name, theirs.length, []]);
    }
  }
  const slowest = (all: typeof first) => Math.round(Math.max(...all.map(({ ms }) => ms)));
  report('two installations', {
    payments: MONTHS * PAYMENTS,
    'closing a month, ms at most': `${slowest(first)}, ${slowest(second)}`,
  });
});
