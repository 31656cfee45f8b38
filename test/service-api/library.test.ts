import nock from 'nock';
import { expect, it, vi } from 'vitest';
import { createKeyStore, MerchantClient, OutcomeUnknownError, SchemaError } from '../../src/index.js';
import { useDatabase } from '../support/database.js';
import { made, noting, PAYOUTS, payout, post, seen, useScriptedWrites } from './scripted-writes.js';
import { API_KEY, BASE_URL, rejection } from './test-client.js';

const database = useDatabase();
useScriptedWrites();

/** A process of a store: its client, and its end. */
async function store(): Promise<{ client: MerchantClient; close(): Promise<void> }> {
  const keyStore = await createKeyStore({ databaseUrl: database.url });
  const client = new MerchantClient({ baseUrl: BASE_URL, apiKey: API_KEY, keyStore, retryPolicy: { retries: 0 } });
  return { client, close: () => keyStore.close() };
}

it('a store’s own client keeps its calls where another process settles them', async () => {
  const first = await store();
  post(PAYOUTS).reply(500, '');
  const error = await rejection(first.client.createPayout('acc_1', payout), OutcomeUnknownError);
  await first.close();
  const second = await store();
  post(PAYOUTS).reply(noting(201, made));
  const settled = await second.client.settleWrites();
  expect(settled).toEqual([
    { operation: 'createPayout', key: error.idempotencyKey, outcome: 'done', objectIds: ['po_1'] },
  ]);
  expect(seen).toEqual([{ body: payout, key: error.idempotencyKey }]);
  await second.close();
  expect(nock.isDone()).toBe(true);
});

it('a client that keeps its calls to itself says so once; one with a store has nothing to say', async () => {
  const warn = vi.fn();
  const given = { baseUrl: BASE_URL, apiKey: API_KEY, log: { warn }, retryPolicy: { retries: 0 } };
  const alone = new MerchantClient(given);
  post(PAYOUTS).reply(201, made);
  await alone.createPayout('acc_1', payout);
  expect(warn.mock.calls).toEqual([
    [{ detail: expect.stringContaining('Tallyhook does not see them') }, 'creating calls kept in memory'],
  ]);
  const keyStore = await createKeyStore({ databaseUrl: database.url });
  expect(new MerchantClient({ ...given, keyStore })).toBeDefined();
  expect(warn).toHaveBeenCalledTimes(1);
  await keyStore.close();
});

it('a client without a log that keeps its calls to itself warns by the process', () => {
  const emitWarning = vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
  const client = new MerchantClient({ baseUrl: BASE_URL, apiKey: API_KEY });
  expect(client).toBeDefined();
  expect(emitWarning.mock.calls).toEqual([[expect.stringContaining('Tallyhook does not see them')]]);
  emitWarning.mockRestore();
});

it('a database without the schema is refused, before a call is lost in it', async () => {
  const databaseUrl = database.url.replace(/\/[^/?]+(\?|$)/, '/postgres$1');
  await expect(createKeyStore({ databaseUrl })).rejects.toThrow(SchemaError);
});
