import { expect } from 'vitest';
import { amountOf as units } from '../../src/sandbox/base/money.js';
import type { Command } from './random-commands.js';
import { runWallet } from './random-wallet-actions.js';
import { account, among, amountIn, judge, keyed, note, operating, send, type World } from './random-world.js';
import { type Row, SESSION } from './support.js';

const MORE_THAN_ANY_FEE = units('10');

async function payout(world: World, given: Command & { op: 'payout' }): Promise<void> {
  const id = among(world.accounts, given.of);
  const seen = await account(world, id, given.asset);
  const fee = world.fees.get(given.asset) ?? 0n;
  const amount = units(given.amount);
  const fits =
    given.feeBearer === 'customer'
      ? amount > fee && amount <= (seen?.available ?? 0n)
      : amount + fee <= (seen?.available ?? 0n);
  const memo = given.memoFits === (given.asset === 'XRP.XRPL');
  const allowed = given.session === null || given.session === '123456';
  const replay = world.made.has(`payout ${given.key}`) && given.key !== null && seen !== null;
  const valid = seen?.status === 'active' && fits && given.memoFits && !world.disabled.has(given.asset);
  const body = {
    assetCode: given.asset,
    amount: given.amount,
    destinationAddress: 'somewhere',
    feeBearer: given.feeBearer,
    ...(memo ? { destinationMemo: '7' } : {}),
    ...keyed(given.key),
    ...(given.session ? { totpCode: given.session } : {}),
  };
  const headers = given.session === null ? {} : SESSION;
  const reply = await send(world, `/v1/accounts/${id}/payouts`, body, allowed && (replay || valid), headers);
  if (allowed && note(world, 'payout', given.key, reply)) world.payouts.push(reply.body.id);
}

async function refund(world: World, given: Command & { op: 'refund' }): Promise<void> {
  const id = among(world.intents, given.of);
  const intent = world.sandbox.control.paymentIntent(id);
  const assetCode = String(intent?.['assetCode']);
  const net = amountIn(intent, 'amountNetMerchant');
  const amount = given.amount === null ? net : units(given.amount);
  const fee = amount === 0n ? 0n : (world.fees.get(assetCode) ?? 0n);
  const replay = world.made.has(`refund ${id}`);
  const body = {
    paymentIntentId: id,
    destinationAddress: 'somewhere',
    feeBearer: given.feeBearer,
    ...(given.amount === null ? {} : { amount: given.amount }),
  };
  const collected = intent?.['status'] === 'completed' && intent['irregularStatus'] !== 'pending_decision';
  const left = given.feeBearer === 'customer' ? amount === 0n || amount > fee : true;
  const debit = given.feeBearer === 'customer' ? amount : amount + fee;
  const must =
    replay || (collected && amount <= net && left && debit <= (await operating(world, assetCode).catch(() => 0n)));
  const reply = await send(world, '/v1/payouts/refund', body, must);
  if (reply.status === 201) {
    world.made.set(`refund ${id}`, reply.body.id);
    world.payouts.push(reply.body.id);
  } else if (replay) expect(reply.body.id).toBe(world.made.get(`refund ${id}`));
}

/** One that may be settled to automatically. */
async function hasDefaultAccount({ sandbox }: World): Promise<boolean> {
  const { body } = await sandbox.call<Row[]>('GET', '/v1/settlement-accounts');
  return body.some(({ isDefault, isMatured }) => isDefault === true && isMatured === true);
}

async function payment(world: World, given: Command & { op: 'payment' }): Promise<void> {
  const networks = ['USDT.TRC20', 'USDT.ERC20'].filter((code) => !world.disabled.has(code));
  const asset = given.coin === 'XRP' ? 'XRP.XRPL' : given.coin === 'USDT' ? networks[0] : given.coin;
  const known = given.coin !== 'DOGE' && asset !== undefined && !world.disabled.has(asset);
  const replay = given.key !== null && world.made.has(`direct ${given.key}`);
  const settles = !given.settle || (asset?.startsWith('USDT') === true && (await hasDefaultAccount(world)));
  const valid = known && (given.coin !== 'USDT' || networks.length === 1) && settles;
  const settlement = given.settle ? { autoSettlement: { enabled: true } } : {};
  const body = { requestedCoin: given.coin, amount: given.amount, customer: {}, ...settlement, ...keyed(given.key) };
  const reply = await send(world, '/v1/payment-intents/direct', body, replay || valid);
  if (note(world, 'direct', given.key, reply)) world.intents.push(reply.body.id);
}

