import nock from 'nock';
import { describe, expect, it, vi } from 'vitest';
import { MemoryKeyStore } from '../../src/service-api/key-store.js';
import {
  OutcomeUnknownError,
  RateLimitedError,
  RefusalError,
  RefusedError,
} from '../../src/service-api/service-errors.js';
import type { Answered } from '../../src/service-api/service-writes.js';
import { LOST, made, noting, PAYOUTS, patch, payout, post, seen, useScriptedWrites } from './scripted-writes.js';
import { BASE_URL, rejection, testClient } from './test-client.js';

useScriptedWrites();

describe('a creating call whose answer is lost', () => {
  it.each(LOST)('by %s is repeated with the same key and the same body', async (_, lose) => {
    lose(post(PAYOUTS));
    post(PAYOUTS).reply(noting(200, made));
    const begin = vi.spyOn(MemoryKeyStore.prototype, 'begin');
    expect((await testClient().createPayout('acc_1', payout)).data).toEqual(made);
    expect(begin).toHaveBeenCalledTimes(1);
    expect(seen).toEqual([{ body: payout, key: begin.mock.calls[0]?.[0].key }]);
    begin.mockRestore();
  });

  it.each(LOST)('for good by %s leaves the outcome unknown, under a key that the error names', async (_, lose) => {
    for (let i = 0; i < 4; i++) lose(post(PAYOUTS));
    const call = testClient().createPayout('acc_1', payout, { idempotencyKey: 'a' });
    const error = await rejection(call, OutcomeUnknownError);
    expect(error).toMatchObject({ idempotencyKey: 'a', retryable: false });
    expect(error.until?.getTime()).toBeGreaterThan(Date.now() + 400_000);
    expect(error.remedy).toContain('never with another key');
    expect(error.cause).toBeInstanceOf(Error);
  });

  it('leaves the outcome unknown where a repetition is refused: the first may still be under way', async () => {
    post(PAYOUTS).reply(504, '');
    post(PAYOUTS).reply(400, { code: 'INSUFFICIENT_BALANCE' });
    const error = await rejection(testClient().createPayout('acc_1', payout), OutcomeUnknownError);
    expect(error.cause).toBeInstanceOf(RefusedError);
  });

  it('is settled by asking once more with the same key', async () => {
    const answers: Answered[] = [];
    const client = testClient({
      retryPolicy: { retries: 0 },
      onAnswer: async (answered) => void answers.push(answered),
    });
    post(PAYOUTS).reply(500, '');
    await rejection(client.createPayout('acc_1', payout, { idempotencyKey: 'a' }), OutcomeUnknownError);
    post(PAYOUTS).reply(noting(200, made));
    expect(await client.settleWrites()).toMatchObject([{ operation: 'createPayout', key: 'a', outcome: 'done' }]);
    expect(seen).toEqual([{ body: payout, key: 'a' }]);
    expect(answers).toMatchObject([{ operation: 'createPayout', path: { id: 'acc_1' }, reply: { data: made } }]);
    expect(await client.settleWrites()).toEqual([]);
  });

  it.each([
    [400, 'refused'],
    [404, 'refused'],
    [422, 'refused'],
    [401, 'unknown'],
    [403, 'unknown'],
    [409, 'unknown'],
    [429, 'unknown'],
    [500, 'unknown'],
  ])('and is then answered with %i is %s', async (status, outcome) => {
    const client = testClient({ retryPolicy: { retries: 0 } });
    post(PAYOUTS).reply(500, '');
    await rejection(client.createPayout('acc_1', payout), OutcomeUnknownError);
    post(PAYOUTS).reply(status, { code: 'NO' });
    expect(await client.settleWrites()).toMatchObject([{ outcome }]);
    if (outcome === 'unknown') post(PAYOUTS).reply(200, made);
    expect(await client.settleWrites()).toHaveLength(outcome === 'unknown' ? 1 : 0);
  });

  it('does not keep the others from being settled', async () => {
    const client = testClient({ retryPolicy: { retries: 0, failures: 50 } });
    for (const key of ['a', 'b', 'c']) {
      post(PAYOUTS).reply(500, '');
      await rejection(client.createPayout('acc_1', payout, { idempotencyKey: key }), OutcomeUnknownError);
    }
    post(PAYOUTS).matchHeader('Idempotency-Key', 'a').reply(409, '');
    post(PAYOUTS).matchHeader('Idempotency-Key', 'b').reply(201, made);
    post(PAYOUTS).matchHeader('Idempotency-Key', 'c').reply(500, '');
    const settled = await client.settleWrites();
    expect(settled.map(({ key, outcome }) => [key, outcome])).toEqual([
      ['a', 'unknown'],
      ['b', 'done'],
      ['c', 'unknown'],
    ]);
  });

  it('is given up, and never sent again, when it is too late', async () => {
    let now = 0;
    const client = testClient({ keyStore: new MemoryKeyStore(() => now), retryPolicy: { retries: 0 } });
    post(PAYOUTS).reply(500, '');
    await rejection(client.createPayout('acc_1', payout, { idempotencyKey: 'a' }), OutcomeUnknownError);
    now = 600_000;
    expect(await client.settleWrites()).toMatchObject([{ operation: 'createPayout', key: 'a', outcome: 'lost' }]);
    expect(await client.settleWrites()).toEqual([]);
  });

  it('with a TOTP code keeps no code, so it is given up', async () => {
    let now = 0;
    const keyStore = new MemoryKeyStore(() => now);
    const begin = vi.spyOn(keyStore, 'begin');
    const client = testClient({ keyStore, retryPolicy: { retries: 0 } });
    post(PAYOUTS).reply(500, '');
    await rejection(client.createPayout('acc_1', { ...payout, totpCode: '123456' }), OutcomeUnknownError);
    expect(JSON.stringify(begin.mock.calls)).not.toContain('123456');
    expect(await client.settleWrites()).toMatchObject([{ outcome: 'lost' }]);
    now = 200_000;
    expect(await client.settleWrites()).toEqual([]);
  });

  it('that the caller aborted has an unknown outcome, and is settled later', async () => {
    const stop = new AbortController();
    // One failure would keep the next call from being sent.
    const client = testClient({ retryPolicy: { failures: 1, openMs: 60_000 } });
    post(PAYOUTS).delay(10_000).reply(201, made);
    const call = client.createPayout('acc_1', payout, { signal: stop.signal, idempotencyKey: 'a' });
    await vi.waitFor(() => expect(nock.pendingMocks()).toEqual([]));
    stop.abort(new Error('enough'));
    const error = await rejection(call, OutcomeUnknownError);
    expect(error).toMatchObject({ idempotencyKey: 'a', cause: { message: 'enough' } });
    nock.abortPendingRequests();
    post(PAYOUTS).reply(201, made);
    expect(await client.settleWrites()).toMatchObject([{ key: 'a', outcome: 'done' }]);
  });

  it('that never left here has no unknown outcome, and never sent by settling', async () => {
    const takeSlot = vi.fn().mockRejectedValue(new Error('no turn'));
    const client = testClient({ takeSlot });
    await expect(client.createPayout('acc_1', payout)).rejects.toThrow('no turn');
    expect(await client.settleWrites()).toEqual([]);
  });

  it('leaves the outcome unknown where its end could not be written down', async () => {
    const keyStore = new MemoryKeyStore();
    vi.spyOn(keyStore, 'end').mockRejectedValue(new Error('gone'));
    post(PAYOUTS).reply(400, '');
    await rejection(testClient({ keyStore }).createPayout('acc_1', payout), OutcomeUnknownError);
    post(PAYOUTS).reply(201, made);
    expect((await testClient({ keyStore }).createPayout('acc_1', payout)).data).toEqual(made);
  });

  it('by a limit is repeated, and the outcome is known at the end: a limit does nothing', async () => {
    for (let i = 0; i < 4; i++) post(PAYOUTS).reply(429, '');
    await rejection(testClient().createPayout('acc_1', payout), RateLimitedError);
  });
});

