import nock from 'nock';
import { describe, expect, it, vi } from 'vitest';
import { MemoryKeyStore } from '../../src/service-api/key-store.js';
import { NotSentError, OutcomeUnknownError, UnavailableError } from '../../src/service-api/service-errors.js';
import { LOST, made, PAYOUTS, patch, payout, post, useScriptedWrites } from './scripted-writes.js';
import { rejection, testClient } from './test-client.js';

useScriptedWrites();

const key = { idempotencyKey: 'a' };
const invoice = { customerEmail: 'ann@example.com', amount: '1', currency: 'EUR' };
const reason = new Error('enough');

/** Every kind of call that changes something. */
const calls = [
  ['createPayout', (client: Client, signal: AbortSignal) => client.createPayout('acc_1', payout, { ...key, signal })],
  ['createInvoice', (client: Client, signal: AbortSignal) => client.createInvoice(invoice, { signal })],
  ['updateAccount', (client: Client, signal: AbortSignal) => client.updateAccount('acc_1', { label: 'x' }, { signal })],
] as const;
type Client = ReturnType<typeof testClient>;

const routes = () => [post(PAYOUTS), post('/v1/invoices'), patch('/v1/accounts/acc_1')];

describe.each(calls)('%s', (operation, call) => {
  it('aborted before it began says that nothing was sent', async () => {
    const error = await rejection(call(testClient(), AbortSignal.abort(reason)), NotSentError);
    expect(error).toMatchObject({ operation, cause: reason, message: `${operation}: not sent: enough` });
    expect(error.remedy).toContain('nothing was sent');
  });

  it('aborted while it waits for its turn, or for its key, says so too, and none is left to settle', async () => {
    for (const wait of ['turn', 'key']) {
      const stop = new AbortController();
      const keyStore = new MemoryKeyStore();
      const begin = keyStore.begin.bind(keyStore);
      vi.spyOn(keyStore, 'begin').mockImplementation((...given) => {
        if (wait === 'key') stop.abort(reason);
        return begin(...given);
      });
      const takeSlot = async () => stop.abort(reason);
      const client = testClient({ keyStore, takeSlot });
      expect((await rejection(call(client, stop.signal), NotSentError)).cause).toBe(reason);
      expect(await client.settleWrites()).toEqual([]);
    }
  });

  it('aborted in flight has an unknown outcome', async () => {
    const stop = new AbortController();
    for (const route of routes()) route.delay(60_000).reply(201, made);
    const before = nock.pendingMocks().length;
    const ended = rejection(call(testClient(), stop.signal), OutcomeUnknownError);
    await vi.waitFor(() => expect(nock.pendingMocks()).toHaveLength(before - 1));
    stop.abort(reason);
    const error = await ended;
    expect(error).toMatchObject({
      operation,
      cause: reason,
      idempotencyKey: operation === 'createPayout' ? 'a' : null,
    });
    expect(error.remedy).not.toContain('nothing was sent');
    nock.abortPendingRequests();
    nock.cleanAll();
  });

  it('stopped by its own time limit in flight has one as well', async () => {
    for (const route of routes()) route.delay(60_000).reply(201, made);
    const limit = AbortSignal.timeout(30);
    const error = await rejection(call(testClient(), limit), OutcomeUnknownError);
    expect(error.cause).toMatchObject({ name: 'TimeoutError' });
    nock.abortPendingRequests();
    nock.cleanAll();
  });
});

it('a call aborted before it was sent again is still of an unknown outcome: the first may have done it', async () => {
  const keyStore = new MemoryKeyStore();
  const client = testClient({ keyStore, retryPolicy: { retries: 0 } });
  LOST[0]?.[1](post(PAYOUTS));
  await rejection(client.createPayout('acc_1', payout, key), OutcomeUnknownError);
  const stop = new AbortController();
  const { signal } = stop;
  const again = testClient({ takeSlot: async () => stop.abort(reason), keyStore });
  const error = await rejection(again.createPayout('acc_1', payout, { ...key, signal }), OutcomeUnknownError);
  expect(error).toMatchObject({ idempotencyKey: 'a', cause: reason });
});

it('a call whose deadline passes before its turn comes was not sent', async () => {
  const client = testClient({ takeSlot: () => new Promise(() => {}), retryPolicy: { deadlineMs: 20 } });
  const error = await rejection(client.createPayout('acc_1', payout, key), UnavailableError);
  expect(error.unsent).toBe(true);
  expect(await client.settleWrites()).toEqual([]);
});

it('a read that is aborted ends with the reason of its signal', async () => {
  const signal = AbortSignal.abort(reason);
  await expect(testClient().listAccounts({}, { signal })).rejects.toBe(reason);
});
