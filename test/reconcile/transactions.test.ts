import { describe, expect, it } from 'vitest';
import { listBreaks } from '../../src/records/breaks/list-breaks.js';
import { openSandbox, type Row, type TestSandbox } from '../sandbox/support.js';
import { resettableDatabase } from '../support/resettable-database.js';
import { type AtService, atService } from './service-at.js';

const database = resettableDatabase();

async function opened(faults: object = {}, size = { wallets: 8, movements: 130 }) {
  const sandbox = await openSandbox({ seed: 3, ...size });
  await sandbox.call('PUT', '/sandbox/faults', faults);
  return { sandbox, at: atService(database, sandbox.url, { adoptedAt: new Date(0) }) };
}

async function truth(sandbox: TestSandbox, name: string): Promise<Row[]> {
  const { body } = await sandbox.call<Record<string, Row[]>>('GET', '/sandbox/truth');
  return body[name] ?? [];
}

async function held(table = 'transactions'): Promise<Map<string, Row>> {
  const rows = await database.db(table).whereNull('absent_since').select('id', 'shown');
  return new Map(rows.map((row) => [row.id, JSON.parse(row.shown)]));
}

const mark = async () => Number((await database.db('watermarks').where({ name: 'again' }).first('value'))?.value.at);

const breaks = async (kind: string) => (await listBreaks(database.db, { kind, status: 'open' })).items;

/** As if the service no longer knew the sub-wallet. */
function denied(at: AtService, account: string | undefined): void {
  const { client } = at.deps;
  at.deps.client = {
    serviceNow: () => client.serviceNow(),
    reply: (operation, request) =>
      client.reply(operation, request.path?.['id'] === account ? { ...request, path: { id: 'nobody' } } : request),
  };
}

/** As if the service said it otherwise. */
function altered(at: AtService, alter: (operation: string, rows: Row[]) => Row[]): void {
  const { client } = at.deps;
  at.deps.client = {
    serviceNow: () => client.serviceNow(),
    reply: async (operation, request) => {
      const answer = await client.reply(operation, request);
      return Array.isArray(answer.data) ? { ...answer, data: alter(operation, answer.data as Row[]) as never } : answer;
    },
  };
}

