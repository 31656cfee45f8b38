import fc from 'fast-check';
import { expect, it } from 'vitest';
import { subtractAmounts } from '../../src/domain/money.js';
import { openSandbox, type TestSandbox } from '../sandbox/support.js';
import { resettableDatabase } from '../support/resettable-database.js';
import { ASSET, balanceStage, PAST } from './balance-stage.js';
import { type AtService, atService, fewAssets } from './service-at.js';

const database = resettableDatabase();
const { proofOf, residuals, pay } = balanceStage(database);

/** Sales wherever `sells` says so, by the calls of a run, each of its own price; `lost` is missing in the balance. */
function busy(sandbox: TestSandbox, at: AtService, sells: (operation: string, call: number) => string | null) {
  const shop = { sales: 0, lost: '0', isOpen: true };
  const { client } = at.deps;
  let calls = 0;
  at.deps.client = {
    serviceNow: () => client.serviceNow(),
    reply: async (operation, request) => {
      const price = sells(operation, calls++);
      if (price !== null && shop.isOpen) {
        shop.sales += 1;
        await pay(sandbox, price);
      }
      const answer = await client.reply(operation, request);
      if (operation !== 'getBalance' || request?.path?.['assetCode'] !== ASSET) return answer;
      const less = (amount: unknown) => subtractAmounts(String(amount), shop.lost);
      const { balance, available, ...rest } = answer.data as Record<string, unknown>;
      return { ...answer, data: { ...rest, balance: less(balance), available: less(available) } };
    },
  };
  return shop;
}

/** Before the lists are read, and between them and the poll. */
function eachRound(): (operation: string) => string | null {
  let [last, sales] = ['', 0];
  return (operation) => {
    const isNew = operation !== last && (operation === 'listPayouts' || operation === 'listTransactions');
    last = operation;
    if (isNew) sales += 1;
    return isNew ? String(10 + sales ** 2) : null;
  };
}

async function staged(): Promise<{ sandbox: TestSandbox; at: AtService }> {
  const sandbox = await openSandbox(PAST);
  return { sandbox, at: fewAssets(atService(database, sandbox.url)) };
}

it('the balance of a busy shop opens, is proven, and what is lost is named, though it moves each time that it is polled', async () => {
  const { sandbox, at } = await staged();
  const shop = busy(sandbox, at, eachRound());
  expect(await at.run('balances')).toMatchObject({ complete: true, breaksOpened: 0 });
  expect(shop.sales).toBeGreaterThan(5);
  const opened = await proofOf();
  expect(opened).toMatchObject({ unexplained: '0', unproven: null });

  expect(await at.run('balances')).toMatchObject({ complete: true, breaksOpened: 0 });
  const proven = await proofOf();
  expect(proven).toMatchObject({ opening: opened?.opening, unexplained: '0', unproven: null });
  expect(Date.parse(proven?.agreedAt ?? '')).toBeGreaterThan(Date.parse(opened?.agreedAt ?? ''));
  expect(proven?.explained).not.toBe('0');

  shop.lost = '9';
  expect(await at.run('balances')).toMatchObject({ complete: true, breaksOpened: 1 });
  expect(await proofOf()).toMatchObject({ unexplained: '-9' });
  expect(await residuals()).toMatchObject([{ severity: 'critical', entity: { kind: 'balance', id: ASSET } }]);
  shop.lost = '0';
  await at.run('balances');
  expect(await residuals()).toEqual([]);
});

const moments = fc.array(fc.constantFrom(null, null, null, '10', '10', '4.5', '31.07'), {
  minLength: 200,
  maxLength: 200,
});

it.each(fc.sample(moments, { numRuns: 2, seed: 11 }))(
  'whenever a shop sells, and at whatever prices, nothing is said to be missing, and its opening is true (%#)',
  async (...when) => {
    const { sandbox, at } = await staged();
    const shop = busy(sandbox, at, (_, call) => when[call] ?? null);
    for (let run = 1; run <= 2; run += 1) expect(await at.run('balances')).toMatchObject({ breaksOpened: 0 });
    expect(shop.sales).toBeGreaterThan(10);
    // It stands still at last: opening and movements are the balance.
    shop.isOpen = false;
    expect(await at.run('balances')).toMatchObject({ complete: true, breaksOpened: 0 });
    expect(await proofOf()).toMatchObject({ unexplained: '0', unproven: null });
  },
);
