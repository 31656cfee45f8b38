import { expect } from 'vitest';
import { amountOf as units } from '../../src/sandbox/base/money.js';
import type { WalletCommand } from './random-wallet-commands.js';
import { account, among, emailOf, judge, keyed, note, operating, send, type World } from './random-world.js';
import { type Row, SESSION } from './support.js';

type Given<Op extends WalletCommand['op']> = WalletCommand & { op: Op };

/** Where the money is to go, as the body says it, and whether that is one place that takes it. */
async function destination(world: World, id: string, { to, asset }: Given<'transfer'>) {
  if (to === 'from-operating')
    return { body: { fromOperating: true, toEmail: 'nobody', toOperating: true }, fits: true };
  if (to === 'operating') return { body: { toOperating: true }, fits: true };
  if (to === 'nowhere') return { body: { toOperating: false }, fits: false };
  const target = among(world.accounts, to.of);
  const seen = await account(world, target, asset);
  const fits = seen !== null && seen.status !== 'closed' && target !== id;
  if (to.by === 'email') return { body: { toEmail: emailOf(world, target).toUpperCase() }, fits };
  if (to.by === 'two') return { body: { toWalletAccountId: target, toOperating: true }, fits: false };
  return { body: { toWalletAccountId: target }, fits };
}

async function transfer(world: World, given: Given<'transfer'>): Promise<void> {
  const id = among(world.accounts, given.of);
  const own = await account(world, id, given.asset);
  const inward = given.to === 'from-operating';
  const to = await destination(world, id, given);
  const available = inward ? await operating(world, given.asset) : (own?.available ?? 0n);
  const sourceFits = inward ? own !== null && own.status !== 'closed' : own?.status === 'active';
  const feeFits = given.fee === null || units(given.fee) < units(given.amount);
  const allowed = given.session === null || given.session === '123456';
  const replay = given.key !== null && world.made.has(`transfer ${given.key}`) && own !== null;
  const valid = sourceFits && to.fits && feeFits && units(given.amount) <= available;
  const fee = given.fee === null ? {} : { feeAmount: given.fee };
  const totp = given.session ? { totpCode: given.session } : {};
  const body = { assetCode: given.asset, amount: given.amount, ...to.body, ...fee, ...totp, ...keyed(given.key) };
  const headers = given.session === null ? {} : SESSION;
  const reply = await send(world, `/v1/accounts/${id}/transfers`, body, allowed && (replay || valid), headers);
  if (!allowed || !note(world, 'transfer', given.key, reply)) return;
  const net = units(given.amount) - (given.fee === null ? 0n : units(given.fee));
  expect(units(String(reply.body.amountNet))).toBe(net);
  const now = await account(world, id, given.asset);
  expect(now?.available).toBe((own?.available ?? 0n) + (inward ? net : -units(given.amount)));
}

async function update(world: World, { of, field, text }: Given<'update'>): Promise<void> {
  const id = among(world.accounts, of);
  const taken = field === 'externalRef' && [...world.references].some(([other, ref]) => ref === text && other !== id);
  const path = `/v1/accounts/${id}`;
  const reply = await world.sandbox.call('PATCH', path, { [field]: text });
  const must = world.accounts.length > 0 && !taken && text.length <= 120;
  judge(reply, must, path, { field, text });
  if (!must) return;
  expect(reply.body[field]).toBe(text);
  if (field === 'externalRef') world.references.set(id, text);
}

/** Closing moves all of it to the operating balance, in one transaction per asset. */
async function close(world: World, { of }: { of: number }): Promise<void> {
  const id = among(world.accounts, of);
  const seen = await account(world, id, 'USDT.TRC20');
  const before = await operating(world, 'USDT.TRC20');
  const reply = await send(world, `/v1/accounts/${id}/close`, {}, seen !== null && !seen.frozen);
  if (reply.status !== 200) return;
  expect(reply.body).toMatchObject({ status: 'closed', depositAddresses: [] });
  expect(await operating(world, 'USDT.TRC20')).toBe(before + (seen?.available ?? 0n));
  const { body } = await world.sandbox.call<Row[]>('GET', `/v1/accounts/${id}/transactions?take=100`);
  const closures = body.filter(({ type }) => type === 'closure').map(({ assetCode }) => assetCode);
  expect(new Set(closures).size).toBe(closures.length);
}

