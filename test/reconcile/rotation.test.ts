import { afterEach, expect, test } from 'vitest';
import type { SecretStatus } from '../../src/domain/views/webhook-shapes.js';
import { createLog } from '../../src/log.js';
import { listBreaks } from '../../src/records/breaks/list-breaks.js';
import { restoreSecret, retireSecret } from '../../src/records/deliveries/secrets.js';
import { secretsStatus } from '../../src/webhook/rotation.js';
import { createSecretMatchLog } from '../../src/webhook/secret-matches.js';
import { type DeliveryFlow, startDeliveryFlow } from '../support/delivery-flow.js';
import { repeatedChanges } from '../support/reckoning.js';
import { resettableDatabase } from '../support/resettable-database.js';

let flow: DeliveryFlow;
const database = resettableDatabase();
afterEach(() => flow.close());

async function status(label: string): Promise<SecretStatus> {
  // Matches are written down once a second; what the receiver has in memory is not waited for.
  const rows = await flow.db('inbox_arrivals').select('secret_label').min('first_at as first').groupBy('secret_label');
  const log = createSecretMatchLog({ db: flow.db, log: createLog('silent'), now: () => new Date() });
  for (const { secret_label } of rows) log.add(secret_label, flow.secrets);
  await log.close();
  for (const { secret_label, first } of rows) {
    await flow.db('secrets').where({ label: secret_label }).update({ first_match_at: first });
  }
  await flow.run('endpoints');
  await flow.run('deliveries');
  const { items } = await secretsStatus(flow.db, flow.secrets);
  const found = items.find((secret) => secret.label === label);
  if (!found) throw new Error(`no secret ${label}`);
  return found;
}
const breaks = async (kind: string) =>
  (await listBreaks(flow.db, { kind })).items.map(({ entity, status }) => [entity.id, status]);

test('a secret that was copied wrong: what the service sends is refused, and the status says so', async () => {
  flow = await startDeliveryFlow({ database });
  const { secret } = flow.addEndpoint('only');
  flow.secrets[0] = { label: 'only', secret: `${secret}0` };
  expect((await status('only')).next).toContain('Wait for the first event');
  await flow.pay(1);
  await expect
    .poll(async () => (await status('only')).next)
    .toMatch(
      /^[1-9]\d* requests? with the service’s headers w\w+ rejected for the signature within a day: .*copy the secret of its endpoint/,
    );
});

test('a rotation step by step: what is missing at each, and what a retired secret leaves behind', async () => {
  flow = await startDeliveryFlow({ database });
  const old = flow.addEndpoint('old');
  await flow.pay(1);
  expect(await status('old')).toMatchObject({
    verdict: 'keep',
    endpointId: old.id,
    missing: ['it is the only secret that is accepted'],
  });

  const fresh = flow.addEndpoint('new');
  expect(await status('old')).toMatchObject({ verdict: 'keep', missing: ['"new" has not matched yet'] });

  await flow.pay(2);
  expect(await status('new')).toMatchObject({
    endpointId: fresh.id,
    verdict: 'keep',
    missing: ['it is the newest that matched'],
  });
  const ready = await status('old');
  expect(ready).toMatchObject({ verdict: 'may_be_retired', missing: [], successor: 'new', overlap: { onlyThis: 0 } });
  expect(ready.overlap?.both).toBeGreaterThan(4);

  // The new one misses an event that the old one brings.
  flow.secrets.pop();
  await flow.pay(1);
  flow.secrets.push({ label: 'new', secret: fresh.secret });
  const lacking = await status('old');
  expect(lacking.verdict).toBe('keep');
  expect(lacking.missing.join()).toContain('came under "old" and not under "new"');

  const { fingerprint } = lacking;
  await retireSecret(flow.db, {
    label: 'old',
    fingerprint,
    by: 'test',
    note: 'known',
    now: new Date(Date.now() - 120_000),
  });
  flow.secrets.shift();
  await flow.pay(1);
  await flow.run('deliveries');
  const late = await flow.db('deliveries').where({ endpoint_id: old.id, class: 'received_sibling' });
  expect(late.length).toBeGreaterThan(0);
  expect(await breaks('rejected_delivery')).toEqual([]);
  expect(await breaks('secret_still_in_use')).toEqual([['old', 'open']]);

  flow.sandbox.control.removeEndpoint(old.id);
  await flow.run('endpoints');
  await flow.run('deliveries');
  expect(await breaks('secret_still_in_use')).toEqual([['old', 'auto_resolved']]);
  expect(await restoreSecret(flow.db, { label: 'old', by: 'ops', note: null })).toBe(true);
  expect(await restoreSecret(flow.db, { label: 'old', by: 'ops', note: null })).toBe(false);
});

