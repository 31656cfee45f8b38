import { describe, expect, it } from 'vitest';
import {
  OTHER,
  openInbox,
  openSandbox,
  openWallet,
  operatingBalance,
  type Row,
  rowsOf,
  walletBalance,
} from './support.js';

const OUT = { assetCode: 'USDT.TRC20', amount: '100', destinationAddress: 'TXyz1234567890' };

async function start() {
  const sandbox = await openSandbox();
  const id = await openWallet(sandbox, { label: 'Ann', externalRef: 'user-1', email: 'Ann@example.com' });
  const act = (method: string, rest = '', body?: unknown) => sandbox.call(method, `/v1/accounts/${id}${rest}`, body);
  const ids = async (query = ''): Promise<string[]> =>
    (await sandbox.call<Row[]>('GET', `/v1/accounts?${query}`)).body.map((row) => row.id);
  return { sandbox, id, act, ids };
}

describe('the list of accounts', () => {
  it('is newest first, filtered by status, searched by label, reference and e-mail', async () => {
    const { sandbox, id, act, ids } = await start();
    const second = await openWallet(sandbox, { externalRef: 'USER-20' });
    const third = await openWallet(sandbox);
    expect(await ids()).toEqual([third, second, id]);
    expect(await ids('take=2')).toEqual([third, second]);
    expect(await ids(`take=2&cursor=${second}`)).toEqual([id]);
    expect(await ids('search=user-')).toEqual([second, id]);
    expect(await ids('search=ANN')).toEqual([id]);
    expect(await ids('search=nobody')).toEqual([]);
    await act('PATCH', '', { status: 'frozen' });
    expect(await ids('status=frozen')).toEqual([id]);
    expect(await ids('status=active&search=user')).toEqual([second]);
    expect((await sandbox.call('GET', '/v1/accounts?status=gone')).status).toBe(400);
    expect((await sandbox.call<Row[]>('GET', '/v1/accounts', undefined, OTHER)).body).toEqual([]);
    sandbox.control.setFaults({ accountsShape: 'page' });
    const page = (await sandbox.call<{ items: Row[]; nextCursor: string }>('GET', '/v1/accounts?take=2')).body;
    expect([page.items.length, page.nextCursor]).toEqual([2, second]);
  });
});

