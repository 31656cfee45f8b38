import { expect, test } from 'vitest';
import { chartSchema } from '../../src/domain/books/chart.js';
import type { Observation } from '../../src/domain/observation.js';
import { closePeriod } from '../../src/finance/periods/close-period.js';
import { postEntries } from '../../src/finance/post-entries.js';
import { createLog } from '../../src/log.js';
import { readPeriodFile } from '../../src/records/books/period-files.js';
import { defaultContract } from '../../src/service-api/contract.js';
import { judgedBalance } from '../support/classified-balance.js';
import { DRILL_MS, report } from '../support/drill.js';
import { giveRates } from '../support/given-rates.js';
import { resettableDatabase } from '../support/resettable-database.js';
import { save } from '../support/saved.js';
import { ASSETS, BEGIN, DAY_MS, heard, iso, MONTHS, newest, PAYMENTS, seen, some, year } from './year/dated-year.js';
import { normal, TOO_FAR } from './year/normal-files.js';

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

/** The first few lines that the others lack, each as often as it stands there. */
function without(lines: readonly string[], others: readonly string[]): string[] {
  const left = new Map<string, number>();
  for (const line of others) left.set(line, (left.get(line) ?? 0) + 1);
  const lacking = lines.filter((line) => {
    const count = left.get(line) ?? 0;
    left.set(line, count - 1);
    return count <= 0;
  });
  return lacking.slice(0, 5);
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
      await keep(heard(own), night);
      await keep(
        newest(own).map((one) => seen(one, night)),
        night,
      );
      await post();
    }
    closed.push(await close(month, new Date(BEGIN + to * DAY_MS + 300_000)));
  }
  return closed;
}

/** Sees payments before they are completed, and hears of disputes; reads all of the year backwards at its end, posts once, has the rates after, and closes months in a row. */
async function late() {
  await open();
  const payments = newest(year.toReversed()).filter(({ kind }, n) => kind === 'payment_intent' && n % 3 === 0);
  await keep(
    payments.map((one) => seen(one, one.ms - 1_000, false)),
    BEGIN,
  );
  await keep(heard(year), BEGIN);
  const end = BEGIN + (DAYS + 3) * DAY_MS;
  const last = (kind: (typeof year)[number]['kind']) => newest(year.filter((one) => one.kind === kind)).toReversed();
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
      const alone = { first: without(lines, theirs), second: without(theirs, lines) };
      expect([name, lines.filter((line) => line.endsWith(TOO_FAR))]).toEqual([name, []]);
      expect([name, lines.length, alone]).toEqual([name, theirs.length, { first: [], second: [] }]);
    }
  }
  const slowest = (all: typeof first) => Math.round(Math.max(...all.map(({ ms }) => ms)));
  report('two installations', {
    payments: MONTHS * PAYMENTS,
    'closing a month, ms at most': `${slowest(first)}, ${slowest(second)}`,
  });
});
