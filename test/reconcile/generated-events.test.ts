import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { listBreaks } from '../../src/records/breaks/list-breaks.js';
import { defaultContract } from '../../src/service-api/contract.js';
import { type DeliveryFlow, startDeliveryFlow } from '../support/delivery-flow.js';
import { itemsOf, otherHistory } from '../support/forger.js';
import { resettableDatabase } from '../support/resettable-database.js';

let flow: DeliveryFlow;
const database = resettableDatabase();
afterEach(() => flow.close());

const named = async () =>
  (await listBreaks(flow.db, { kind: 'event_never_generated', status: 'open', take: 500 })).items.map(
    ({ entity }) => entity.id,
  );
/** So many payments, paid while the service generates that share of no events; their ids. */
const payWith = async (swallow: number, count = 1): Promise<string[]> => {
  const { control } = flow.sandbox;
  control.setFaults({ swallow });
  const ids = Array.from({ length: count }, () => control.createPayment({ amount: '12.5', currency: 'USDT.TRC20' }));
  for (const id of ids) control.pay(id, { percent: 100 });
  await control.deliveriesIdle();
  control.setFaults({});
  return ids;
};
const read = async () => {
  await flow.run('payment-intents');
  expect(await flow.run('deliveries')).toMatchObject({ status: 'succeeded', complete: true });
};

describe('an event that nobody generated', () => {
  beforeEach(async () => {
    flow = await startDeliveryFlow({ database });
    flow.addEndpoint('live');
    await flow.pay(2);
    await flow.run('endpoints');
    // What was shown before the first comparison is not compared.
    await read();
  });

  test('is named once, about its payment; what was generated is not, whether it came or not', async () => {
    const [lost] = await payWith(1);
    await payWith(0, 2);
    flow.sandbox.control.setFaults({ drop: 1 });
    await flow.pay(1);
    flow.sandbox.control.setFaults({});
    await read();
    expect(await named()).toEqual([lost]);
    await read();
    await flow.run('deliveries', { full: true });
    expect(await named()).toEqual([lost]);
  });

  test('is not named within the grace, by a reading that is not complete, nor while the history is in doubt; and is found later', async () => {
    const [lost] = await payWith(1);
    flow.deps.settings.missedGraceMs = 900_000;
    await read();
    expect(await named()).toEqual([]);
    flow.deps.settings.missedGraceMs = 0;
    const { client } = flow.deps;
    flow.deps.client = otherHistory(flow.sandbox, (page) => ({ ...page, nextCursor: 'again' }));
    expect(await flow.run('deliveries', { full: true })).toMatchObject({ complete: false });
    expect(await named()).toEqual([]);
    flow.deps.client = client;
    await flow.db('breaks').insert({
      kind: 'history_differs',
      severity: 'high',
      entity_kind: 'endpoint',
      entity_id: 'here',
      evidence: '{}',
    });
    await flow.run('deliveries');
    expect(await named()).toEqual([]);
    await flow.db('breaks').where({ kind: 'history_differs' }).update({ status: 'resolved', resolved_at: new Date() });
    await flow.run('deliveries');
    expect(await named()).toEqual([lost]);
  });

  test('is not named where the history shows no payloads, so that a delivery may be of any payment', async () => {
    await payWith(1);
    flow.deps.client = otherHistory(flow.sandbox, (page) => ({
      ...page,
      items: itemsOf(page).map((item) => ({ ...item, payload: null })),
    }));
    await flow.pay(1);
    await read();
    expect(await named()).toEqual([]);
  });

  test('is a matter of the contract: what the service does not generate is not waited for', async () => {
    flow.deps.contract = { ...defaultContract, events: { ...defaultContract.events, generated: {} } };
    await payWith(1);
    await read();
    expect(await named()).toEqual([]);
  });
});