async function settle(world: World, { asset, amount, of }: Given<'settle'>): Promise<void> {
  const { body: accounts } = await world.sandbox.call<Row[]>('GET', '/v1/settlement-accounts');
  const chosen = of === null ? accounts.find(({ isDefault }) => isDefault) : accounts[of % accounts.length];
  const possible =
    chosen !== undefined &&
    chosen.revokedAt === null &&
    !world.disabled.has(asset) &&
    units(amount) <= (await operating(world, asset)) &&
    !['XRP.XRPL', 'BTT.TRC20'].includes(asset);
  const settlementAccountId = of === null ? {} : { settlementAccountId: chosen?.id };
  // What is too little for the method is refused too.
  await send(
    world,
    '/sandbox/settlements',
    { assetCode: asset, amount, ...settlementAccountId },
    possible ? null : false,
  );
}

async function settlementAccount(world: World, { of, act }: Given<'settlement-account'>): Promise<void> {
  const { body: accounts } = await world.sandbox.call<Row[]>('GET', '/v1/settlement-accounts');
  const one = accounts[of % accounts.length];
  if (act === 'add') {
    const added = { receptionAddress: '+2348012345678', settlementPaymentMethodId: 'spm_mobile_money_ng' };
    await send(world, '/sandbox/settlement-accounts', added, true);
    return;
  }
  const must = act === 'revoke' || one?.revokedAt === null;
  await send(world, `/sandbox/settlement-accounts/${one?.id}/${act}`, {}, must);
  const { body: now } = await world.sandbox.call<Row[]>('GET', '/v1/settlement-accounts');
  const defaults = now.filter(({ isDefault }) => isDefault);
  expect(defaults.length).toBeLessThanOrEqual(1);
  expect(defaults.every(({ revokedAt }) => revokedAt === null)).toBe(true);
}

async function lookAtAccounts({ sandbox: { call }, accounts }: World): Promise<void> {
  const { body } = await call<Row[]>('GET', '/v1/accounts?take=100');
  const shown = new Set(body.map(({ id }) => id));
  for (const id of accounts) {
    const { isArchived } = (await call('GET', `/sandbox/accounts/${id}`)).body;
    expect(shown.has(id)).toBe(!isArchived);
  }
}

/** Each list holds just what it must. */
async function look(world: World, { what, asset }: Given<'look'>): Promise<void> {
  const { call } = world.sandbox;
  if (what === 'accounts') await lookAtAccounts(world);
  else if (what === 'feed') {
    const { body, headers } = await call<Row[]>('GET', '/v1/accounts/transactions?page=1&take=100');
    const total = Number(headers.get('x-total-count'));
    expect(body).toHaveLength(Math.min(total, 100));
    expect(new Set(body.map(({ id }) => id)).size).toBe(body.length);
  } else if (what === 'balance') {
    const { status, body } = await call('GET', `/v1/wallet/balances/${asset}`);
    expect(status).toBe(200);
    expect(units(String(body.balance)) - units(String(body.frozen))).toBe(units(String(body.available)));
  } else {
    const { status } = await call('GET', `/v1/settlements/payment-methods?assetCode=${asset}`);
    expect(status).toBe(world.disabled.has(asset) ? 400 : 200);
  }
}

export async function runWallet(world: World, given: WalletCommand): Promise<void> {
  const path = `/v1/accounts/${'of' in given ? among(world.accounts, given.of ?? 0) : ''}`;
  switch (given.op) {
    case 'account': {
      const email = `user-${world.accounts.length}@example.com`;
      world.accounts.push((await send(world, '/sandbox/accounts', { email }, true)).body.id);
      return;
    }
    case 'deposit': {
      const where =
        given.of === null ? '/sandbox/deposits' : `/sandbox/accounts/${among(world.accounts, given.of)}/deposit`;
      const body = { assetCode: given.asset, amount: given.amount };
      await send(world, where, body, given.of === null ? true : null);
      return;
    }
    case 'address':
      await send(world, `/sandbox/accounts/${among(world.accounts, given.of)}/addresses/${given.asset}`, {}, null);
      return;
    case 'transfer':
      return transfer(world, given);
    case 'update':
      return update(world, given);
    case 'status':
      judge(await world.sandbox.call('PATCH', path, { status: given.status }), null, path, given);
      if (given.status === 'closed') await lookAtAccounts(world);
      return;
    case 'close':
      return close(world, given);
    case 'archive': {
      const closed = (await account(world, among(world.accounts, given.of), 'BTC'))?.status === 'closed';
      await send(world, `${path}/archive`, {}, closed);
      if (closed) await lookAtAccounts(world);
      return;
    }
    case 'settle':
      return settle(world, given);
    case 'settlement-account':
      return settlementAccount(world, given);
    case 'look':
      return look(world, given);
  }
}
