import { describe, expect, it } from 'vitest';
import { OTHER, openInbox, openSandbox, openWallet, operatingBalance, type Row, walletBalance } from './support.js';

const GIVE = { assetCode: 'USDT.TRC20', amount: '100' };

async function start() {
  const sandbox = await openSandbox();
  const [from, to] = [await openWallet(sandbox), await openWallet(sandbox, { email: 'Ann@example.com' })];
  const transfer = (body: Record<string, unknown>, id = from) =>
    sandbox.call('POST', `/v1/accounts/${id}/transfers`, { ...GIVE, ...body });
  return { sandbox, from, to, transfer };
}

describe('a transfer', () => {
  it('goes to an account by id, by e-mail, to the operating balance, or out of it', async () => {
    const { sandbox, from, to, transfer } = await start();
    const { status, body } = await transfer({ toWalletAccountId: to, note: 'thanks' });
    expect(status).toBe(201);
    expect(body).toMatchObject({
      status: 'executed',
      fromAccountId: from,
      toAccountId: to,
      amount: '100',
      feeAmount: '0',
      amountNet: '100',
      note: 'thanks',
    });
    expect((await transfer({ toEmail: 'ann@EXAMPLE.com' })).body.toAccountId).toBe(to);
    expect((await transfer({ toOperating: true })).body.toAccountId).toBeNull();
    expect(await operatingBalance(sandbox)).toEqual(['100', '0', '100']);
    const out = await transfer({
      fromOperating: true,
      toWalletAccountId: 'wa_none',
      toEmail: 'x',
      toOperating: true,
      amount: '30',
    });
    expect(out.body).toMatchObject({ fromAccountId: null, toAccountId: from });
    expect([await walletBalance(sandbox, from), await walletBalance(sandbox, to)].map(([total]) => total)).toEqual([
      '720',
      '1190',
    ]);
    expect(await operatingBalance(sandbox)).toEqual(['70', '0', '70']);
  });

  it('withholds a fee from what arrives, and the merchant keeps it', async () => {
    const { sandbox, from, to, transfer } = await start();
    const { body } = await transfer({ toWalletAccountId: to, feeAmount: '2.5' });
    expect(body).toMatchObject({ amount: '100', feeAmount: '2.5', amountNet: '97.5' });
    expect((await walletBalance(sandbox, from))[0]).toBe('890');
    expect((await walletBalance(sandbox, to))[0]).toBe('1087.5');
    expect((await operatingBalance(sandbox))[0]).toBe('2.5');
    await transfer({ fromOperating: true, amount: '2', feeAmount: '0.5' });
    expect((await operatingBalance(sandbox))[0]).toBe('1');
  });

  it.each([
    ['no destination', {}, 'DESTINATION_INVALID'],
    ['no destination that counts', { toOperating: false }, 'DESTINATION_INVALID'],
    ['two destinations', { toOperating: true, toEmail: 'ann@example.com' }, 'DESTINATION_INVALID'],
    ['an unknown account', { toWalletAccountId: 'wa_none' }, 'NOT_FOUND'],
    ['an unknown e-mail', { toEmail: 'bob@example.com' }, 'NOT_FOUND'],
    ['a fee as large as the amount', { toOperating: true, feeAmount: '100' }, 'VALIDATION_ERROR'],
    ['a fee of zero', { toOperating: true, feeAmount: '0' }, 'VALIDATION_ERROR'],
    ['more than there is', { toOperating: true, amount: '990.000001' }, 'INSUFFICIENT_BALANCE'],
    ['more than the operating balance has', { fromOperating: true, amount: '1' }, 'INSUFFICIENT_BALANCE'],
    ['an unknown asset', { toOperating: true, assetCode: 'DOGE' }, 'ASSET_NOT_SUPPORTED'],
    ['an asset in small letters', { toOperating: true, assetCode: 'usdt.trc20' }, 'VALIDATION_ERROR'],
  ])('refuses %s', async (_, body, code) => {
    const { sandbox, from, transfer } = await start();
    const refused = await transfer(body);
    expect(refused.status).toBeGreaterThanOrEqual(400);
    expect(refused.body.code).toBe(code);
    expect(await walletBalance(sandbox, from)).toEqual(['990', '0', '990']);
  });

  it('refuses itself as destination, closed accounts, an e-mail of several, and accounts of others', async () => {
    const { sandbox, from, to, transfer } = await start();
    expect((await transfer({ toWalletAccountId: from })).body.code).toBe('DESTINATION_INVALID');
    await openWallet(sandbox, { email: 'ann@example.com' });
    expect((await transfer({ toEmail: 'ann@example.com' })).body.code).toBe('EMAIL_AMBIGUOUS');
    await sandbox.call('POST', `/v1/accounts/${to}/close`);
    expect((await transfer({ toWalletAccountId: to })).body.code).toBe('ACCOUNT_CLOSED');
    expect((await transfer({ fromOperating: true }, to)).body.code).toBe('ACCOUNT_CLOSED');
    const other = await sandbox.call('POST', `/v1/accounts/${from}/transfers`, { ...GIVE, toOperating: true }, OTHER);
    expect(other.status).toBe(404);
  });

  it('is reported by an event that the delivery history finds by either account', async () => {
    const { sandbox, from, to, transfer } = await start();
    const inbox = await openInbox();
    sandbox.control.addEndpoint({ url: inbox.url });
    const { body } = await transfer({ toWalletAccountId: to });
    await transfer({ toOperating: true });
    await sandbox.control.deliveriesIdle();
    expect(inbox.arrivals.map(({ event }) => event)).toEqual(Array(2).fill('wallet_account.transfer.completed'));
    expect(inbox.arrivals.map(({ envelope }) => envelope?.data)).toContainEqual(body);
    const count = async (id: string): Promise<number> =>
      (await sandbox.call<{ items: Row[] }>('GET', `/v1/webhook-endpoints/deliveries?accountId=${id}`)).body.items
        .length;
    expect([await count(from), await count(to), await count('wa_none')]).toEqual([2, 1, 0]);
  });
});