async function invoice(world: World, { quantity, unitPrice, off }: Command & { op: 'invoice' }): Promise<void> {
  const cents = BigInt(quantity) * BigInt(Math.round(Number(unitPrice) * 100)) + (off ? 1n : 0n);
  const amount = `${cents / 100n}.${String(cents % 100n).padStart(2, '0')}`;
  const meta = { items: [{ name: 'x', quantity, unitPrice }] };
  const reply = await send(world, '/v1/invoices', { customerEmail: 'a@b.c', amount, currency: 'USD', meta }, !off);
  if (reply.status === 201) world.invoices.push(reply.body.id);
}

const BROKEN_PATHS = [
  (id: string) => [`/v1/accounts/${id}/payouts`, { assetCode: 'USDT.TRC20', destinationAddress: 'abc' }] as const,
  (id: string) => [`/v1/accounts/${id}/transfers`, { assetCode: 'USDT.TRC20', toOperating: true }] as const,
  () => ['/v1/payment-intents/direct', { requestedCoin: 'BTC', customer: {} }] as const,
  () => ['/v1/invoices', { customerEmail: 'a@b.c', currency: 'USD' }] as const,
];

const ANY_PATHS = [
  'accounts/{id}/payouts',
  'accounts/{id}/transfers',
  'payment-intents/direct',
  'invoices',
  'payouts/refund',
  'accounts/{id}/close',
  'accounts/{id}/archive',
  'merchant-assets/BTC',
  'accounts/{id}',
  'accounts/%00',
];

const NEXT = new Map<unknown, string>([
  ['pending', 'approve'],
  ['under_review', 'approve'],
  ['approved', 'broadcast'],
  ['broadcast', 'confirm'],
]);

export async function run(world: World, given: Command): Promise<void> {
  const { sandbox } = world;
  switch (given.op) {
    case 'payout':
      return payout(world, given);
    case 'refund':
      return refund(world, given);
    case 'payment':
      return payment(world, given);
    case 'invoice':
      return invoice(world, given);
    case 'step': {
      const id = among(world.payouts, given.of);
      const { status } = sandbox.control.payout(id) ?? {};
      const step = given.step === 'next' ? (NEXT.get(status) ?? 'fail') : given.step;
      await send(world, `/sandbox/payouts/${id}/${step}`, { manual: given.manual }, null);
      return;
    }
    case 'pay': {
      const id = among(world.intents, given.of);
      const amount = sandbox.control.paymentIntent(id)?.['amountRequested'];
      const part = given.percent === 100 ? amount : (Number(amount) * given.percent) / 100;
      const text = typeof part === 'number' ? part.toFixed(6) : part;
      await send(world, `/sandbox/payment-intents/${id}/pay`, { amount: text }, null);
      return;
    }
    case 'dispute': {
      const body = given.amount === null ? {} : { amount: given.amount };
      await send(world, `/sandbox/payment-intents/${among(world.intents, given.of)}/dispute`, body, null);
      return;
    }
    case 'decide': {
      const id = among(world.intents, given.of);
      const intent = sandbox.control.paymentIntent(id);
      const open = intent?.['irregularStatus'] === 'pending_decision';
      // A refund that its own fee would eat up is refused, and the dispute stays open.
      const dust = given.decision === 'refund' && amountIn(intent, 'amountToRefund') <= MORE_THAN_ANY_FEE;
      const must = open && dust ? null : open;
      const reply = await send(world, `/sandbox/payment-intents/${id}/decide`, { decision: given.decision }, must);
      const made = reply.body.irregularRefundPayoutId;
      if (given.decision === 'refund' && typeof made === 'string') world.payouts.push(made);
      return;
    }
    case 'pay-invoice':
      await send(world, `/sandbox/invoices/${among(world.invoices, given.of)}/pay`, { assetCode: 'USDT.TRC20' }, null);
      return;
    case 'asset': {
      const path = `/v1/merchant-assets/${given.asset}`;
      judge(await sandbox.call('PATCH', path, { isActive: given.isActive }), true, path, given);
      if (given.isActive) world.disabled.delete(given.asset);
      else world.disabled.add(given.asset);
      return;
    }
    case 'advance':
      sandbox.control.advance(given.seconds);
      return;
    case 'broken': {
      const [path, body] = BROKEN_PATHS[given.path % BROKEN_PATHS.length]!(among(world.accounts, given.of));
      await send(world, path, { ...body, [given.field]: given.value }, false);
      return;
    }
    case 'garbage': {
      const path = `/v1/${ANY_PATHS[given.path]?.replace('{id}', among(world.accounts, given.of))}`;
      const method = given.path >= 7 ? 'PATCH' : 'POST';
      const reply = await sandbox.call(method, path, given.body);
      judge(reply, null, path, given.body);
      return;
    }
    case 'account':
    case 'address':
    case 'archive':
    case 'close':
    case 'deposit':
    case 'look':
    case 'settle':
    case 'settlement-account':
    case 'status':
    case 'transfer':
    case 'update':
      return runWallet(world, given);
  }
}
