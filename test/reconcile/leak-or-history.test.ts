import { afterEach, expect, test } from 'vitest';
import { decideBreak } from '../../src/records/breaks/decide-breaks.js';
import { checkSecrets } from '../../src/wiring/doctor/check-installation.js';
import { type DeliveryFlow, startDeliveryFlow } from '../support/delivery-flow.js';
import { forger, informedForger } from '../support/forger.js';
import { resettableDatabase } from '../support/resettable-database.js';

let flow: DeliveryFlow;
const database = resettableDatabase();
afterEach(() => flow.close());

async function forgeMany(who: ReturnType<typeof forger>, label: string, n: number): Promise<string[]> {
  const ids: string[] = [];
  for (let made = 0; made < n; made += 1) ids.push(await who.forge(label));
  return ids;
}

test('six forged events in a quiet shop are one critical finding, and the secret, the doctor and the break say the same until it is settled', async () => {
  flow = await startDeliveryFlow({ database });
  const who = await informedForger(flow);
  await who.payUntil(34);
  const forged = await forgeMany(who, 'live', 6);
  await flow.run('deliveries');
  expect(await who.named()).toEqual([]);
  const [one, ...more] = await who.differing();
  expect(more).toEqual([]);
  const five = forged.slice(1).reverse();
  expect(one).toMatchObject({
    severity: 'critical',
    evidence: { ours: { lacking: '6', bySecret: { live: '6' }, some: five.map((id) => `event ${id}`) } },
  });
  expect(await who.secret('live')).toMatchObject({
    notSent: null,
    lacking: 6,
    next: expect.stringMatching(/may have leaked, or the history lacks events: it has not 6 events/),
  });
  const doctor = await checkSecrets({ db: flow.db, config: { WEBHOOK_SECRETS: flow.secrets } } as Parameters<
    typeof checkSecrets
  >[0]);
  expect(doctor).toMatchObject([{ status: 'finding', found: expect.stringContaining('6 of the events') }]);

  // What comes after is counted.
  await forgeMany(who, 'live', 3);
  await flow.run('deliveries');
  expect(await who.differing()).toMatchObject([{ evidence: { ours: { lacking: '9' } } }]);
  expect(await who.secret('live')).toMatchObject({ lacking: 9 });

  // A person's decision holds until another one lacks.
  await decideBreak(flow.db, one?.id ?? '', 'resolve', { actor: 'ops', note: 'rotated' });
  await flow.run('deliveries');
  expect(await who.differing()).toEqual([]);
  expect(await who.secret('live')).toMatchObject({ lacking: 0, next: expect.not.stringContaining('leaked') });
  await forgeMany(who, 'live', 1);
  await flow.run('deliveries');
  expect(await who.differing()).toMatchObject([{ severity: 'critical', evidence: { ours: { lacking: '10' } } }]);

  // A day without another one settles nothing; that the history lists them does.
  await flow.db('report_checks').update({ received_at: flow.db.raw(`received_at - interval '2 days'`) });
  await flow.run('deliveries');
  expect(await who.differing()).toHaveLength(1);
  await flow.db('report_checks').update({ state: 'matched' });
  await flow.run('deliveries');
  expect(await who.differing()).toEqual([]);
});

test('what lacked in the week before too, or lacks from the first event on, points at no secret; what comes under another one does', async () => {
  flow = await startDeliveryFlow({ database });
  const who = forger(flow);
  flow.addEndpoint('live');
  flow.addEndpoint('other');
  await flow.pay(2);
  await who.learn();
  await flow
    .db('secrets')
    .where({ label: 'live' })
    .update({ endpoint_id: (await flow.db('endpoints').orderBy('id').first('id')).id });
  const forged = await forgeMany(who, 'live', 6);
  await who.payUntil(60);
  const real = () => flow.db('inbox').whereNotIn('id', forged);
  await real().update({ secret_label: 'live' });
  await flow.run('deliveries');
  expect(await who.differing()).toMatchObject([{ severity: 'high' }]);

  await real().update({ secret_label: 'other' });
  const week = { inbox_id: 999_999, secret_label: 'live', state: 'differs', judged_at: new Date(0) };
  await flow.db('report_checks').insert({ ...week, received_at: new Date(Date.now() - 3 * 86_400_000) });
  await flow.run('deliveries');
  expect(await who.differing()).toMatchObject([{ severity: 'high' }]);
  // One that lacks under another secret speaks for the history.
  const [, second] = await flow.db('endpoints').select('id').orderBy('id');
  await flow.db('secrets').where({ label: 'other' }).update({ endpoint_id: second.id });
  const row = flow.db('report_checks').where({ inbox_id: 999_999 });
  await row.clone().update({ secret_label: 'other', received_at: new Date() });
  await flow.run('deliveries');
  expect(await who.differing()).toMatchObject([
    { severity: 'high', evidence: { ours: { bySecret: { live: '6', other: '1' } } } },
  ]);
  await row.delete();
  await flow.run('deliveries');
  expect(await who.differing()).toMatchObject([{ severity: 'critical' }]);
});

test('of two endpoints that were made together nobody knows who signs what; a test to one of them shows it', async () => {
  flow = await startDeliveryFlow({ database });
  const who = forger(flow);
  // Without it one that is sent to the two in two seconds is two events, and shows it.
  flow.sandbox.control.setFaults({ eventId: 'envelope' });
  const first = flow.addEndpoint('first');
  flow.addEndpoint('second');
  await who.payUntil(20);
  await who.learn();
  const forged = await who.forge('second');
  await flow.run('deliveries');
  expect(await who.named()).toEqual([]);
  for (const label of ['first', 'second']) {
    expect(await who.secret(label)).toMatchObject({
      notSent: null,
      untold: expect.stringContaining('send a test to its endpoint from the dashboard, then run tallyhook reconcile'),
    });
  }
  flow.sandbox.control.testSend(first.id, 'payment_intent.completed');
  await flow.sandbox.control.deliveriesIdle();
  await flow.run('endpoints');
  await flow.run('deliveries');
  expect(await who.secret('first')).toMatchObject({ endpointId: first.id, untold: null });
  expect(await who.named()).toEqual([forged]);
});
