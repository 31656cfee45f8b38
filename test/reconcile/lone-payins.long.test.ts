import { afterAll, beforeAll, expect, test } from 'vitest';
import { getRecord } from '../../src/records/rows.js';
import { useDatabase } from '../support/database.js';
import { DRILL_MS, until } from '../support/drill.js';
import { createInstallation, type Installation } from '../support/installation.js';

const database = useDatabase();
let installation: Installation;

beforeAll(async () => {
  installation = await createInstallation({ databaseUrl: database.url });
  await installation.start('serve', 'work', 'schedule');
}, DRILL_MS);

afterAll(async () => {
  await installation?.close();
});

async function payin(kytStatus: string): Promise<{ id: string; account: string }> {
  const { sandbox } = installation;
  const account = sandbox.control.createAccount();
  const answer = await fetch(`${sandbox.url}/sandbox/accounts/${account}/deposit`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ assetCode: 'USDT.TRC20', amount: '12', kytStatus }),
  });
  expect(answer.status).toBe(201);
  return { id: ((await answer.json()) as { id: string }).id, account };
}

const breaksOf = (id: string) => database.db('breaks').where({ entity_kind: 'payin', entity_id: id });
const recordOf = (id: string) => database.db('payins').where({ id }).first();

test(
  'a deposit to a sub-wallet, which no payment lists, is kept and polled; a rejected one is a break within seconds',
  async () => {
    const [clean, rejected] = [await payin('approved'), await payin('rejected')];
    await until('the rejected one is a break', async () => (await breaksOf(rejected.id)).length === 1, {
      timeoutMs: 30_000,
    });
    expect(await breaksOf(rejected.id)).toMatchObject([{ kind: 'kyt_hold', status: 'open' }]);
    const [{ evidence }] = await breaksOf(rejected.id);
    expect(JSON.parse(evidence)).toMatchObject({
      verdict: 'rejected',
      account: rejected.account,
      paymentIntent: null,
      kytStatus: { theirs: 'rejected', source: { verified: true } },
    });
    await until('the clean one is read', async () => (await recordOf(clean.id))?.verified === true);
    expect(await breaksOf(clean.id)).toEqual([]);
    expect(await getRecord(database.db, 'payin', clean.id)).toMatchObject({
      accountId: clean.account,
      kytStatus: 'approved',
    });
    const marks = () => database.db('reading_marks').whereIn('id', [clean.id, rejected.id]);
    await until('nothing is left to be read of them', async () => (await marks()).length === 0 || marks());
  },
  DRILL_MS,
);
