import { describe, expect, it } from 'vitest';
import type { Json } from '../../src/domain/json.js';
import type { ServiceReader } from '../../src/reconcile/service-reader.js';
import { readProofs } from '../../src/records/balances/balance-proofs.js';
import { NotFoundError } from '../../src/service-api/service-errors.js';
import { openSandbox, type TestSandbox } from '../sandbox/support.js';
import { resettableDatabase } from '../support/resettable-database.js';
import { type AtService, atService } from './service-at.js';

const database = resettableDatabase();

interface Counted {
  at: AtService;
  sandbox: TestSandbox;
  /** Operations asked for since it was read last, by those of the runs within the run as well. */
  asked: () => string[];
}

/** A service with so many assets more than the sandbox has; nobody holds them, unless given. */
async function serviceWith(more: number, held = '0'): Promise<Counted> {
  const sandbox = await openSandbox({ payments: 4, payouts: 1, wallets: 1, movements: 4, seed: 5 });
  const at = atService(database, sandbox.url, { adoptedAt: new Date(0) });
  const asked: string[] = [];
  at.deps.client = withAssets(
    at.deps.client,
    new Set(Array.from({ length: more }, (_, n) => `C${n}.NET`)),
    held,
    asked,
  );
  return { at, sandbox, asked: () => asked.splice(0) };
}

function withAssets(client: ServiceReader, more: ReadonlySet<string>, held: string, asked: string[]): ServiceReader {
  return {
    serviceNow: () => client.serviceNow(),
    reply: async (operation, request) => {
      const assetCode = request.path?.['assetCode'] ?? '';
      asked.push(operation === 'getBalance' ? `${operation} ${assetCode}` : operation);
      if (operation === 'getBalance' && more.has(assetCode)) {
        const now = client.serviceNow();
        return { data: { assetCode, balance: held, frozen: '0', available: held }, from: now, to: now };
      }
      const answer = await client.reply(operation, request);
      if (operation !== 'listPublicAssets' || !Array.isArray(answer.data)) return answer;
      const others = [...more].map((code): Json => ({ assetCode: code, name: code, network: 'NET' }));
      return { ...answer, data: [...answer.data, ...others] };
    },
  };
}

/** Of these readings the first of an asset of the sandbox that nobody holds: the longest ago. */
async function idleOf(sandbox: TestSandbox, readings: Iterable<string>): Promise<string> {
  const proofs = await readProofs(database.db);
  const catalog = (await sandbox.call<{ assetCode: string }[]>('GET', '/v1/public/assets')).body;
  const idle = [...readings]
    .map((reading) => reading.replace('getBalance ', ''))
    .find((code) => {
      const proof = proofs.get(code);
      return catalog.some(({ assetCode }) => assetCode === code) && proof?.balance === '0' && proof.explained === '0';
    });
  if (idle === undefined) throw new Error('each asset of the sandbox is held');
  return idle;
}

const balancesOf = (asked: readonly string[]) => asked.filter((one) => one.startsWith('getBalance'));

describe('the calls of a run of balances', () => {
  it('are fewer than 60 where nothing happened, with 20 assets that are all held', async () => {
    const { at, sandbox, asked } = await serviceWith(7, '3.5');
    const catalog = (await sandbox.call<{ assetCode: string }[]>('GET', '/v1/public/assets')).body;
    for (const { assetCode } of catalog) await sandbox.call('POST', '/sandbox/deposits', { assetCode, amount: '1' });
    await at.run('balances');
    asked();
    const run = await at.run('balances');
    expect(run).toMatchObject({ complete: true, proof: { assets: 20, agreed: 20 } });
    const calls = asked();
    expect(balancesOf(calls)).toHaveLength(40);
    expect(calls.length).toBeLessThan(60);
  });

  it('do not grow with assets that nobody holds: five have their turn, and money that comes there is found in theirs', async () => {
    const { at, sandbox, asked } = await serviceWith(10);
    const first = await at.run('balances');
    expect(first.proof).not.toHaveProperty('reason');
    expect((await readProofs(database.db)).size).toBe(23);
    const turns = new Set<string>();
    for (let n = 0; n < 3; n += 1) {
      asked();
      expect(await at.run('balances')).toMatchObject({ complete: true });
      const calls = asked();
      expect(calls.length).toBeLessThan(60);
      for (const call of balancesOf(calls)) turns.add(call);
    }
    expect(turns.size).toBe(23);
    const idle = await idleOf(sandbox, turns);
    await sandbox.call('POST', '/sandbox/deposits', { assetCode: idle, amount: '12' });
    const unexplained = async () => (await readProofs(database.db)).get(idle)?.unexplained;
    for (let n = 0; n < 3 && (await unexplained()) !== '12'; n += 1) await at.run('balances');
    expect(await unexplained()).toBe('12');
  });

  it('are none for the catalog that the service does not offer', async () => {
    const { at, sandbox } = await serviceWith(0);
    await sandbox.call('POST', '/sandbox/deposits', { assetCode: 'BTC', amount: '1' });
    const { client } = at.deps;
    at.deps.client = {
      serviceNow: () => client.serviceNow(),
      reply: (operation, request) => {
        const refused = { operation, serviceCode: null, serviceMessage: null, isOwnWord: false, status: 404 };
        return operation === 'listPublicAssets'
          ? Promise.reject(new NotFoundError('there is none', refused))
          : client.reply(operation, request);
      },
    };
    await at.run('payment-intents');
    expect(await at.run('balances')).toMatchObject({ status: 'succeeded', error: null });
    expect((await readProofs(database.db)).size).toBeGreaterThan(0);
  });
});
