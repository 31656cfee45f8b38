import { afterEach, beforeEach, expect, test } from 'vitest';
import { newRefreshMemory } from '../../src/reconcile/refresh/refresh-list.js';
import { getRecord } from '../../src/records/rows.js';
import { type DeliveryFlow, startDeliveryFlow } from '../support/delivery-flow.js';
import { refreshRecords } from './refresh-records.js';

let flow: DeliveryFlow;
beforeEach(async () => {
  flow = await startDeliveryFlow();
  flow.addEndpoint('live');
});
afterEach(() => flow.close());

async function payin(kytStatus: string): Promise<{ id: string; account: string }> {
  const account = flow.sandbox.control.createAccount();
  const answer = await fetch(`${flow.sandbox.url}/sandbox/accounts/${account}/deposit`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ assetCode: 'USDT.TRC20', amount: '12', kytStatus }),
  });
  expect(answer.status).toBe(201);
  return { id: ((await answer.json()) as { id: string }).id, account };
}

test('a deposit to a sub-wallet, which no payment lists, is kept and read as soon as it is reported; a rejected one is a break', async () => {
  const [clean, rejected] = [await payin('approved'), await payin('rejected')];
  await flow.sandbox.control.deliveriesIdle();
  await flow.apply();
  const memory = newRefreshMemory();
  // One that is read in the second in which it was reported is read again in the next.
  const left = async () => {
    await refreshRecords(flow.deps, memory);
    return flow.db('reading_marks').whereIn('id', [clean.id, rejected.id]);
  };
  await expect.poll(left, { timeout: 15_000, interval: 100 }).toEqual([]);
  const [found, ...more] = await flow.db('breaks').where({ entity_kind: 'payin' });
  expect(more).toEqual([]);
  expect(found).toMatchObject({ kind: 'kyt_hold', status: 'open', entity_id: rejected.id });
  expect(JSON.parse(found.evidence)).toMatchObject({
    verdict: 'rejected',
    account: rejected.account,
    paymentIntent: null,
    kytStatus: { theirs: 'rejected', source: { verified: true } },
  });
  expect(await flow.db('payins').where({ id: clean.id }).pluck('verified')).toEqual([true]);
  const { id, account: accountId } = clean;
  expect(await getRecord(flow.db, 'payin', id)).toMatchObject({ accountId, kytStatus: 'approved' });
});
