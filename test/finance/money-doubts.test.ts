import { beforeAll, expect, it } from 'vitest';
import { matchOrders } from '../../src/finance/match-orders.js';
import { moneyDoubts } from '../../src/finance/periods/check-period.js';
import { listMatches } from '../../src/records/books/match/list-matches.js';
import { followSettlements, markSettlement } from '../../src/records/books/settlements.js';
import { defaultContract } from '../../src/service-api/contract.js';
import { judgedBalance } from '../support/classified-balance.js';
import { useDatabase } from '../support/database.js';
import { giveRates } from '../support/given-rates.js';
import { at, poll, readPaid } from '../support/observations.js';
import { postBooks } from '../support/posted-books.js';
import { payout } from '../support/records.js';
import { save } from '../support/saved.js';

const ASSET = 'USDT.TRON';
const MONTH = '2026-03';
const books = { table: defaultContract.movements, timeZone: 'UTC', currency: 'USD', settlementDays: 5 };
const NOW = new Date('2026-03-31T12:00:00Z');
const database = useDatabase();

beforeAll(async () => {
  const { db } = database;
  await judgedBalance(db, { assetCode: ASSET, opening: '1000', balance: '1000', now: new Date(at(0)) });
  const statusHistory = [{ status: 'confirmed', timestamp: '2026-03-10T10:00:00.000Z' }];
  const settled = {
    payoutType: 'settlement',
    amount: '100',
    status: 'confirmed',
    statusHistory,
    feeBearer: 'merchant',
  };
  const made = { createdAt: '2026-03-10T09:00:00.000Z' };
  await save(database, [
    ...readPaid('pi_1', { currencyRequested: 'USD', updatedAt: '2026-03-05T10:00:00.000Z' }, 20),
    poll('payout', payout('po_1', { ...settled, ...made }), 100),
  ]);
  await brought();
}, 60_000);

async function brought(): Promise<void> {
  await postBooks(database.db);
  await matchOrders({ db: database.db, ...books });
}
const doubts = async (month = MONTH) =>
  (await moneyDoubts(database.db, { ...books, month })).map(({ what, of, told, byReason }) => {
    expect(byReason).toBe(true);
    return [what, of, told];
  });
const given = async (...rates: string[]) => {
  const lines = rates.map((rate) => rate.replace(' ', `,${ASSET},USD,`));
  const text = ['date,asset,currency,rate', ...lines].join('\n');
  await giveRates(text, { db: database.db, now: NOW, ...books });
  await brought();
};
const orderOf = async () =>
  (await listMatches(database.db, { id: 'order-pi_1' }, { today: '2026-03-31', timeZone: 'UTC' })).items[0];

it('a rate that was accepted though it is far off is named, and the payment that it values wrongly; no more once it is right', async () => {
  expect(await doubts()).toEqual([]);
  expect(await orderOf()).toMatchObject({ state: 'matched' });
  const [{ day }] = (await database
    .db('entries')
    .where({ record_kind: 'payment_intent' })
    .select(database.db.raw('day::text AS day'))) as [{ day: string }];
  await given(`${day} 0.01`, '2026-03-28 0.01');
  const found = await doubts();
  expect(found).toEqual([
    [
      'rate_far',
      ASSET,
      expect.stringMatching(
        new RegExp(`given for 1 day are far from .* of ${day}: 0.01 USD for ${ASSET} is far from that of a payment`),
      ),
    ],
    [
      'value_differs',
      'order-pi_1',
      expect.stringMatching(
        /^order order-pi_1: payment pi_1 asked for 25(\.00)? USD, and the books carry 0\.26 USD for the 26\.1 /,
      ),
    ],
  ]);
  const matched = await orderOf();
  expect(matched?.state).toBe('partly_matched');
  expect(matched?.reasons.map(({ code }) => code)).toEqual(['value_differs']);
  expect(await doubts('2026-04')).toEqual([]);
  await given(`${day} 0.95`);
  expect(await doubts()).toEqual([]);
  expect(await orderOf()).toMatchObject({ state: 'matched' });
});

it('a settlement of the month that is late or short is named until it is explained', async () => {
  await followSettlements(database.db, books, NOW);
  expect(await doubts()).toMatchObject([
    ['settlement_open', expect.any(String), expect.stringContaining('is open: settlement late of payout po_1, ')],
  ]);
  const marked = {
    payoutId: 'po_1',
    amount: '1',
    currency: 'USD',
    on: '2026-03-12',
    reference: 'S',
    note: 'see',
    actor: 'ann',
  };
  await given('2026-03-10 0.96');
  expect(await markSettlement(database.db, { ...marked, difference: 'unexplained' }, books, NOW)).toMatchObject({
    outcome: 'done',
  });
  await database.db('breaks').where({ kind: 'settlement_short' }).update({ status: 'acknowledged' });
  expect(await doubts()).toMatchObject([
    [
      'settlement_open',
      expect.any(String),
      expect.stringMatching(/is acknowledged: settlement short of payout po_1, 95(\.00)? USD did not arrive$/),
    ],
  ]);
  expect(await doubts('2026-04')).toEqual([]);
  await markSettlement(database.db, { ...marked, amount: '100', difference: 'unexplained' }, books, NOW);
  expect(await doubts()).toMatchObject([
    ['settlement_open', expect.any(String), expect.stringMatching(/ too much arrived$/)],
  ]);
  expect(await markSettlement(database.db, { ...marked, difference: 'fees' }, books, NOW)).toMatchObject({
    outcome: 'done',
  });
  expect(await doubts()).toEqual([]);
  const steps = await database.db('break_steps').where({ action: 'auto_resolved' }).orderBy('id').pluck('note');
  expect(steps).toEqual([
    'mark of the settlement (1 USD of 2026-03-12) by ann',
    'mark of the settlement (100 USD of 2026-03-12) by ann',
    'mark of the settlement (1 USD of 2026-03-12) by ann',
  ]);
});