describe('an account', () => {
  it('is updated field by field; a reference belongs to one account', async () => {
    const { sandbox, act } = await start();
    expect((await act('PATCH', '', { label: 'Bob', phoneNumber: '+22890000000' })).body).toMatchObject({
      label: 'Bob',
      externalRef: 'user-1',
      email: 'Ann@example.com',
      phoneNumber: '+22890000000',
      status: 'active',
    });
    expect((await act('PATCH', '', { externalRef: 'user-1' })).status).toBe(200);
    const other = await openWallet(sandbox);
    const taken = await sandbox.call('PATCH', `/v1/accounts/${other}`, { externalRef: 'user-1' });
    expect([taken.status, taken.body.code]).toEqual([409, 'EXTERNAL_REF_TAKEN']);
    expect((await act('PATCH', '', { externalRef: null })).body.externalRef).toBeNull();
    expect((await sandbox.call('PATCH', `/v1/accounts/${other}`, { externalRef: 'user-1' })).status).toBe(200);
    expect((await sandbox.call('PATCH', `/v1/accounts/${other}`, { label: 'x' }, OTHER)).status).toBe(404);
  });

  it.each([
    ['label', 120],
    ['externalRef', 120],
    ['email', 200],
    ['phoneNumber', 40],
  ])('has a %s of at most %i characters', async (field, most) => {
    const { act } = await start();
    for (const [length, status] of [
      [most - 1, 200],
      [most, 200],
      [most + 1, 400],
    ] as const) {
      expect((await act('PATCH', '', { [field]: 'x'.repeat(length) })).status).toBe(status);
    }
    expect((await act('PATCH', '', { [field]: 5 })).status).toBe(400);
  });

  it('that is frozen lets nothing out, while deposits and transfers still arrive', async () => {
    const { sandbox, id, act } = await start();
    sandbox.control.deposit(null, 'USDT.TRC20', '5');
    expect((await act('PATCH', '', { status: 'frozen' })).body.status).toBe('frozen');
    expect((await act('POST', '/payouts', OUT)).body.code).toBe('ACCOUNT_FROZEN');
    const transfer = { assetCode: 'USDT.TRC20', amount: '5' };
    expect((await act('POST', '/transfers', { ...transfer, toOperating: true })).body.code).toBe('ACCOUNT_FROZEN');
    expect((await act('POST', '/transfers', { ...transfer, fromOperating: true })).status).toBe(201);
    const { status, body } = await sandbox.call('POST', `/sandbox/accounts/${id}/deposit`, transfer);
    expect([status, body.status, body.payinType, body.addressPurpose]).toEqual([
      201,
      'confirmed',
      'blockchain',
      'STATIC_ADDRESS',
    ]);
    expect(await walletBalance(sandbox, id)).toEqual(['999.95', '0', '999.95']);
    await act('PATCH', '', { status: 'active' });
    expect((await act('POST', '/payouts', OUT)).status).toBe(201);
  });

  it('closed by PATCH is archived with all it has, and comes back by PATCH', async () => {
    const { sandbox, id, act, ids } = await start();
    expect((await act('PATCH', '', { status: 'closed' })).body).toMatchObject({ status: 'closed', isArchived: true });
    expect(await ids()).toEqual([]);
    expect(await walletBalance(sandbox, id)).toEqual(['990', '0', '990']);
    expect((await act('POST', '/payouts', OUT)).body.code).toBe('ACCOUNT_CLOSED');
    await act('PATCH', '', { status: 'active' });
    expect(await ids()).toEqual([id]);
    sandbox.control.setFaults({ patchClosedArchives: false });
    await act('PATCH', '', { status: 'closed' });
    expect(await ids('status=closed')).toEqual([id]);
    expect((await act('POST', '/archive')).status).toBe(200);
    expect(await ids()).toEqual([]);
  });

  it('is closed for good only when nothing is frozen; one entry per asset empties it', async () => {
    const { sandbox, id, act, ids } = await start();
    const { body } = await act('POST', '/payouts', OUT);
    const refused = await act('POST', '/close');
    expect([refused.status, refused.body.code]).toEqual([409, 'ACCOUNT_HAS_FROZEN_AMOUNTS']);
    expect((await act('PATCH', '', {})).body.status).toBe('active');
    sandbox.control.advancePayout(body.id, { step: 'fail' });
    expect((await act('POST', '/archive')).body.code).toBe('ACCOUNT_NOT_CLOSED');
    const closed = (await act('POST', '/close')).body;
    expect(closed).toMatchObject({ status: 'closed', isArchived: false, depositAddresses: [] });
    expect(await ids('status=closed')).toEqual([id]);
    expect(await walletBalance(sandbox, id)).toEqual(['0', '0', '0']);
    expect(await operatingBalance(sandbox)).toEqual(['990', '0', '990']);
    expect(await operatingBalance(sandbox, 'XRP.XRPL')).toEqual(['9.9', '0', '9.9']);
    const { body: rows } = await sandbox.call<Row[]>('GET', `/v1/accounts/${id}/transactions`);
    expect(rows.filter(({ type }) => type === 'closure').map(({ assetCode, amount }) => [assetCode, amount])).toEqual([
      ['XRP.XRPL', '-9.9'],
      ['USDT.TRC20', '-990'],
    ]);
    expect((await act('PATCH', '', { status: 'active' })).body.code).toBe('ACCOUNT_CLOSED');
    expect((await act('POST', '/payouts', OUT)).body.code).toBe('ACCOUNT_CLOSED');
    expect((await act('POST', '/close')).status).toBe(200);
    expect((await sandbox.call('POST', `/sandbox/accounts/${id}/deposit`, OUT)).status).toBe(409);
    expect((await act('POST', '/archive')).body.isArchived).toBe(true);
    expect(await ids()).toEqual([]);
  });

  it('closed gives its bitcoin address back to the payments', async () => {
    const { sandbox, id, act } = await start();
    const { body: address } = await sandbox.call('POST', `/sandbox/accounts/${id}/addresses/BTC`);
    await act('POST', '/close');
    const direct = { requestedCoin: 'BTC', amount: '1', customer: {} };
    const places = [];
    for (let n = 0; n < 2; n += 1) {
      places.push((await sandbox.call('POST', '/v1/payment-intents/direct', direct)).body.depositAddress);
    }
    expect(places[0]).toBe(address.address);
    expect(places[1]).not.toBe(address.address);
  });

  it('closed while a deposit is on its way does not get it', async () => {
    const sandbox = await openSandbox({ confirmationSeconds: 10 });
    const { body } = await sandbox.call('POST', '/sandbox/accounts', {});
    const deposit = sandbox.control.deposit(body.id, 'BTC', '1');
    await sandbox.call('POST', `/v1/accounts/${body.id}/close`);
    sandbox.control.advance(60);
    expect((await sandbox.call('GET', `/v1/payments/payins/${deposit}`)).body.status).toBe('unmatched');
  });
});

describe('a deposit', () => {
  it('is a payin of its own, reported by an event that the delivery history finds', async () => {
    const { sandbox, id } = await start();
    const inbox = await openInbox();
    sandbox.control.addEndpoint({ url: inbox.url });
    const deposit = sandbox.control.deposit(id, 'USDT.TRC20', '7');
    await sandbox.control.deliveriesIdle();
    const { body } = await sandbox.call('GET', `/v1/payments/payins/${deposit}`);
    expect(body).toMatchObject({ amountGross: '7', amountNet: '6.93', feeAmount: '0.07', paymentIntentId: null });
    expect(rowsOf(body, 'statusHistory').map(({ status }) => status)).toEqual(['pending', 'confirming', 'confirmed']);
    expect(inbox.arrivals.map(({ event, envelope }) => [event, envelope?.data])).toEqual([
      ['wallet_account.deposit.completed', body],
    ]);
    for (const [query, count] of [
      [`depositId=${deposit}`, 1],
      ['depositId=dep_none', 0],
    ] as const) {
      const found = await sandbox.call<{ items: Row[] }>('GET', `/v1/webhook-endpoints/deliveries?${query}`);
      expect(found.body.items).toHaveLength(count);
    }
    expect((await sandbox.call('GET', `/v1/payments/payins/${deposit}`, undefined, OTHER)).status).toBe(404);
  });

  it("of the merchant's own is credited whole", async () => {
    const sandbox = await openSandbox();
    const { body } = await sandbox.call('POST', '/sandbox/deposits', { assetCode: 'BTC', amount: '2' });
    expect(body).toMatchObject({ payinType: 'merchant_deposit', addressPurpose: 'MERCHANT_DEPOSIT', amountNet: '2' });
    expect(await operatingBalance(sandbox, 'BTC')).toEqual(['2', '0', '2']);
  });
});
