import { beforeEach, expect, it } from 'vitest';
import { readProofs } from '../../src/records/balances/balance-proofs.js';
import { accountTotals } from '../../src/records/books/account-totals.js';
import { listEntries } from '../../src/records/books/list-entries.js';
import { type AtService, atService, fewAssets } from '../reconcile/service-at.js';
import { openSandbox, type TestSandbox } from '../sandbox/support.js';
import { expectPosted, postBooks } from '../support/posted-books.js';
import { resettableDatabase } from '../support/resettable-database.js';

const ASSET = 'USDT.TRC20';
const database = resettableDatabase();
let sandbox: TestSandbox;
let at: AtService;

beforeEach(async () => {
  sandbox = await openSandbox({ payments: 6, payouts: 2, wallets: 2, movements: 6, seed: 5 });
  at = fewAssets(atService(database, sandbox.url));
  expect(await at.run('balances')).toMatchObject({ status: 'succeeded', error: null });
}, 60_000);

const post = () => postBooks(database.db);
const reconcileAndPost = async () => {
  expect(await at.run('balances')).toMatchObject({ status: 'succeeded', error: null });
  return post();
};

async function call<T = Record<string, string>>(method: 'POST' | 'PUT', path: string, body: object = {}): Promise<T> {
  const reply = await sandbox.call(method, path, body);
  expect(reply.status, `${path} ${JSON.stringify(reply.body)}`).toBeLessThan(300);
  return reply.body as T;
}

async function pay(amount: string, paid = amount): Promise<string> {
  const body = { amount, currency: ASSET, requestedCurrencyType: 'crypto', assetCode: ASSET };
  const { id = '' } = await call('POST', '/sandbox/payment-intents', body);
  await call('POST', `/sandbox/payment-intents/${id}/pay`, { assetCode: ASSET, amount: paid });
  return id;
}

async function finish(id: string | undefined): Promise<void> {
  for (const step of ['approve', 'broadcast', 'confirm']) await call('POST', `/sandbox/payouts/${id}/${step}`);
}

/** Of all months. */
async function balanceOf(account: string, assetCode = ASSET): Promise<string> {
  const totals = await accountTotals(database.db, '9999-12');
  return totals.find((one) => one.account === account && one.assetCode === assetCode)?.closing ?? '0';
}

const entriesOfRecord = async (recordId: string) =>
  (await listEntries(database.db, { recordId, take: 500 })).items.reverse();

/** Nothing is unexplained here, so that the books are the balance. */
async function expectProven(...wallets: string[]): Promise<void> {
  await expectPosted(database.db, wallets);
  for (const [asset, { balance, unexplained, unproven }] of await readProofs(database.db)) {
    expect([asset, unexplained, unproven]).toEqual([asset, '0', null]);
    expect([asset, await balanceOf('assets:operating', asset)]).toEqual([asset, balance]);
  }
}

it('opens with what stood, is what the proof of each balance explains, and says of entries where they come from', async () => {
  expect(await post()).toMatchObject({ complete: true });
  await expectProven();
  const openings = (await listEntries(database.db, { take: 500 })).items;
  expect(new Set(openings.map(({ recordKind }) => recordKind))).toEqual(new Set(['opening']));

  const id = await pay('250');
  const disputed = await pay('100', '140');
  const refunded = await pay('60');
  await finish(
    (await call('POST', '/sandbox/payouts', { assetCode: ASSET, amount: '20', destinationAddress: 'TXYZ-1' })).id,
  );
  await call('POST', '/sandbox/payouts', { assetCode: ASSET, amount: '30', destinationAddress: 'TXYZ-2' });
  const { id: account = '' } = await call('POST', '/sandbox/accounts');
  await call('POST', `/sandbox/accounts/${account}/deposit`, { assetCode: ASSET, amount: '70' });
  const transfer = (body: object) => call('POST', `/v1/accounts/${account}/transfers`, { assetCode: ASSET, ...body });
  await transfer({ amount: '10', toOperating: true, feeAmount: '1' });
  await transfer({ amount: '5.5', fromOperating: true });
  const withdrawal = { assetCode: ASSET, amount: '8', destinationAddress: 'somewhere' };
  await finish((await call('POST', `/v1/accounts/${account}/payouts`, withdrawal)).id);
  const back = { paymentIntentId: refunded, destinationAddress: 'TXYZ-3', feeBearer: 'merchant', amount: '10' };
  await finish((await call('POST', '/v1/payouts/refund', back)).id);
  await call('POST', '/sandbox/settlements', { assetCode: ASSET, amount: '44' });

  expect((await reconcileAndPost()).entries).toBeGreaterThan(8);
  await expectProven(account);
  const [entry] = await entriesOfRecord(id);
  expect(entry).toMatchObject({
    recordKind: 'payment_intent',
    type: 'entry',
    adjusts: null,
    observedBy: { type: 'poll' },
    sources: [{ kind: 'payment_intent', id }, { kind: 'payin' }],
  });
  expect(entry?.month).toBe(entry?.date.slice(0, 7));
  expect(entry?.lines.map(({ account, amount }) => [account, amount])).toEqual([
    ['assets:operating', '247.5'],
    ['expenses:fees:service', '2.5'],
    ['income:payments', '-250'],
  ]);
  expect(entry?.lines[0]).toMatchObject({ rateCurrency: 'USD', rateSource: 'service', unpriced: null });
  expect(await balanceOf('assets:held:disputes')).toBe('40');
  expect(await balanceOf('income:fees:transfers')).toBe('-1');
  expect(await balanceOf('equity:conversion')).not.toBe('0');
  expect(await post()).toEqual({ records: 0, entries: 0, complete: true });

  await call('POST', `/sandbox/payment-intents/${disputed}/decide`, { decision: 'encash' });
  await reconcileAndPost();
  await expectProven();
  expect(await balanceOf('assets:held:disputes')).toBe('0');
  const held = (await entriesOfRecord(disputed)).filter(({ key }) => key === 'held');
  expect(held.map(({ type, datedBy }) => [type, datedBy])).toMatchObject([
    ['entry', expect.any(String)],
    ['change', 'decision'],
  ]);
  expect(held[1]?.corrects).toBe(held[0]?.id);
}, 120_000);

it('goes on after it was cut off in the middle, and posts nothing twice', async () => {
  await post();
  for (let n = 1; n <= 4; n++) await pay(String(n * 10));
  await at.run('balances');
  await database.db.raw(`CREATE FUNCTION cut() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN RAISE EXCEPTION 'cut off'; END $$`);
  await database.db.raw('CREATE TRIGGER cut BEFORE UPDATE ON posting_progress EXECUTE FUNCTION cut()');
  const before = await database.db('entries').count();
  await expect(post()).rejects.toThrow('cut off');
  expect(await database.db('entries').count()).toEqual(before);
  await database.db.raw('DROP TRIGGER cut ON posting_progress');
  const settled = await Promise.allSettled([post(), post(), post()]);
  expect(settled.map(({ status }) => status)).toContain('fulfilled');
  await post();
  await expectProven();
}, 120_000);
