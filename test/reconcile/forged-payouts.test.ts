import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { readProofs } from '../../src/records/balances/balance-proofs.js';
import { type DeliveryFlow, startDeliveryFlow } from '../support/delivery-flow.js';
import { type Forger, informedForger, seconds } from '../support/forger.js';
import { resettableDatabase } from '../support/resettable-database.js';
import { fewAssets } from './service-at.js';

const ASSET = 'USDT.TRC20';
const database = resettableDatabase();
let flow: DeliveryFlow;
let who: Forger;
afterEach(() => flow.close());

const unproven = async () => {
  await flow.apply();
  expect(await flow.run('balances')).toMatchObject({ status: 'succeeded' });
  return (await readProofs(flow.db, [ASSET])).get(ASSET)?.unproven;
};

function payoutSaid(id: string, more: object = {}): Promise<string> {
  const data = { id, status: 'confirmed', payoutType: 'withdrawal', amount: '5', assetCode: ASSET, ...more };
  return who.send('live', { event: 'payout.confirmed', timestamp: seconds() - 2, data });
}

async function began(faults: object): Promise<void> {
  flow = fewAssets(await startDeliveryFlow({ database }));
  who = await informedForger(flow);
  flow.sandbox.control.setFaults(faults);
  expect(await unproven()).toBeNull();
}

/** Two events say it, and one of them is disproved. */
async function oneOfTwoDisproved(): Promise<void> {
  await payoutSaid('po_forged', { status: 'broadcasted' });
  expect(await unproven()).toMatch(/^payout po_forged/);
  await flow.run('deliveries');
  expect(await unproven()).toBeNull();
}

describe('a payout that does not exist, where the service has no list of payouts', () => {
  beforeEach(() => began({ payoutsList: false }));

  test('leaves the balances unproven until the delivery history proves that its event was not sent', async () => {
    await payoutSaid('po_forged');
    expect(await unproven()).toMatch(/^payout po_forged, which only webhooks report/);
    await flow.run('deliveries');
    expect(await who.named()).toHaveLength(1);
    expect(await unproven()).toBeNull();
    await oneOfTwoDisproved();

    // One that nothing decides on leaves them unproven for an hour.
    await payoutSaid('po_undecided');
    await flow.apply();
    const firstSeen = (ago: string) =>
      flow
        .db('payouts')
        .where({ id: 'po_undecided' })
        .update({ first_seen_at: flow.db.raw(`now() - interval '${ago}'`) });
    await firstSeen('59 minutes');
    expect(await unproven()).toMatch(/^payout po_undecided/);
    await firstSeen('61 minutes');
    expect(await unproven()).toBeNull();
  });

  test('hides no real one: that is a part of the balance that nothing explains, whatever is disproved beside it', async () => {
    await payoutSaid('po_forged');
    const body = { assetCode: ASSET, amount: '3', destinationAddress: 'TXYZ-somewhere' };
    flow.sandbox.control.setFaults({ payoutsList: false, drop: 1 });
    const id = flow.sandbox.control.createPayout(body);
    for (const step of ['approve', 'broadcast', 'confirm'] as const) flow.sandbox.control.advancePayout(id, { step });
    await unproven();
    await flow
      .db('payouts')
      .where({ id: 'po_forged' })
      .update({ first_seen_at: new Date(0) });
    await unproven();
    expect((await readProofs(flow.db, [ASSET])).get(ASSET)).toMatchObject({ unexplained: expect.stringMatching(/^-/) });
  });
});

test('a payout that the list does not have leaves nothing unproven', async () => {
  await began({});
  await payoutSaid('po_forged', { createdAt: new Date(Date.now() - 86_400_000).toISOString() });
  await flow.apply();
  await flow.run('payouts', { full: true });
  const row = await flow.db('payouts').where({ id: 'po_forged' }).first('absent_since');
  expect(row.absent_since).toBeInstanceOf(Date);
  expect(await unproven()).toBeNull();
});
