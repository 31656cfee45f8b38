import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Sandbox, startSandbox } from '../../src/sandbox/start-sandbox.js';
import { useDatabase } from '../support/database.js';
import { useShell } from '../support/shell.js';

const database = useDatabase();
let sandbox: Sandbox;
let secret: string;
let deliveries: number;

beforeAll(async () => {
  sandbox = await startSandbox({ confirmationSeconds: 0, kytSeconds: 0, retrySchedule: [] });
  ({ secret } = sandbox.control.addEndpoint({ url: 'http://127.0.0.1:9/webhooks' }));
  sandbox.control.setFaults({ drop: 1 });
  const id = sandbox.control.createPayment({ amount: '12.5', currency: 'USDT.TRC20' });
  sandbox.control.pay(id, { percent: 100 });
  await sandbox.control.deliveriesIdle();
  deliveries = 4;
}, 60_000);

afterAll(async () => {
  await sandbox.close();
});

const run = useShell(database, () => ({
  SERVICE_BASE_URL: sandbox.url,
  SERVICE_API_KEY: 'sandbox-api-key',
  SERVICE_RATE: '1000/s',
  WEBHOOK_SECRETS: `live=${secret},next=whsec_next`,
  MISSED_GRACE_SECONDS: '0',
  ADOPTED_AT: new Date(Date.now() - 3_600_000).toISOString(),
}));

test('missed: what the service delivered and we do not hold, exit code 3, and nothing is written; recover: it is here', async () => {
  const marks = await database.db('watermarks');
  const missed = await run('deliveries', 'missed', '--since', '24h', '--json');
  expect(missed.stderr).toBe('');
  expect(missed.code).toBe(3);
  expect(missed.json.items).toHaveLength(deliveries);
  expect(missed.json.items[0]).toMatchObject({ id: expect.any(String), class: 'never_reached', recoverable: true });
  const told = await run('deliveries', 'missed', '--since', '24h');
  const first = (missed.json.items as { createdAt: string }[]).map(({ createdAt }) => createdAt).sort()[0];
  expect(told.stderr).toContain(`tallyhook deliveries recover --since ${first?.slice(0, 16)}Z`);
  const rehearsed = await run('deliveries', 'recover', '--dry-run', '--json');
  expect([rehearsed.code, rehearsed.json.recovered]).toEqual([0, deliveries]);
  for (const table of ['actions', 'deliveries', 'inbox', 'runs', 'breaks', 'installation']) {
    expect(await database.db(table), table).toEqual([]);
  }
  expect(await database.db('watermarks')).toEqual(marks);

  const recovered = await run('deliveries', 'recover', '--since', '24h', '--note', 'after the outage', '--json');
  expect([recovered.code, recovered.json.recovered, recovered.json.run.complete]).toEqual([0, deliveries, true]);
  expect(await database.db('inbox').where({ source: 'delivery_history' })).toHaveLength(deliveries);
  const again = await run('deliveries', 'recover', '--json');
  expect([again.code, again.json.recovered]).toEqual([0, 0]);
  const replayed = await run('events', 'replay', '--status', 'received', '--note', 'to be sure', '--json');
  expect(replayed.json.replayed).toHaveLength(deliveries);
  expect((await run('reconcile', 'deliveries', '--dry-run', '--json')).code).toBe(0);
  const actions = await database.db('actions').select('actor', 'action', 'reason', 'outcome').orderBy('id');
  expect(actions).toEqual(
    [
      ['recover', 'after the outage'],
      ['recover', null],
      ['replay', 'to be sure'],
    ].map(([action, reason]) => ({ actor: expect.stringMatching(/^os:./), action, reason, outcome: 'asked' })),
  );
  await database.db('inbox').update({ status: 'applied' });
  const after = await run('deliveries', 'missed', '--json');
  expect([after.code, after.json]).toEqual([0, { items: [], waiting: [], unrecoverable: [] }]);
}, 60_000);

test('secrets: retire is refused without the verdict, done with --force and a note, and taken back', async () => {
  const status = await run('secrets', 'status', '--json');
  expect(status.json.items.map(({ label, verdict }: { label: string; verdict: string }) => [label, verdict])).toEqual([
    ['live', 'undetermined'],
    ['next', 'undetermined'],
  ]);
  const refused = await run('secrets', 'retire', 'live');
  expect(refused.code).toBe(1);
  expect(refused.stderr).toContain('it has not matched yet');
  expect((await run('secrets', 'retire', 'live', '--force')).code).toBe(2);
  expect((await run('secrets', 'retire', 'nobody', '--force', '--note', 'x')).code).toBe(2);
  expect((await run('secrets', 'retire', 'live', '--force', '--note', 'x', '--dry-run')).code).toBe(0);
  expect(await database.db('secrets')).toEqual([]);
  const retired = await run('secrets', 'retire', 'live', '--force', '--note', 'leaked', '--json');
  expect([retired.code, retired.json]).toEqual([0, expect.objectContaining({ label: 'live', retired: true })]);
  expect(await database.db('secrets').first()).toMatchObject({
    label: 'live',
    retired_note: 'leaked',
    retired_by: expect.stringMatching(/^os:/),
  });
  expect(retired.json.warning).toBeNull();
  const last = await run('secrets', 'retire', 'next', '--force', '--note', 'leaked', '--dry-run');
  expect(last.stdout).toContain('NO WEBHOOK IS ACCEPTED without "next"');
  expect(last.stdout).toContain('Put another secret into WEBHOOK_SECRETS, and restart the receivers; or take it back');
  const leaked = await run('secrets', 'retire', 'next', '--leaked', '--note', 'leaked', '--dry-run');
  expect(leaked.stdout).toContain('NO WEBHOOK IS ACCEPTED without "next"');
  expect((await run('secrets', 'restore', 'live', '--note', 'it was not')).code).toBe(0);
  const actions = await database
    .db('actions')
    .where({ target: 'secret live' })
    .select('action', 'reason')
    .orderBy('id');
  expect(actions).toEqual([
    { action: 'retire secret', reason: 'leaked' },
    { action: 'restore secret', reason: 'it was not' },
  ]);
  expect(await database.db('secrets').whereNotNull('retired_at')).toEqual([]);
  expect((await run('secrets', 'restore', 'live')).code).toBe(2);
}, 60_000);
