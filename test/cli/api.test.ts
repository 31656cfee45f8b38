import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Sandbox, startSandbox } from '../../src/sandbox/start-sandbox.js';
import { operationNames } from '../../src/service-api/operations.js';
import { useDatabase } from '../support/database.js';
import { useFolder } from '../support/folder.js';
import { runHere } from '../support/run-here.js';

const cwd = useFolder();
let sandbox: Sandbox;
const database = useDatabase();

beforeAll(async () => {
  sandbox = await startSandbox({ payments: 5 });
});
afterAll(async () => {
  await sandbox.close();
});

const api = (args: string[], env: Record<string, string> = {}) =>
  runHere(['api', ...args], {
    cwd,
    env: {
      SERVICE_BASE_URL: sandbox.url,
      SERVICE_API_KEY: 'sandbox-api-key',
      DATABASE_URL: database.url,
      SERVICE_RATE: '1000/s',
      ...env,
    },
  });

async function bodyFile(body: unknown): Promise<string> {
  const file = path.join(cwd, 'body.json');
  await writeFile(file, typeof body === 'string' ? body : JSON.stringify(body));
  return file;
}

const direct = {
  requestedCoin: 'BTC',
  amount: '0.01',
  customer: { firstName: 'Ann', lastName: 'Lee', email: 'ann@example.com', refundAddress: 'bc1qann' },
  merchantReference: 'ord-1',
};

describe('tallyhook api', () => {
  it('reads: JSON on stdout', async () => {
    const { code, stdout, stderr } = await api(['listPaymentIntents', '--query', 'take=2']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const [intent, ...others] = JSON.parse(stdout) as { id: string; payins: { id: string }[] }[];
    expect(others).toHaveLength(1);
    expect(intent?.id).toMatch(/^pi/);
  });

  it('writes: names the key before the call, and what was answered becomes a record, to be verified', async () => {
    const { code, stdout, stderr } = await api(['createDirectPayment', '--body', await bodyFile(direct)]);
    expect(code).toBe(0);
    const created = JSON.parse(stdout) as { id: string; depositAddress: string };
    const key = /^idempotency key {2}(\S+)$/m.exec(stderr)?.[1];
    expect(await database.db('service_writes').first()).toMatchObject({
      operation: 'createDirectPayment',
      key,
      status: 'done',
      request: null,
      object_id: created.id,
    });
    expect(await database.db('payment_intents').where({ id: created.id }).first()).toMatchObject({
      merchant_reference: 'ord-1',
      verified: false,
      observed_by_type: 'api_response',
      observed_by_ref: 'createDirectPayment',
    });
    const again = await api(['createDirectPayment', '--body', await bodyFile(direct), '--idempotency-key', key ?? '']);
    expect((JSON.parse(again.stdout) as { id: string }).id).toBe(created.id);
  });

  it('--dry-run prints the request, sends and keeps nothing, and needs no database', async () => {
    const payout = { assetCode: 'XRP', amount: '1.50', destinationAddress: 'rAbc' };
    const args = ['createPayout', '--path', 'id=acc 1', '--body', await bodyFile(payout), '--dry-run'];
    const { code, stdout, stderr } = await api(args, { DATABASE_URL: 'postgres://127.0.0.1:1/none' });
    expect([code, stderr]).toEqual([0, '']);
    expect(JSON.parse(stdout)).toEqual({
      method: 'POST',
      url: `${sandbox.url}/v1/accounts/acc%201/payouts`,
      body: payout,
    });
    expect(stdout).not.toContain('sandbox-api-key');
  });

  it.each([
    [['listStars'], `Accepted are ${operationNames.join(', ')}.`],
    [['getPayin', '--path', 'assetCode=x'], '--path assetCode: known are id.'],
    [['listInvoices', '--query', 'status=open'], 'listInvoices: status is to be one of draft, sent'],
    [['listInvoices', '--query', 'take=5', '--query', 'take=6'], 'take is given twice'],
    [['listInvoices', '--body', 'x.json'], 'listInvoices has no body.'],
    [['createRefund', '--body', 'not-there.json'], '--body: not-there.json can’t be read'],
    [['closeAccount', '--path', 'id=a', '--idempotency-key', 'k'], 'closeAccount has no idempotency key.'],
  ])('%j is a mistake of usage', async (args, says) => {
    const { code, stdout, stderr } = await api(
      [...args, '--dry-run'].filter((word) => (says.includes('key.') ? word !== '--dry-run' : true)),
    );
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(says);
  });

  it('refuses a body that is no JSON, and one with an amount that is a number', async () => {
    const broken = await api(['createDirectPayment', '--body', await bodyFile('{"amount":')]);
    expect(broken).toMatchObject({ code: 2, stderr: expect.stringContaining('is not JSON') as string });
    const number = await api(['createDirectPayment', '--body', await bodyFile({ ...direct, amount: 0.01 })]);
    expect(number).toMatchObject({ code: 2, stderr: expect.stringContaining('amount is to be a decimal') as string });
  });

  it('says what the service refused, and what to do', async () => {
    const { code, stderr } = await api(['getPayin', '--path', 'id=nobody']);
    expect(code).toBe(1);
    expect(stderr).toContain('getPayin: not found, status 404');
    expect(stderr).toContain('check the identifier');
    const foreign = await api(['listPaymentIntents'], { SERVICE_API_KEY: 'expired' });
    expect(foreign.code).toBe(1);
    expect(foreign.stderr).toContain('the API key is not accepted');
    expect(foreign.stderr).toContain('use a key of this environment');
  });
});
