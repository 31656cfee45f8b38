import { expect, test, vi } from 'vitest';
import { listRejections } from '../../src/records/alerts/list-rejections.js';
import { useReceiver } from '../support/receiver.js';
import { eventBody, NOW, SECRET, sign, signedHeaders } from '../support/signed.js';

const { database, receiver } = useReceiver();

const counts = async () =>
  Object.fromEntries((await database.db('rejection_counts')).map(({ reason, count }) => [reason, Number(count)]));

test('every refusal is counted by its reason; of each reason a bounded sample is kept', async () => {
  const body = eventBody('pi_1');
  for (let i = 0; i < 60; i += 1) await receiver.post(body, { 'x-service-signature': sign(`${i}`) });
  await receiver.post(body, {});
  await receiver.post(eventBody('pi_1', { timestamp: NOW - 301 }));
  await receiver.post('x'.repeat(70_000));
  await vi.waitFor(
    async () =>
      expect(await counts()).toEqual({
        invalid_signature: 60,
        missing_signature: 1,
        expired_timestamp: 1,
        too_large: 1,
      }),
    { timeout: 5_000 },
  );
  const at = new Date(NOW * 1000);
  for (const row of await database.db('rejection_counts')) expect(row).toMatchObject({ first_at: at, last_at: at });
  const { items } = await listRejections(database.db, { reason: 'invalid_signature' });
  expect(items.length).toBeGreaterThan(0);
  // Twelve a minute; they may come around the turn of one.
  expect(items.length).toBeLessThanOrEqual(24);
  expect(items[0]).toMatchObject({
    reason: 'invalid_signature',
    bodySize: body.length,
    bodyHash: expect.stringMatching(/^[0-9a-f]{64}$/),
    firstBytes: body.slice(0, 128),
    rejectedAt: new Date(NOW * 1000).toISOString(),
  });
  expect((await listRejections(database.db, {})).items.map(({ reason }) => reason)).toContain('expired_timestamp');
});

test('a flood of bad signatures costs no query for each', async () => {
  let taken = 0;
  const acquire = database.db.client.acquireConnection.bind(database.db.client);
  vi.spyOn(database.db.client, 'acquireConnection').mockImplementation(() => {
    taken += 1;
    return acquire();
  });
  const start = performance.now();
  const flood = Array.from({ length: 200 }, () => receiver.post(eventBody('x'), { 'x-service-signature': sign('y') }));
  await Promise.all(flood);
  const seconds = (performance.now() - start) / 1000;
  expect(taken).toBeLessThan(3 + 2 * seconds);
});

test('a diagnosis is kept with the rejection, and never a reason to accept', async () => {
  const body = eventBody('a');
  const answer = await receiver.post(body, signedHeaders(body, SECRET.slice(6)));
  expect(answer.status).toBe(401);
  expect(JSON.stringify(answer.body)).not.toContain('prefix');
  await vi.waitFor(async () => {
    const { items } = await listRejections(database.db, {});
    expect(items).toMatchObject([{ reason: 'invalid_signature', diagnosis: expect.stringContaining('"live"') }]);
  });
});
