import { expect } from 'vitest';
import { readProofs } from '../../src/records/balances/balance-proofs.js';
import { listBreaks } from '../../src/records/breaks/list-breaks.js';
import { openSandbox, type TestSandbox } from '../sandbox/support.js';
import type { TestDatabase } from '../support/database.js';
import { type AtService, atService, fewAssets } from './service-at.js';

export const ASSET = 'USDT.TRC20';
export const PAST = { payments: 4, payouts: 1, wallets: 1, movements: 4, seed: 5 };

/** What money does at a sandbox, and what is proven of the balance here. */
export function balanceStage(database: TestDatabase) {
  const proofOf = async (asset = ASSET) => (await readProofs(database.db, [asset])).get(asset);
  const residuals = async () => (await listBreaks(database.db, { kind: 'balance_residual', status: 'open' })).items;

  async function pay(sandbox: TestSandbox, amount: string, assetCode = ASSET): Promise<string> {
    const body = { amount, currency: assetCode, requestedCurrencyType: 'crypto', assetCode };
    const { id } = (await sandbox.call('POST', '/sandbox/payment-intents', body)).body;
    const paid = await sandbox.call('POST', `/sandbox/payment-intents/${id}/pay`, { assetCode, amount });
    expect(paid.status).toBe(201);
    return id;
  }

  async function opened(
    faults: object = {},
    assets?: readonly string[],
  ): Promise<{ sandbox: TestSandbox; at: AtService }> {
    const sandbox = await openSandbox(PAST);
    await sandbox.call('PUT', '/sandbox/faults', faults);
    const at = fewAssets(atService(database, sandbox.url), assets);
    const run = await at.run('balances');
    expect(run).toMatchObject({ status: 'succeeded', error: null });
    return { sandbox, at };
  }

  async function payout(sandbox: TestSandbox, amount: string, steps = ['approve', 'broadcast', 'confirm']) {
    const body = { assetCode: ASSET, amount, destinationAddress: 'TXYZ-somewhere' };
    const reply = await sandbox.call('POST', '/sandbox/payouts', body);
    expect(reply.status).toBe(201);
    for (const step of steps) await sandbox.call('POST', `/sandbox/payouts/${reply.body.id}/${step}`, {});
    return reply.body.id;
  }

  return { proofOf, residuals, pay, opened, payout };
}
