import { expect, test } from 'vitest';
import type { Observation } from '../../src/domain/observation.js';
import { listBreaks } from '../../src/records/breaks/list-breaks.js';
import { requestRefresh } from '../../src/records/runs/refresh-requests.js';
import { saveObservations } from '../../src/records/saving/save-observations.js';
import { openSandbox, type TestSandbox } from '../sandbox/support.js';
import { resettableDatabase } from '../support/resettable-database.js';
import { type AtService, atService } from './service-at.js';

const database = resettableDatabase();

async function opened(movements = 0): Promise<{ sandbox: TestSandbox; at: AtService }> {
  const sandbox = await openSandbox({ seed: 3, wallets: 2, movements });
  return { sandbox, at: atService(database, sandbox.url, { adoptedAt: new Date(0) }) };
}

const wallet = async (sandbox: TestSandbox): Promise<string> =>
  (await sandbox.call('POST', '/sandbox/accounts', { label: 'w' })).body.id;
const breaks = async () => (await listBreaks(database.db, { status: 'open' })).items.map(({ kind }) => kind);
const marks = () => database.db('reading_marks').where({ kind: 'account' }).orderBy('id').pluck('id');
const older = (age: string) =>
  database.db.raw('UPDATE reading_marks SET marked_at = marked_at - ?::interval', [age]) as unknown as Promise<void>;

async function observed(at: AtService, about: object): Promise<void> {
  const now = at.deps.client.serviceNow() - 60_000;
  const source = { type: 'webhook', ref: '1' } as const;
  const said = { kind: 'account', from: now, to: now, source, ...about } as Observation;
  await database.db.transaction((trx) => saveObservations(trx, [said], { now: at.deps.now(), adoptedAt: new Date(0) }));
}

test('a sub-wallet that was closed and archived between two runs is gone quietly, with or without transactions', async () => {
  const { sandbox, at } = await opened();
  const [moved, still] = [await wallet(sandbox), await wallet(sandbox)];
  await sandbox.call('POST', `/sandbox/accounts/${moved}/deposit`, { assetCode: 'BTC', amount: '1' });
  await at.run('accounts');
  for (const id of [moved, still]) {
    await sandbox.call('POST', `/v1/accounts/${id}/close`);
    await sandbox.call('POST', `/v1/accounts/${id}/archive`);
  }
  const run = await at.run('accounts');
  expect(run).toMatchObject({ complete: true, breaksOpened: 0, proof: { absent: 2, archived: { count: 2 } } });
  expect(await breaks()).toEqual([]);
  expect(await database.db('accounts').whereNotNull('absent_since').count()).toEqual([{ count: '2' }]);
  expect((await at.run('accounts')).proof).not.toHaveProperty('archived');
});

test('what only events named is asked for once it is half a minute old, and the run says what became of it', async () => {
  const { sandbox, at } = await opened();
  const hidden = await wallet(sandbox);
  for (const step of ['close', 'archive']) await sandbox.call('POST', `/v1/accounts/${hidden}/${step}`);
  await observed(at, { type: 'mention', id: hidden });
  await observed(at, { type: 'mention', id: 'wa_nobody' });
  await requestRefresh(database.db, [{ kind: 'account', id: 'wa_marked', reason: 'expired_event' }]);
  await at.run('accounts');
  expect(await marks()).toHaveLength(3);
  await older('31 seconds');
  const { proof } = await at.run('accounts');
  expect(proof).toMatchObject({
    archived: { count: 1, ids: [hidden] },
    unknownToService: { count: 2, ids: expect.arrayContaining(['wa_marked', 'wa_nobody']) },
  });
  expect(await marks()).toEqual([]);
  expect(await breaks()).toEqual([]);
});

test('one of which an event reported more than its id, and that the service denies, is a break', async () => {
  const { at } = await opened();
  await observed(at, { type: 'statement', id: 'wa_foreign', fields: { id: 'wa_foreign', status: 'active' } });
  await older('31 seconds');
  expect(await at.run('accounts')).toMatchObject({ breaksOpened: 1 });
  expect(await breaks()).toEqual(['record_not_at_service']);
  expect(await marks()).toEqual([]);
});