describe('transactions of sub-wallets', () => {
  it.each([{ feedBounds: 'exclusive', timesWithoutZone: true, shrinkPage: true }, { endlessList: true }])(
    'are all held and proven by count, then kept up with few calls (%j)',
    async (faults) => {
      const { sandbox, at } = await opened(faults);
      const first = await at.run('transactions');
      expect(first.proof).not.toHaveProperty('reason');
      expect(first).toMatchObject({ status: 'succeeded', complete: true, proof: { count: { said: 'count agrees' } } });
      expect((await held()).size).toBe((await truth(sandbox, 'transactions')).length);
      const [wallet] = (await sandbox.call<Row[]>('GET', '/v1/accounts?status=active')).body;
      await sandbox.call('POST', `/sandbox/accounts/${wallet!.id}/deposit`, { assetCode: 'BTC', amount: '1' });
      const second = await at.run('transactions');
      expect(second.complete).toBe(true);
      expect(second.calls).toBeLessThan(15);
      expect((await held()).size).toBe((await truth(sandbox, 'transactions')).length);
    },
  );

  it.each(['missing', 'wrong'])(
    'with a count that is %s are all read, and nothing is claimed to be proven',
    async (totalCount) => {
      const { sandbox, at } = await opened({ totalCount });
      const run = await at.run('transactions');
      expect(run).toMatchObject({ status: 'succeeded', complete: false });
      expect(run.proof['reason']).toContain(`degraded: X-Total-Count is ${totalCount}`);
      expect((await held()).size).toBe((await truth(sandbox, 'transactions')).length);
      const first = await mark();
      expect((await at.run('transactions')).calls).toBeLessThan(40);
      // They are read again slice by slice all the same.
      expect(first - (await mark())).toBe(6 * 3_600_000);
    },
  );

  it('with a count that is missing and a history that is not read whole are not merely degraded', async () => {
    const { at } = await opened({ totalCount: 'missing' }, { wallets: 2, movements: 2_200 });
    const run = await at.run('transactions', { pages: 1 });
    expect(run).toMatchObject({ status: 'succeeded', complete: false });
    expect(run.proof['reason']).toMatch(/^the scan of what was never read goes on.*degraded: X-Total-Count/);
  });

  it('that the feed forgets are searched for in the lists of accounts by so many calls, whatever is missing', async () => {
    const { at } = await opened({}, { wallets: 64, movements: 130 });
    await at.run('transactions');
    let asked = 0;
    altered(at, (operation, rows) => {
      if (operation === 'listAccountTransactions') asked += 1;
      return operation === 'listTransactions' ? rows.filter((_, n) => n % 2 === 0) : rows;
    });
    const { client } = at.deps;
    at.deps.client = {
      serviceNow: () => client.serviceNow(),
      reply: async (operation, request) => ({ ...(await client.reply(operation, request)), totalCount: null }),
    };
    const run = await at.run('transactions', { full: true });
    expect(run).toMatchObject({ status: 'succeeded', complete: false });
    expect(asked).toBe(60);
    expect(await breaks('record_not_at_service')).toEqual([]);
  });

  it('whose rows have no id prove nothing, and the run says so', async () => {
    const { at } = await opened({ itemWithoutId: true });
    const run = await at.run('transactions');
    expect(run).toMatchObject({ status: 'succeeded', complete: false });
    expect(run.proof['reason']).toContain('has no id');
  });

  it('are read on where a run was cut off, without reading the proven part again', async () => {
    const { sandbox, at } = await opened({}, { wallets: 4, movements: 900 });
    const { client } = at.deps;
    let calls = 0;
    at.deps.client = {
      serviceNow: () => client.serviceNow(),
      reply: (operation, request) => {
        calls += 1;
        if (calls === 14) throw new Error('killed');
        return client.reply(operation, request);
      },
    };
    expect(await at.run('transactions')).toMatchObject({ status: 'failed' });
    const before = (await held()).size;
    expect(before).toBeGreaterThan(200);
    const run = await at.run('transactions');
    expect(run.complete).toBe(true);
    expect(run.seen).toBeLessThan(900);
    expect((await held()).size).toBe((await truth(sandbox, 'transactions')).length);
  });

  it('with a hole are mended after one count', async () => {
    const { sandbox, at } = await opened({}, { wallets: 8, movements: 220 });
    await at.run('transactions');
    const old = (await truth(sandbox, 'transactions'))[150]!;
    await database.db('transactions').where({ id: old.id }).delete();
    const run = await at.run('transactions');
    expect(run).toMatchObject({ complete: true, proof: { count: { said: 'count agrees' } } });
    expect(run.calls).toBeLessThan(40);
    expect((await held()).has(old.id)).toBe(true);
  });

  it('that change after they were booked are a break until they are as they were', async () => {
    const { sandbox, at } = await opened();
    await at.run('transactions');
    const victim = (await truth(sandbox, 'transactions'))[10]!;
    const real = at.deps.client;
    altered(at, (_, rows) => rows.map((row) => (row.id === victim.id ? { ...row, amount: '123' } : row)));
    await at.run('transactions', { full: true });
    expect(await breaks('transaction_mismatch')).toMatchObject([
      {
        severity: 'high',
        entity: { id: victim.id },
        evidence: { ours: { amount: victim['amount'] }, theirs: { amount: '123' } },
      },
    ]);
    at.deps.client = real;
    await at.run('transactions', { full: true });
    expect(await breaks('transaction_mismatch')).toEqual([]);
  });

  it('that vanish from the feed are absent only if their account lists them no more either', async () => {
    const { sandbox, at } = await opened({}, { wallets: 3, movements: 130 });
    await at.run('transactions');
    const [kept, gone] = (await truth(sandbox, 'transactions')).slice(20, 22) as [Row, Row];
    altered(at, (operation, rows) =>
      rows.filter(({ id }) => id !== gone.id && (operation !== 'listTransactions' || id !== kept.id)),
    );
    const { client } = at.deps;
    at.deps.client = {
      serviceNow: () => client.serviceNow(),
      reply: async (operation, request) => {
        const { totalCount, ...answer } = await client.reply(operation, request);
        return {
          ...answer,
          totalCount: operation === 'listTransactions' && Number(totalCount) > 100 ? 128 : (totalCount ?? null),
        };
      },
    };
    const run = await at.run('transactions', { full: true });
    expect(run.complete).toBe(false);
    const found = await breaks('record_not_at_service');
    expect(found.map(({ entity }) => entity.id)).toEqual([gone.id]);
    expect(run.proof['reason']).toContain('in the list of its account');
  });

  it('of another shape are a matter of configuration', async () => {
    const { sandbox, at } = await opened({}, { wallets: 3, movements: 30 });
    at.deps.contract = {
      ...at.deps.contract,
      transaction: { ...at.deps.contract.transaction, id: '/key/id', amount: '/value/of' },
    };
    altered(at, (_, rows) =>
      rows.map(({ id, amount, ...row }) => ({ ...row, key: { id }, value: { of: amount } }) as never),
    );
    expect(await at.run('transactions')).toMatchObject({ complete: true });
    for (const { id, amount } of await truth(sandbox, 'transactions'))
      expect((await held()).get(id)?.['amount']).toBe(amount);
  });
});

