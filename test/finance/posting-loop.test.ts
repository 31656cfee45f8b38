import { pino } from 'pino';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { matchOrders } from '../../src/finance/match-orders.js';
import { createPosting } from '../../src/finance/posting-loop.js';
import { matchBehind } from '../../src/records/books/match/match-progress.js';
import { defaultContract } from '../../src/service-api/contract.js';
import { checkMatching } from '../../src/wiring/doctor/examine.js';
import { judgedBalance } from '../support/classified-balance.js';
import { useFreshDatabase } from '../support/database.js';
import { at, poll, readPaid } from '../support/observations.js';
import { postBooks } from '../support/posted-books.js';
import { paidIntent } from '../support/records.js';
import { save } from '../support/saved.js';

const settings = { timeZone: 'UTC', currency: 'USD' };
const HOUR_MS = 3_600_000;
const database = useFreshDatabase();
let logged: string[];
let stop: AbortController;
let kept: Promise<void>;

beforeEach(async () => {
  logged = [];
  stop = new AbortController();
  kept = Promise.resolve();
  await judgedBalance(database.db, { assetCode: 'USDT.TRON', opening: '100', balance: '100', now: new Date(at(0)) });
}, 60_000);
afterEach(async () => {
  stop.abort();
  await kept;
});

/** It pauses for an hour: what happens at all happens at once. */
function keepPosting() {
  const log = pino({ level: 'warn' }, { write: (line: string) => void logged.push(JSON.parse(line).msg) });
  const posting = createPosting(
    { db: database.db, log, table: defaultContract.movements, settlementDays: 5, ...settings },
    HOUR_MS,
  );
  kept = posting.loop(stop.signal);
}

/** Of nothing that is matched. */
async function addChanges(count: number): Promise<void> {
  await database.db.raw(
    `INSERT INTO changes (entity_kind, entity_id, field, source_type, source_ref)
     SELECT 'product', 'p', 'name', 'poll', '1' FROM generate_series(1, ?)`,
    [count],
  );
}

const entries = async () => (await database.db('entries').where({ record_id: 'pi_1' })).length;

it('posts between the slices of a long history, and matches to its end without a pause', async () => {
  const { db } = database;
  await addChanges(3_500);
  await postBooks(db);
  expect(await matchOrders({ db, ...settings }, { slices: 2 })).toEqual({ changed: 0, more: true });
  expect(await matchBehind(db)).not.toBeNull();
  const check = async (later: number) =>
    (await checkMatching({ db, now: () => new Date(Date.now() + later) })).map(({ status }) => status);
  expect([await check(0), await check(HOUR_MS)]).toEqual([['ok'], ['finding']]);

  await addChanges(21_000);
  keepPosting();
  await vi.waitFor(async () => expect(await matchBehind(db)).toBeNull(), { timeout: 30_000, interval: 50 });
  expect(await check(HOUR_MS)).toEqual(['ok']);
  expect(logged).toEqual([]);
}, 60_000);

it('where orders can’t be matched entries are posted all the same, and the log says which of them fails', async () => {
  const { db } = database;
  await db.raw('ALTER TABLE match_days RENAME TO match_days_gone');
  const { statusHistory: _, ...paid } = paidIntent('pi_1', 'pa_1', { updatedAt: '2026-03-01T15:00:00.000Z' });
  await save(database, [poll('payment_intent', paid, 20)]);
  keepPosting();
  await vi.waitFor(() => expect(logged).toEqual(['matching failed']), {
    timeout: 10_000,
  });
  expect(await entries()).toBeGreaterThan(0);
}, 60_000);

it('where settlements can’t be followed, that is said, and no entry is held up', async () => {
  const { db } = database;
  await db.raw('ALTER TABLE settlement_arrivals RENAME TO settlement_arrivals_gone');
  const { statusHistory: _, ...paid } = paidIntent('pi_1', 'pa_1', { updatedAt: '2026-03-01T15:00:00.000Z' });
  await save(database, [poll('payment_intent', paid, 20)]);
  keepPosting();
  await vi.waitFor(() => expect(logged).toEqual(['settlements not followed']), { timeout: 10_000 });
  expect(await entries()).toBeGreaterThan(0);
}, 60_000);

it.each(['0001-01-01T00:00:00+01:00', '9999-12-31T23:59:00-14:00'])(
  'a payment created at %s holds up nothing',
  async (createdAt) => {
    const { db } = database;
    await save(database, readPaid('pi_odd', { createdAt }, 20));
    keepPosting();
    await vi.waitFor(async () => expect(await matchBehind(db)).toBeNull(), { timeout: 10_000 });
    expect(await db('matches').pluck('id')).toEqual(['order-pi_odd']);
    expect(logged).toEqual([]);
  },
  60_000,
);
