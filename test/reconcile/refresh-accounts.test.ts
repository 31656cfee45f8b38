import { expect, test } from 'vitest';
import { newRefreshMemory } from '../../src/reconcile/refresh/refresh-list.js';
import { refreshAccounts, refreshTransactions } from '../../src/reconcile/refresh/refresh-readers.js';
import { requestRefresh } from '../../src/records/runs/refresh-requests.js';
import { openSandbox } from '../sandbox/support.js';
import { createTestDatabase } from '../support/database.js';
import { atService } from './service-at.js';

test('what events name of sub-wallets is read at once, once, and what stays unknown waits', async () => {
  const database = await createTestDatabase();
  const sandbox = await openSandbox({ seed: 3 });
  const { deps } = atService(database, sandbox.url);
  const account = (await sandbox.call('POST', '/sandbox/accounts', { label: 'w' })).body.id;
  await sandbox.call('POST', `/sandbox/accounts/${account}/deposit`, { assetCode: 'BTC', amount: '1' });
  const [row] = (await sandbox.call<{ id: string }[]>('GET', `/v1/accounts/${account}/transactions`)).body;
  const mark = (kind: 'account' | 'transaction', ids: string[]) =>
    requestRefresh(
      database.db,
      ids.map((id) => ({ kind, id, reason: 'claim' })),
    );
  const marks = (kind: string) => database.db('reading_marks').where({ kind }).orderBy('id').pluck('id');
  let calls = 0;
  const { client } = deps;
  deps.client = {
    serviceNow: () => client.serviceNow(),
    reply: (operation, request) => {
      calls += 1;
      return client.reply(operation, request);
    },
  };

  await mark('transaction', [row?.id ?? '', 'tx_nobody']);
  await refreshTransactions({ deps, memory: newRefreshMemory() });
  expect(await database.db('transactions').where({ account_id: account }).pluck('id')).toEqual([row?.id]);
  expect(await marks('transaction')).toEqual(['tx_nobody']);

  const memory = newRefreshMemory();
  await mark('account', [account, 'wa_nobody']);
  await refreshAccounts({ deps, memory });
  expect(await database.db('accounts').pluck('id')).toEqual([account]);
  expect(await marks('account')).toEqual(['wa_nobody']);
  await mark('account', ['wa_other']);
  calls = 0;
  await refreshAccounts({ deps, memory });
  expect(calls).toBe(0);
  await database.drop();
});