describe('sub-wallets', () => {
  it.each([{ shrinkPage: true }, { accountsShape: 'page' }, { cursor: 'key' }])(
    'are all listed (%j)',
    async (faults) => {
      const { sandbox, at } = await opened(faults, { wallets: 105, movements: 0 });
      expect(await at.run('accounts')).toMatchObject({ status: 'succeeded', complete: true });
      const all = (await truth(sandbox, 'accounts')).map(({ id }) => id);
      expect([...(await held('accounts')).keys()].toSorted()).toEqual(all.toSorted());
      expect(all.length).toBeGreaterThan(100);
      expect((await at.run('accounts')).changed).toBe(0);
    },
  );

  it('that are closed and archived are gone quietly; an open one that vanishes is a break', async () => {
    const { sandbox, at } = await opened({}, { wallets: 0, movements: 0 });
    const ids: string[] = [];
    for (let n = 0; n < 6; n += 1)
      ids.push((await sandbox.call('POST', '/sandbox/accounts', { label: `w${n}` })).body.id);
    await sandbox.call('POST', `/v1/accounts/${ids[0]}/close`);
    await at.run('accounts');
    expect((await held('accounts')).size).toBe(6);
    await sandbox.call('POST', `/v1/accounts/${ids[0]}/archive`);
    altered(at, (operation, rows) => (operation === 'listAccounts' ? rows.filter(({ id }) => id !== ids[3]) : rows));
    denied(at, ids[3]);
    expect(await at.run('accounts')).toMatchObject({ complete: true, proof: { absent: 2 } });
    expect((await breaks('record_not_at_service')).map(({ entity }) => entity.id)).toEqual([ids[3]]);
  });

  it.each([
    [{ itemWithoutId: true }, 'no id'],
    [{ repeatPage: true }, 'pages repeat'],
  ])('in a list that is none prove nothing (%j)', async (faults, reason) => {
    const { at } = await opened(faults, { wallets: 105, movements: 0 });
    const run = await at.run('accounts');
    expect(run.complete).toBe(false);
    expect(run.proof['reason']).toContain(reason);
  });
});

describe('the catalog', () => {
  it('holds assets, settlement accounts, ways to settle and products, and says their statistics', async () => {
    const { sandbox, at } = await opened();
    const product = (await sandbox.call('POST', '/sandbox/products', { name: 'Tea', amount: '5', currency: 'USD' }))
      .body;
    const body = { amount: '5', currency: 'USD', requestedCurrencyType: 'fiat', productId: product.id };
    await sandbox.call('POST', '/sandbox/payment-intents', body);
    await at.run('payment-intents');
    const run = await at.run('catalog');
    expect(run).toMatchObject({ status: 'succeeded', complete: true });
    expect((await held('assets')).size).toBe(13);
    expect((await held('settlement_accounts')).size).toBeGreaterThan(0);
    expect((await held('products')).has(product.id)).toBe(true);
    expect(run.proof).toMatchObject({ products: { read: 1 } });
    expect(Number((await database.db('settlement_methods').count())[0]?.['count'])).toBe(13);
    expect(run.calls).toBeLessThan(60);
  });
});