describe('the transactions', () => {
  it('of an account add up to its balance', async () => {
    const { sandbox, from, to, transfer } = await start();
    await transfer({ toWalletAccountId: to, feeAmount: '1' });
    const payout = await sandbox.call('POST', `/v1/accounts/${from}/payouts`, {
      ...GIVE,
      destinationAddress: 'Tsomewhere',
      note: 'rent',
    });
    const rows = async (id: string, query = ''): Promise<Row[]> =>
      (await sandbox.call<Row[]>('GET', `/v1/accounts/${id}/transactions?${query}`)).body;
    const usdt = async (id: string) =>
      (await rows(id))
        .filter((row) => row.assetCode === 'USDT.TRC20')
        .map((row) => [row.type, row.amount, row.feeAmount]);
    expect(await usdt(from)).toEqual([
      ['transfer_out', '-100', '1'],
      ['deposit', '990', '10'],
    ]);
    for (const step of ['approve', 'broadcast', 'confirm'] as const) {
      sandbox.control.advancePayout(payout.body.id, { step });
    }
    expect((await usdt(from))[0]).toEqual(['withdrawal', '-101', '1']);
    expect((await usdt(to))[0]).toEqual(['transfer_in', '99', '1']);
    const [last] = await rows(from, 'take=1');
    expect(last).toMatchObject({ accountId: from, balanceAfter: '789', note: 'rent', referenceId: payout.body.id });
    expect(await rows(from, `take=1&cursor=${last?.id}`)).toHaveLength(1);
    expect((await sandbox.call('GET', '/v1/accounts/wa_none/transactions')).status).toBe(404);
  });

  it('of all accounts are read within bounds, by cursor or by page with their count', async () => {
    const sandbox = await openSandbox();
    const times: string[] = [];
    for (let n = 0; n < 5; n += 1) {
      times.push(new Date(sandbox.control.now()).toISOString());
      // Between two bounds: a row of the bound's own millisecond would count or not by chance.
      sandbox.control.advance(50);
      await openWallet(sandbox);
      sandbox.control.advance(50);
    }
    const feed = async (query: string) => {
      const { body, headers } = await sandbox.call<Row[]>('GET', `/v1/accounts/transactions?${query}`);
      return { ids: body.map(({ id }) => id), total: headers.get('x-total-count') };
    };
    const all = await feed('take=100');
    expect([all.ids.length, all.total]).toEqual([10, null]);
    expect(await feed('page=1&take=4')).toEqual({ ids: all.ids.slice(0, 4), total: '10' });
    expect(await feed('page=3&take=4')).toEqual({ ids: all.ids.slice(8), total: '10' });
    expect(await feed('page=4&take=4')).toEqual({ ids: [], total: '10' });
    expect((await feed(`take=3&cursor=${all.ids[2]}`)).ids).toEqual(all.ids.slice(3, 6));
    const bounded = await feed(`from=${times[1]}&to=${times[3]}&page=1&take=100`);
    expect(bounded).toEqual({ ids: all.ids.slice(4, 8), total: '4' });
    expect((await feed(`from=${times[4]}&to=${times[0]}`)).ids).toEqual([]);
    // Without a zone it is UTC, wherever the sandbox runs.
    const zoneless = await feed(`from=${times[1]?.slice(0, -1)}&to=${times[3]?.slice(0, -1)}&page=1&take=100`);
    expect(zoneless).toEqual(bounded);
    for (const query of ['page=0', 'page=x', 'page=1.5', 'from=yesterday', 'to=2027', 'take=101', 'take=0']) {
      expect((await sandbox.call('GET', `/v1/accounts/transactions?${query}`)).status).toBe(400);
    }
    const { body } = await sandbox.call<Row[]>('GET', '/v1/accounts/transactions', undefined, OTHER);
    expect(body).toEqual([]);
  });

  it('are found by their time though the clock went back between them', async () => {
    const sandbox = await openSandbox();
    const times: string[] = [];
    for (const clockSkewSeconds of [0, 7200, -7200, 0]) {
      sandbox.control.setFaults({ clockSkewSeconds });
      times.push(new Date(sandbox.control.now()).toISOString());
      await openWallet(sandbox);
    }
    const total = async (query: string): Promise<string | null> =>
      (await sandbox.call('GET', `/v1/accounts/transactions?page=1&${query}`)).headers.get('x-total-count');
    expect(await total('')).toBe('8');
    expect(await total(`from=${times[1]}`)).toBe('2');
    expect(await total(`from=${times[0]}`)).toBe('6');
    expect(await total(`to=${times[0]}`)).toMatch(/^[234]$/);
  });

  it('have bounds that may be inside or outside', async () => {
    const sandbox = await openSandbox();
    await openWallet(sandbox);
    const { body } = await sandbox.call<Row[]>('GET', '/v1/accounts/transactions');
    const at = String(body[0]?.createdAt);
    const count = async () =>
      (await sandbox.call<Row[]>('GET', `/v1/accounts/transactions?from=${at}&to=${at}`)).body.length;
    expect(await count()).toBeGreaterThan(0);
    sandbox.control.setFaults({ feedBounds: 'exclusive' });
    expect(await count()).toBe(0);
  });
});
