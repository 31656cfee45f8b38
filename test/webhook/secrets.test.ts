import { expect, test, vi } from 'vitest';
import { createState, statusNow } from '../../src/console/status.js';
import { createLog } from '../../src/log.js';
import { retiredLabels, retireSecret } from '../../src/records/deliveries/secrets.js';
import { secretsStatus } from '../../src/webhook/rotation.js';
import { staticSecrets, withoutRetired } from '../../src/webhook/secret-source.js';
import type { DoctorParts } from '../../src/wiring/doctor/check.js';
import { checkSecrets } from '../../src/wiring/doctor/check-installation.js';
import { startReceiver } from '../support/receiver.js';
import { resettableDatabase } from '../support/resettable-database.js';
import { eventBody, NOW, OTHER_SECRET, SECRET, secrets, signedHeaders } from '../support/signed.js';

const log = createLog('silent');

const database = resettableDatabase();
test('the status of each secret: when it matched, how often, never the secret', async () => {
  const receiver = await startReceiver(database.db);
  for (const id of ['a', 'b']) {
    for (const secret of [SECRET, SECRET]) await receiver.post(eventBody(id), signedHeaders(eventBody(id), secret));
  }
  await vi.waitFor(
    async () =>
      expect((await secretsStatus(database.db, secrets, new Date(NOW * 1000))).items).toEqual([
        {
          label: 'live',
          fingerprint: expect.stringMatching(/^[0-9a-f]{16}$/),
          firstMatchAt: new Date(NOW * 1000).toISOString(),
          lastMatchAt: new Date(NOW * 1000).toISOString(),
          matches24h: 4,
          endpointId: null,
          replacedBy: null,
          verdict: 'keep',
          missing: ['"new" has not matched yet'],
          next: 'Wait until "new" has matched (step 3).',
          successor: null,
          overlap: null,
          retiredAt: null,
          unmatched: 0,
          lacking: 0,
          notSent: null,
          untold: 'the delivery history was not read completely within a day',
        },
        {
          label: 'new',
          fingerprint: expect.any(String),
          firstMatchAt: null,
          lastMatchAt: null,
          matches24h: 0,
          endpointId: null,
          replacedBy: null,
          verdict: 'undetermined',
          missing: ['it has not matched yet'],
          next: 'Wait for the first event under "new", or send a test to its endpoint from the dashboard (step 3).',
          successor: null,
          overlap: null,
          retiredAt: null,
          unmatched: 0,
          lacking: 0,
          notSent: 0,
          untold: null,
        },
      ]),
    { timeout: 5_000 },
  );
  await receiver.close();
  const later = await secretsStatus(database.db, secrets, new Date((NOW + 90_000) * 1000));
  expect(later.items[0]).toMatchObject({ matches24h: 0, lastMatchAt: expect.any(String) });
  expect(JSON.stringify(later)).not.toContain(SECRET.slice(6));
  // Under the same label, another secret has no evidence yet.
  const replaced = await secretsStatus(database.db, [{ label: 'live', secret: 'whsec_other' }], new Date(NOW * 1000));
  expect(replaced.items[0]).toMatchObject({ firstMatchAt: null, matches24h: 0 });
});

test('a retired label is rejected within seconds, and accepted again when that is taken back', async () => {
  const source = await withoutRetired(staticSecrets(secrets), {
    retired: () => retiredLabels(database.db),
    log,
    pollMs: 20,
  });
  const receiver = await startReceiver(database.db, { secrets: source });
  const send = async (secret: string) => {
    const body = eventBody(`${secret}${Math.random()}`);
    return (await receiver.post(body, signedHeaders(body, secret))).status;
  };
  expect(await send(SECRET)).toBe(200);
  const now = new Date();
  await database.db('secrets').insert({ label: 'live', fingerprint: 'f', retired_at: now }).onConflict('label').merge();
  await vi.waitFor(async () => expect(await send(SECRET)).toBe(401));
  expect(await send(OTHER_SECRET)).toBe(200);
  expect((await secretsStatus(database.db, secrets)).items[0]).toMatchObject({ verdict: 'retired' });
  await database.db('secrets').where({ label: 'live' }).update({ retired_at: null });
  await vi.waitFor(async () => expect(await send(SECRET)).toBe(200));
  await receiver.close();
  source.close();
});

test('with every secret retired the doctor and the line on every page say that no webhook is accepted', async () => {
  const { db } = database;
  const said = async (configured = secrets) => {
    const state = createState({
      db,
      log,
      now: () => new Date(),
      runKinds: [],
      runEverySeconds: {},
      secretsStatus: () => secretsStatus(db, configured),
    });
    const checks = await checkSecrets({ db, config: { WEBHOOK_SECRETS: configured } } as DoctorParts);
    const line = (await statusNow(state)).items.filter(({ text }) => text.includes('no secret is accepted'));
    return { doctor: checks.filter(({ name }) => name === 'secrets'), line };
  };
  const retire = (label: string, now: number) =>
    retireSecret(db, { label, fingerprint: 'f', by: 'ops', note: 'leaked', now: new Date(now) });
  await retire('new', 2_000);
  expect(await said()).toEqual({ doctor: [], line: [] });
  await retire('live', 1_000);
  const remedy =
    'Put another secret into WEBHOOK_SECRETS, and restart the receivers; or take it back: tallyhook secrets restore new';
  expect(await said()).toMatchObject({
    doctor: [{ status: 'finding', found: 'every secret is retired: no webhook is accepted', remedy }],
    line: [{ tone: 'bad', href: '/secrets' }],
  });
  expect(await said([...secrets, { label: 'newest', secret: 'whsec_newest' }])).toEqual({ doctor: [], line: [] });
});