test('events without an id that each endpoint is sent in another second are held together by what they say, and have one effect', async () => {
  flow = await startDeliveryFlow({ database });
  flow.sandbox.control.setFaults({ eventId: 'none', stampApartSeconds: 2 });
  const old = flow.addEndpoint('old');
  await flow.pay(1);
  await status('old');
  const fresh = flow.addEndpoint('new');
  await flow.pay(2);
  await flow.apply();
  const ready = await status('old');
  const underNew = await flow.db('inbox').where({ secret_label: 'new' });
  expect(underNew.length).toBeGreaterThan(4);
  expect(await flow.db('inbox_repeats').where({ secret_label: 'new' })).toEqual([]);
  expect(ready).toMatchObject({
    verdict: 'may_be_retired',
    missing: [],
    overlap: { both: underNew.length, onlyThis: 0 },
  });
  expect(await repeatedChanges(flow.db)).toEqual([]);

  // The same is reported twice under the old secret, and once under the new one.
  const { id, ...given } = await flow
    .db('deliveries')
    .where({ endpoint_id: old.id })
    .orderBy('created_at', 'desc')
    .first();
  const { id: twin, ...row } = await flow.db('inbox').where({ id: given.inbox_id }).first();
  const [again] = await flow.db('inbox').insert({ ...row, key: `${row.key} again` }, 'id');
  await flow.db('deliveries').insert({ ...given, id: `${id}-again`, inbox_id: again.id });
  const { items } = await secretsStatus(flow.db, flow.secrets);
  expect(items[0]).toMatchObject({ verdict: 'keep', overlap: { both: underNew.length, onlyThis: 1 } });
  expect(items[0]?.missing.join()).toMatch(new RegExp(`came under "old" and not under "new": event ${again.id}$`));
  expect(Number(again.id)).toBeGreaterThan(Number(twin));
  await flow
    .db('deliveries')
    .where({ id: `${id}-again` })
    .del();
  await flow.db('inbox').where({ id: again.id }).del();

  // The new one misses an event that the old one brings.
  flow.secrets.pop();
  await flow.pay(1);
  flow.secrets.push({ label: 'new', secret: fresh.secret });
  const lacking = await status('old');
  expect(lacking.verdict).toBe('keep');
  expect(lacking.overlap?.both).toBe(underNew.length);
  expect(lacking.overlap?.onlyThis).toBeGreaterThan(0);
});

test('what came under a retired secret alone is recovered, and is no break', async () => {
  flow = await startDeliveryFlow({ database });
  flow.addEndpoint('old');
  await flow.pay(1);
  const { fingerprint } = await status('old');
  await retireSecret(flow.db, { label: 'old', fingerprint, by: 'test', note: null, now: new Date() });
  flow.secrets.pop();
  await flow.pay(1);
  const run = await flow.run('deliveries');
  expect(run.proof['recovered']).toBeGreaterThan(0);
  expect(await breaks('rejected_delivery')).toEqual([]);
  expect(await flow.db('inbox').where({ source: 'delivery_history' })).toHaveLength(Number(run.proof['recovered']));
});

test('while every event came under both secrets since the first, nothing can be known', async () => {
  flow = await startDeliveryFlow({ database });
  // Without it an event that is sent to the two in two seconds is two events: enough to pair them.
  flow.sandbox.control.setFaults({ eventId: 'envelope' });
  flow.addEndpoint('old');
  flow.addEndpoint('new');
  await flow.pay(1);
  const { verdict, endpointId } = await status('old');
  expect([verdict, endpointId]).not.toContain('may_be_retired');
  expect(endpointId).toBeNull();
});

test('endpoints: not active, not subscribed, refused to this account; found, and gone when they are mended', async () => {
  flow = await startDeliveryFlow({ database });
  const { id } = flow.addEndpoint('live', ['payment_intent.completed']);
  expect(await flow.run('endpoints')).toMatchObject({ complete: true, breaksOpened: 1 });
  expect(await breaks('endpoint_unsubscribed')).toEqual([[id, 'open']]);
  flow.sandbox.control.setEndpointActive(id, false);
  await flow.run('endpoints');
  expect(await breaks('endpoint_inactive')).toEqual([[id, 'open']]);
  const other = flow.addEndpoint('other');
  await flow.run('endpoints');
  expect(await breaks('endpoint_inactive')).toEqual([[id, 'auto_resolved']]);
  expect(await breaks('endpoint_unsubscribed')).toEqual([[id, 'auto_resolved']]);
  const row = await flow.db('endpoints').where({ id: other.id }).first();
  expect(JSON.parse(row.shown)).toMatchObject({ url: flow.url, isActive: true });
  flow.sandbox.control.setFaults({ businessAccount: false });
  expect(await flow.run('endpoints')).toMatchObject({
    status: 'succeeded',
    complete: false,
    proof: { reason: expect.stringMatching(/^degraded: /) },
  });
});
