import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Knex } from 'knex';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { SecretStatus } from '../../src/domain/views/webhook-shapes.js';
import { startTraffic, type Traffic } from '../../src/sandbox/traffic.js';
import { compareWithTruth, readTruth } from '../drills/fault/compare-truth.js';
import { useFreshDatabase } from '../support/database.js';
import { loggedDeliveries } from '../support/deliveries.js';
import { DRILL_MS, isLong, report, until } from '../support/drill.js';
import { createInstallation, type Installation } from '../support/installation.js';
import { lostDeliveries, progress, repeatedChanges } from '../support/reckoning.js';
import { holdEvents } from './held-events.js';
import { commandsUnder, createReader, type Reader } from './run-document.js';

const DOCUMENT = 'docs/rotate-secrets.md';

const database = useFreshDatabase();
let installation: Installation;
let reader: Reader;
let file: string;
let traffic: Traffic | null = null;

beforeEach(async () => {
  installation = await createInstallation({
    databaseUrl: database.url,
    sandbox: { rateSwingBasisPoints: 0 },
  });
  const { cwd, env, endpoint } = installation;
  file = path.join(cwd, 'secrets');
  delete env['WEBHOOK_SECRETS'];
  env['WEBHOOK_SECRETS_FILE'] = file;
  await accept({ old: endpoint.secret });
  reader = await createReader({ cwd, env });
});
afterEach(async () => {
  traffic?.stop();
  await installation?.close();
});

/** What stands in WEBHOOK_SECRETS_FILE from now on. */
const accept = (secrets: Record<string, string>) =>
  writeFile(
    file,
    Object.entries(secrets)
      .map(([label, secret]) => `${label}=${secret}\n`)
      .join(''),
  );

/** Types the commands of a step; what the last of them, `secrets status`, says of each secret. */
async function follow(heading: string): Promise<Record<string, string>> {
  const [commands] = commandsUnder(DOCUMENT, heading);
  await reader.types(commands);
  const printed = await reader.types('tallyhook secrets status');
  return Object.fromEntries([...printed.matchAll(/^next for (\S+): (.+)$/gm)].map(([, label, next]) => [label, next]));
}

const statusOf = async (label: string): Promise<SecretStatus | undefined> => {
  const { items } = JSON.parse(await reader.types('tallyhook secrets status --json')) as { items: SecretStatus[] };
  return items.find((secret) => secret.label === label);
};

/** The guide says to do the same again until something holds. */
async function followUntil(heading: string, label: string, next: RegExp, onTheWay: RegExp): Promise<void> {
  await until(`${heading}: ${label}`, async () => {
    const said = (await follow(heading))[label] ?? 'nothing';
    if (!next.test(said)) expect(said).toMatch(onTheWay);
    return next.test(said) || said;
  });
}

/** Without an id an event that two endpoints are sent in two seconds is two in the inbox: what they do is done once. */
const nameless = { eventId: 'none', stampApartSeconds: 2 } as const;
const named = { eventId: 'envelope', stampApartSeconds: 0 } as const;

test.each(isLong ? [nameless, named] : [nameless])(
  'a rotation by the guide, under traffic: nothing is lost or doubled, and status says what comes next (%j)',
  {
    timeout: DRILL_MS,
  },
  async (stamps) => {
    const { sandbox, endpoint } = installation;
    // Some payments of the traffic are disputed although they were paid exactly: a finding of its own where the filter lacks them.
    sandbox.control.setFaults({ ...stamps, irregularHoldsDisputes: true });
    await installation.start('serve', 'work', 'schedule');
    traffic = startTraffic(sandbox, { paymentsPerSecond: isLong ? 2 : 1 });
    await followUntil(
      '1. Look first',
      'old',
      /make a new endpoint and add its secret/,
      /reconcile endpoints|first event/,
    );
    expect(await statusOf('old')).toMatchObject({ endpointId: endpoint.id, verdict: 'keep' });

    const created = await fetch(`${sandbox.url}/sandbox/webhook-endpoints`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ url: endpoint.url, events: ['*'] }),
    });
    const fresh = (await created.json()) as { id: string; secret: string };
    expect((await follow('1. Look first'))['old']).toContain('steps 2 and 3');
    await accept({ old: endpoint.secret, new: fresh.secret });
    await until('the new secret matched', async () => (await statusOf('new'))?.firstMatchAt != null);
    const waiting = /^(Wait|Run tallyhook reconcile|Find out why)/;
    await followUntil('4. Wait for the verdict', 'old', /^Retire it: tallyhook secrets retire old/, waiting);
    expect((await follow('4. Wait for the verdict'))['new']).toBe('Keep it: it stays.');
    // An event that came under the old one alone a moment ago takes it back until the history is read once more.
    await until('the verdict', async () => {
      await follow('4. Wait for the verdict');
      return (await statusOf('old'))?.verdict === 'may_be_retired';
    });

    expect((await follow('5. Retire the old one'))['old']).toBe(
      `Delete the endpoint ${endpoint.id} in the service’s dashboard (step 6).`,
    );
    await fetch(`${sandbox.url}/sandbox/webhook-endpoints/${endpoint.id}`, { method: 'DELETE' });
    expect((await follow('6. Delete the old endpoint'))['old']).toContain(
      'take it out of the configured secrets (step 7)',
    );

    await accept({ new: fresh.secret });
    expect(await follow('1. Look first')).toEqual({
      new: expect.stringContaining('To change it, make a new endpoint'),
    });
    await expectNothingLostOrDoubled(database.db, stamps.eventId === 'envelope');
  },
);

async function expectNothingLostOrDoubled(db: Knex, isNamed: boolean): Promise<void> {
  const { sandbox } = installation;
  traffic?.stop();
  await until('every delivery has ended', async () => {
    await sandbox.control.deliveriesIdle();
    sandbox.control.advance(10);
    return (await loggedDeliveries(sandbox)).every(({ status }) => status !== 'pending');
  });
  await reader.types('tallyhook reconcile all || [ $? -eq 3 ]');
  await until('every event is applied', async () => {
    const { stored, applied } = await progress(db);
    return applied === stored;
  });
  await reader.types('tallyhook reconcile all || [ $? -eq 3 ]');
  const { held, doubled, ...amiss } = await holdEvents(db, sandbox);
  expect(amiss).toEqual({ lost: [], strange: [] });
  if (isNamed) expect(doubled).toBe(0);
  else expect(doubled).toBeGreaterThan(0);
  expect(await lostDeliveries(db, sandbox)).toEqual([]);
  expect(await repeatedChanges(db)).toEqual([]);
  const kinds = await compareWithTruth(db, await readTruth(sandbox));
  expect(kinds.flatMap(({ differences }) => differences)).toEqual([]);
  const open = await db('breaks').where({ status: 'open' }).whereNot({ entity_kind: 'order' }).pluck('kind');
  expect(open).toEqual([]);
  const labels = await db('inbox_arrivals').select('secret_label').count('* as n').groupBy('secret_label');
  report('rotation-drill', {
    events: held,
    lost: 0,
    'said twice': doubled,
    ...Object.fromEntries(labels.map(({ secret_label, n }) => [`arrivals under ${secret_label}`, String(n)])),
  });
}
