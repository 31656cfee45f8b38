import { afterAll, beforeAll, expect, test } from 'vitest';
import { noteAnswers } from '../../src/records/service-notes.js';
import { type Sandbox, startSandbox } from '../../src/sandbox/start-sandbox.js';
import { useDatabase } from '../support/database.js';
import { useShell } from '../support/shell.js';

const database = useDatabase();
let sandbox: Sandbox;

beforeAll(async () => {
  sandbox = await startSandbox({ confirmationSeconds: 0, kytSeconds: 0, retrySchedule: [3_600] });
  sandbox.control.addEndpoint({ url: 'http://127.0.0.1:9/webhooks' });
  sandbox.control.setFaults({ drop: 1 });
  const id = sandbox.control.createPayment({ amount: '12.5', currency: 'USDT.TRC20' });
  sandbox.control.pay(id, { percent: 100 });
  await sandbox.control.deliveriesIdle();
}, 60_000);

afterAll(async () => {
  await sandbox.close();
});

let logLevel = 'silent';
const run = useShell(database, () => ({
  LOG_LEVEL: logLevel,
  SERVICE_BASE_URL: sandbox.url,
  SERVICE_API_KEY: 'sandbox-api-key',
  SERVICE_RATE: '1000/s',
  WEBHOOK_SECRETS: 'live=whsec_live',
  ADOPTED_AT: new Date(Date.now() - 3_600_000).toISOString(),
}));

test('what the service tries again is not here either: it is counted, listed, and recovered when asked for', async () => {
  const told = await run('deliveries', 'missed', '--since', '2h');
  expect(told.code).toBe(0);
  expect(told.stdout).toContain('4 not here, and not overdue yet, 4 of them on their way: the service tries again');
  expect(told.stderr).not.toContain('nothing to show');
  expect(told.stdout.match(/pending_retry/g)).toHaveLength(4);
  expect(told.stderr).toContain('tallyhook deliveries recover --since ');
  const { json } = await run('deliveries', 'missed', '--since', '2h', '--json');
  expect([json.items, json.waiting.length]).toEqual([[], 4]);
  expect((await run('deliveries', 'recover', '--since', '2h', '--dry-run', '--json')).json.recovered).toBe(4);
  expect((await run('deliveries', 'recover', '--since', '2h', '--note', 'now', '--json')).json.recovered).toBe(4);
  const after = await run('deliveries', 'missed', '--since', '2h');
  expect([after.code, after.stdout, after.stderr]).toEqual([0, '', expect.stringContaining('nothing to show')]);
});

test('on a terminal a sentence says that the service is slow, once; lines of the log come where they are asked for', async () => {
  const { isTTY } = process.stderr;
  try {
    sandbox.control.setFaults({ serverError: 1 });
    const words = ['deliveries', 'missed', '--since', '2h'] as const;
    Object.assign(process.stderr, { isTTY: true });
    logLevel = '';
    const told = await run(...words);
    expect(told.stderr.match(/The service is slow to answer/g)).toHaveLength(1);
    expect(told.stderr).not.toContain('call retried');
    logLevel = 'warn';
    expect((await run(...words)).stderr).toContain('call retried');
  } finally {
    Object.assign(process.stderr, { isTTY });
    sandbox.control.setFaults({ serverError: 0 });
    logLevel = 'silent';
  }
});

test('of a service that does not answer, recover says why nothing is, and when to ask again', async () => {
  sandbox.control.setFaults({ serverError: 1 });
  try {
    const asked = await run('deliveries', 'recover', '--since', '2h', '--note', 'now');
    expect(asked.code).toBe(1);
    expect(asked.stdout).toMatch(
      /^recovered 0 deliveries; the history is not proven to be read: calls of the service fail with 50\d\. Run it again once the service answers again$/m,
    );
    const error = 'service_unavailable: listPayouts: no connection (ECONNREFUSED)';
    const failed = [5, 4, 3].map((ago) => ({ at: Date.now() - ago * 1_000, operation: 'listPayouts', error }));
    await noteAnswers(database.db, { answeredAt: null, failed });
    expect((await run('deliveries', 'recover', '--since', '2h', '--note', 'now')).stdout).toMatch(
      /: the service does not answer since \d{4}-\d\d-\d\d \d\d:\d\d UTC\. Run it again once/,
    );
  } finally {
    sandbox.control.setFaults({ serverError: 0 });
  }
});
