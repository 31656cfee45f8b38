import { describe, expect, it } from 'vitest';
import { amountOf } from '../../src/sandbox/base/money.js';
import { OTHER, openSandbox, type Row, rowsOf, type TestSandbox } from './support.js';

async function feed(sandbox: TestSandbox, path = '/v1/accounts/transactions'): Promise<Row[]> {
  const rows: Row[] = [];
  for (;;) {
    const cursor = rows.length === 0 ? '' : `&cursor=${rows.at(-1)?.id}`;
    const { body } = await sandbox.call<Row[]>('GET', `${path}?take=100${cursor}`);
    rows.push(...body);
    if (body.length < 100) return rows;
  }
}

describe('sub-wallets of the past', () => {
  it('are as many as asked for, with as many transactions, in order of time, and their books balance', async () => {
    const sandbox = await openSandbox({ wallets: 50, movements: 1000 });
    const accounts = [];
    for (let cursor = ''; accounts.length < 50; cursor = `&cursor=${accounts.at(-1)?.id}`) {
      accounts.push(...(await sandbox.call<Row[]>('GET', `/v1/accounts?take=20${cursor}`)).body);
    }
    expect(new Set(accounts.map(({ id }) => id)).size).toBe(50);
    expect(new Set(accounts.map(({ status }) => status))).toEqual(new Set(['active', 'frozen', 'closed']));
    const rows = await feed(sandbox);
    expect(rows).toHaveLength(1000);
    const times = rows.map(({ createdAt }) => String(createdAt));
    expect(times).toEqual(times.toSorted().toReversed());
    const age = Date.now() - Date.parse(times.at(-1) ?? '');
    expect(age).toBeGreaterThan(700 * 86_400_000);
    expect(new Set(rows.map(({ type }) => type))).toEqual(new Set(['deposit', 'transfer_out', 'transfer_in']));
    expect(rows.some(({ type, feeAmount }) => type !== 'deposit' && feeAmount !== '0')).toBe(true);
    const { headers } = await sandbox.call('GET', '/v1/accounts/transactions?page=1');
    expect(headers.get('x-total-count')).toBe('1000');
    for (const { id, balances } of accounts.map((one) => ({ ...one, balances: rowsOf(one, 'balances') }))) {
      for (const { assetCode, balance } of balances) {
        const sum = rows
          .filter((row) => row.accountId === id && row.assetCode === assetCode)
          .reduce((total, { amount }) => total + signed(String(amount)), 0n);
        expect(sum).toBe(signed(String(balance)));
      }
    }
    expect((await sandbox.call('GET', '/v1/accounts', undefined, OTHER)).body).toEqual([]);
  });

  it('have payins that can be read, and go on from there', async () => {
    const sandbox = await openSandbox({ wallets: 5, movements: 60 });
    const rows = await feed(sandbox);
    const deposit = rows.find(({ type }) => type === 'deposit');
    const payin = (await sandbox.call('GET', `/v1/payments/payins/${String(deposit?.referenceId)}`)).body;
    expect(payin).toMatchObject({ status: 'confirmed', amountNet: deposit?.amount, accountId: deposit?.accountId });
    const id = String(deposit?.accountId);
    const asset = { assetCode: deposit?.assetCode, amount: '0.0001' };
    expect((await sandbox.call('POST', `/v1/accounts/${id}/transfers`, { ...asset, toOperating: true })).status).toBe(
      201,
    );
    expect((await sandbox.call('POST', `/v1/accounts/${id}/close`)).body.status).toBe('closed');
    const own = (await feed(sandbox, `/v1/accounts/${id}/transactions`)).filter(
      ({ assetCode }) => assetCode === asset.assetCode,
    );
    expect(own[0]).toMatchObject({ type: 'closure', balanceAfter: '0' });
  });

  it('are the same for the same seed and start, others for another, and none without being asked for', async () => {
    const realNow = (): number => Date.UTC(2027, 0, 15);
    const texts = [];
    for (const seed of [4, 4, 5]) {
      const sandbox = await openSandbox({ wallets: 8, movements: 80, seed, realNow });
      texts.push(JSON.stringify([await feed(sandbox), (await sandbox.call('GET', '/v1/accounts')).body]));
    }
    expect(texts[1]).toBe(texts[0]);
    expect(texts[2]).not.toBe(texts[0]);
    const none = await openSandbox({ movements: 10 });
    expect(await feed(none)).toEqual([]);
  });

  it('are quickly made', async () => {
    const [wallets, movements] = process.env.TALLYHOOK_LONG ? [1000, 1_000_000] : [50, 3000];
    // Of the processor, so that others at work on the machine do not count.
    const began = process.cpuUsage();
    const sandbox = await openSandbox({ wallets, movements });
    const { user, system } = process.cpuUsage(began);
    expect((user + system) / 1_000_000).toBeLessThan(process.env.TALLYHOOK_LONG ? 60 : 3);
    const answer = await fetch(`${sandbox.url}/v1/accounts/transactions?page=1&take=1`, {
      headers: { authorization: 'Bearer sandbox-api-key' },
    });
    expect(answer.headers.get('x-total-count')).toBe(String(movements));
  }, 120_000);
});

function signed(text: string): bigint {
  return text.startsWith('-') ? -amountOf(text.slice(1)) : amountOf(text);
}