describe('an invoice whose answer is lost', () => {
  const body = { customerEmail: 'ann@example.com', amount: '30.30', currency: 'EUR', merchantReference: 'ord-1' };
  const listed = { id: 'inv_1', customerEmail: 'Ann@example.com', amount: '30.3', currency: 'EUR' };
  const now = () => new Date().toISOString();
  const old = { ...listed, id: 'inv_0', createdAt: new Date(Date.now() - 600_000).toISOString() };
  const list = (...invoices: object[]) =>
    nock(BASE_URL)
      .get('/v1/invoices')
      .query({ take: '100' })
      .reply(200, [...invoices, old]);
  const unknown = () => rejection(testClient().createInvoice(body), OutcomeUnknownError);

  it.each(LOST)('by %s is searched for in the list and not sent again', async (_, lose) => {
    lose(post('/v1/invoices'));
    const others = [
      { ...listed, id: 'other amount', amount: '30.31', createdAt: now() },
      { ...listed, id: 'other customer', customerEmail: 'bob@example.com', createdAt: now() },
      { ...listed, id: 'other currency', currency: 'USD', createdAt: now() },
      { ...listed, id: 'other reference', merchantReference: 'ord-10', createdAt: now() },
      { ...listed, id: 'earlier', createdAt: new Date(Date.now() - 60_000).toISOString() },
    ];
    list(...others, { ...listed, createdAt: now() });
    expect((await testClient().createInvoice(body)).data.id).toBe('inv_1');
  });

  it('and is not in the list has an unknown outcome, after three polls', async () => {
    post('/v1/invoices').reply(500, '');
    for (let i = 0; i < 3; i++) list({ ...listed, amount: '1' });
    const error = await unknown();
    expect(error.message).toContain('its list shows no invoice it may be');
    expect(error).toMatchObject({ idempotencyKey: null, candidates: [] });
  });

  it('and appears in the list later is found', async () => {
    post('/v1/invoices').reply(500, '');
    list();
    list({ ...listed, createdAt: now() });
    expect((await testClient().createInvoice(body)).data.id).toBe('inv_1');
  });

  it('and may be one of two has an unknown outcome, and both are named', async () => {
    post('/v1/invoices').reply(500, '');
    list({ ...listed, createdAt: now() }, { ...listed, id: 'inv_2', createdAt: now() });
    const error = await unknown();
    expect(error.candidates.map(({ id }) => id)).toEqual(['inv_1', 'inv_2']);
    expect(error.remedy).toContain('before you create another');
  });

  it('and whose list can’t be read has an unknown outcome', async () => {
    post('/v1/invoices').reply(500, '');
    nock(BASE_URL).get('/v1/invoices').query(true).times(3).reply(401, '');
    await unknown();
  });

  it.each([
    [429, RateLimitedError],
    [400, RefusedError],
  ])('because of %i was refused, and is not sent again', async (status, type) => {
    post('/v1/invoices').reply(status, '', { 'Retry-After': '0' });
    await rejection<RefusalError>(testClient().createInvoice(body), type);
  });
});

describe('a call that ends in the same state however often it is sent', () => {
  it('is repeated, and its outcome is unknown where no answer comes at all', async () => {
    patch('/v1/accounts/acc_1').reply(500, '');
    patch('/v1/accounts/acc_1').reply(200, { id: 'acc_1', status: 'frozen' });
    const { data } = await testClient().updateAccount('acc_1', { status: 'frozen' });
    expect(data).toMatchObject({ status: 'frozen' });
    patch('/v1/merchant-assets/BTC').times(4).reply(502, '');
    const error = await rejection(testClient().updateMerchantAsset('BTC', { isActive: true }), OutcomeUnknownError);
    expect(error.remedy).toContain('send the same once more');
  });

  it('leaves the outcome unknown where its repetition is refused, since it may be closed by then', async () => {
    post('/v1/accounts/acc_1/close').reply(500, '');
    post('/v1/accounts/acc_1/close').reply(409, { code: 'ACCOUNT_CLOSED' });
    const error = await rejection(testClient().closeAccount('acc_1'), OutcomeUnknownError);
    expect(error.cause).toMatchObject({ serviceCode: 'ACCOUNT_CLOSED' });
  });
});