test('one of which an event reported more than its id, and that was archived, is gone quietly', async () => {
  const { sandbox, at } = await opened();
  const hidden = await wallet(sandbox);
  await sandbox.call('POST', `/sandbox/accounts/${hidden}/deposit`, { assetCode: 'BTC', amount: '1' });
  await observed(at, { type: 'statement', id: hidden, fields: { id: hidden, status: 'active' } });
  for (const step of ['close', 'archive']) await sandbox.call('POST', `/v1/accounts/${hidden}/${step}`);
  await older('31 seconds');
  expect(await at.run('accounts')).toMatchObject({ breaksOpened: 0, proof: { archived: { ids: [hidden] } } });
  expect(await breaks()).toEqual([]);
  expect(await marks()).toEqual([]);
});

test('one that only events named is searched for in all lists twice: it may move from one to another while they are read', async () => {
  const { sandbox, at } = await opened();
  const moving = await wallet(sandbox);
  const { client } = at.deps;
  let reads = 0;
  at.deps.client = {
    serviceNow: () => client.serviceNow(),
    reply: async (operation, request) => {
      const answer = await client.reply(operation, request);
      if (operation !== 'listAccounts' || (reads += 1) > 3) return answer;
      return { ...answer, data: (answer.data as { id: string }[]).filter(({ id }) => id !== moving) as never };
    },
  };
  await observed(at, { type: 'statement', id: moving, fields: { id: moving, status: 'active' } });
  await older('31 seconds');
  const { proof } = await at.run('accounts');
  expect(proof).not.toHaveProperty('archived');
  expect(await database.db('accounts').where({ id: moving })).toMatchObject([{ status: 'active', absent_since: null }]);
  expect(await breaks()).toEqual([]);
});

test('where the service does not say, a named sub-wallet is asked for during a day, and then no longer, which the run says', async () => {
  const { at } = await opened();
  const { client } = at.deps;
  at.deps.client = {
    serviceNow: () => client.serviceNow(),
    // As if it did not have the transactions of one account.
    reply: (operation, request) =>
      client.reply(operation, operation === 'listAccountTransactions' ? { ...request, path: { id: 'no' } } : request),
  };
  await observed(at, { type: 'mention', id: 'wa_unclear' });
  await older('1 hour');
  expect((await at.run('accounts')).proof).not.toHaveProperty('unknownToService');
  expect(await marks()).toEqual(['wa_unclear']);
  await older('1 day');
  expect((await at.run('accounts')).proof).toMatchObject({ noLongerAskedFor: { count: 1, ids: ['wa_unclear'] } });
  expect(await marks()).toEqual([]);
});

test('a transaction that events named and that the feed, read whole, does not know is no longer asked for, which the run says', async () => {
  const { at } = await opened();
  await requestRefresh(database.db, [{ kind: 'transaction', id: 'tx_nobody', reason: 'mention' }]);
  await at.run('transactions');
  expect(await database.db('reading_marks').pluck('id')).toEqual(['tx_nobody']);
  await older('16 minutes');
  expect((await at.run('transactions')).proof).toMatchObject({ unknownToFeed: { count: 1, ids: ['tx_nobody'] } });
  expect(await database.db('reading_marks')).toEqual([]);
});

test('a transaction that the feed showed long ago, and that an event names, is read again where it stands', async () => {
  const { at } = await opened(40);
  await at.run('transactions');
  const { id, poll_from } = await database.db('transactions').orderBy('created_at').first('id', 'poll_from');
  // The service's clock is known by whole seconds only, and ever better.
  const askedAt = at.deps.client.serviceNow() - 2_000;
  const named = (of: string) => ({ kind: 'transaction' as const, id: of, reason: 'mention', askedAt });
  await requestRefresh(database.db, [named(id), named('tx_nobody')]);
  await older('16 minutes');
  const { proof } = await at.run('transactions');
  expect(proof).toMatchObject({ unknownToFeed: { count: 1, ids: ['tx_nobody'] } });
  expect(await database.db('reading_marks')).toEqual([]);
  expect(Number((await database.db('transactions').where({ id }).first()).poll_from)).toBeGreaterThan(
    Number(poll_from),
  );
});
