import { beforeAll, expect, it } from 'vitest';
import type { JsonObject } from '../../src/domain/json.js';
import { checkPeriod } from '../../src/finance/periods/check-period.js';
import { listEntries } from '../../src/records/books/list-entries.js';
import { defaultContract } from '../../src/service-api/contract.js';
import { judgedBalance } from '../support/classified-balance.js';
import { useDatabase } from '../support/database.js';
import { at, poll } from '../support/observations.js';
import { postBooks } from '../support/posted-books.js';
import { paidIntent, payout } from '../support/records.js';
import { save } from '../support/saved.js';

const ASSET = 'USDT.TRON';
/** The opening of the books, in March. */
const OPENED = at(3_600);
const database = useDatabase();

beforeAll(async () => {
  // What is there the first time is passed over.
  await save(database, [poll('payment_intent', paidIntent('pi_0', 'pa_0'), 1)]);
  await postBooks(database.db);
}, 60_000);

const confirmed = (id: string, timestamp: string, fields: JsonObject = {}): JsonObject =>
  payout(id, {
    payoutType: 'withdrawal',
    amount: '10',
    feeBearer: 'merchant',
    status: 'confirmed',
    statusHistory: [{ status: 'confirmed', timestamp, source: 'chain' }],
    createdAt: timestamp,
    updatedAt: timestamp,
    networkFeeAmount: '3.1',
    networkFeeAssetCode: 'TRX',
    ...fields,
  });
/** Out of what was held: no balance moves. */
const ofDispute = (id: string, payoutId: string, second: number) =>
  poll(
    'payment_intent',
    paidIntent(id, `${id}-d`, { irregularStatus: 'refunded', irregularRefundPayoutId: payoutId }),
    second,
  );
const memos = async () => {
  await postBooks(database.db);
  const { items } = await listEntries(database.db, { take: 500 });
  return items
    .filter(({ lines }) => lines.every(({ memo }) => memo))
    .map(({ recordId, date, datedBy }) => [recordId, date, datedBy])
    .sort(([a = ''], [b = '']) => (a < b ? -1 : 1));
};
const before = '2025-08-10T10:00:00.000Z';
const after = '2026-03-02T10:00:00.000Z';

it('shows no network fee of a payout whose books are not open, or that is inside the opening', async () => {
  const pending = { status: 'pending', statusHistory: [], networkFeeAmount: null, networkFeeAssetCode: null };
  await save(database, [
    poll('payout', confirmed('po_old', before), 10),
    poll('payout', confirmed('po_held_old', before, { payoutType: 'refund' }), 10),
    ofDispute('pi_old', 'po_held_old', 10),
    poll('payout', confirmed('po_late', before, pending), 10),
  ]);
  expect(await memos()).toEqual([]);
  await judgedBalance(database.db, { assetCode: ASSET, opening: '100', balance: '100', now: new Date(OPENED) });
  expect(await memos()).toEqual([]);
  // Read once more, and shown otherwise.
  await save(database, [
    poll('payout', confirmed('po_old', before, { networkFeeAmount: '3.2' }), 4_000),
    poll('payout', confirmed('po_held_old', before, { payoutType: 'refund', networkFeeAmount: '3.2' }), 4_000),
  ]);
  expect(await memos()).toEqual([]);
});

it('shows that of payouts since, on no day before the opening', async () => {
  await save(database, [
    poll('payout', confirmed('po_new', after), 5_000),
    poll('payout', confirmed('po_held_new', after, { payoutType: 'refund' }), 5_000),
    ofDispute('pi_new', 'po_held_new', 5_000),
    // What it debits shows after the opening, whatever time it gives.
    poll('payout', confirmed('po_late', before), 5_000),
  ]);
  expect(await memos()).toEqual([
    ['po_held_new', '2026-03-02', 'status_history'],
    ['po_late', '2026-03-01', 'opening'],
    ['po_new', '2026-03-02', 'status_history'],
  ]);
});

it('begins with the first month in which something is booked, where an earlier version left memos before it', async () => {
  const { db } = database;
  const earlier = async () => {
    const now = new Date('2026-06-01T00:00:00Z');
    const { missing } = await checkPeriod(db, '2026-03', {
      now,
      timeZone: 'UTC',
      currency: 'USD',
      table: defaultContract.movements,
    });
    return missing.filter(({ what }) => what === 'earlier_month_open');
  };
  const memo = await db('entries').where({ record_id: 'po_new', key: 'network-fee' }).first();
  const { id: _, ...copy } = {
    ...memo,
    record_id: 'po_older',
    month: '2025-08',
    date: '2025-08-10',
    day: '2025-08-10',
  };
  await db.transaction(async (trx) => {
    const sources = JSON.stringify(memo.sources);
    const observed = JSON.stringify(memo.observed);
    const [made] = await trx('entries')
      .insert({ ...copy, sources, observed, posted_at: trx.fn.now() })
      .returning('id');
    const line = { account: 'expenses:fees:network', asset_code: 'TRX', amount: 1, memo: true };
    await trx('entry_lines').insert({ entry_id: made.id, line: 0, ...line });
  });
  expect(await earlier()).toEqual([]);
});
