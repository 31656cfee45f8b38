import { createHash } from 'node:crypto';
import { beforeEach, describe, expect, it } from 'vitest';
import { MemoryKeyStore, type NotedOperation, type NotedWrite, settleOpen } from '../../src/service-api/key-store.js';
import { keptRequest, prepareKeyed } from '../../src/service-api/keyed-calls.js';

const payout = { assetCode: 'USDT.TRON', amount: '1.50', destinationAddress: 'TAbc' };
const path = { id: 'acc_1' };

describe('a creating call as it is written down', () => {
  it('has the key of its body, which is then sent as it is, or the one beside it, in the header', () => {
    const inBody = prepareKeyed('createPayout', { path, body: { ...payout, idempotencyKey: 'k' } });
    expect(inBody.request).toEqual({
      path,
      body: JSON.stringify({ ...payout, idempotencyKey: 'k' }),
      header: undefined,
    });
    const beside = prepareKeyed('createPayout', { path, body: payout, idempotencyKey: 'k' });
    expect(beside.request).toEqual({ path, body: JSON.stringify(payout), header: 'k' });
    expect([inBody.write.key, beside.write.key]).toEqual(['k', 'k']);
    expect(
      prepareKeyed('createPayout', { body: { ...payout, idempotencyKey: 'k' }, idempotencyKey: 'k' }).write.key,
    ).toBe('k');
    expect(() =>
      prepareKeyed('createPayout', { body: { ...payout, idempotencyKey: 'k' }, idempotencyKey: 'other' }),
    ).toThrow('they differ');
  });

  it.each(['two words', 'ключ', 'k\u007f'])('sends a key that no header holds in the body: %j', (idempotencyKey) => {
    const { request } = prepareKeyed('createRefund', { body: { paymentIntentId: 'pi_1' }, idempotencyKey });
    const body = JSON.stringify({ paymentIntentId: 'pi_1', idempotencyKey });
    expect(request).toEqual({ path: {}, body, header: undefined });
  });

  it('has a key of its own where none is given; a refund that of its payment, so that there is one', () => {
    const keys = [1, 2].map(() => prepareKeyed('createPayout', { body: payout }).write.key);
    expect(keys[0]).toMatch(/^[0-9a-f-]{36}$/);
    expect(keys[0]).not.toBe(keys[1]);
    const refund = prepareKeyed('createRefund', { body: { paymentIntentId: 'pi_1' } });
    expect([refund.write.key, refund.request.header]).toEqual(['refund-pi_1', 'refund-pi_1']);
  });

  it('is the same request as another by operation, path and body, whatever its key, code and order of fields', () => {
    const hash = (parts: Parameters<typeof prepareKeyed>[1]) => prepareKeyed('createPayout', parts).write.hash;
    const one = hash({ path, body: payout });
    expect(one).toBe(
      createHash('sha256')
        .update(
          '{"body":{"amount":"1.50","assetCode":"USDT.TRON","destinationAddress":"TAbc"},"operation":"createPayout","path":{"id":"acc_1"}}',
        )
        .digest('hex'),
    );
    const { assetCode, ...rest } = payout;
    expect(hash({ path, body: { ...rest, assetCode, idempotencyKey: 'k', totpCode: '123456' } })).toBe(one);
    expect(hash({ path: { id: 'acc_2' }, body: payout })).not.toBe(one);
    expect(hash({ path, body: { ...payout, amount: '1.5' } })).not.toBe(one);
  });

  it('is kept so that it can be sent again, but for one with a code, which is good for half a minute', () => {
    for (const idempotencyKey of ['k', 'two words']) {
      const { write, request } = prepareKeyed('createRefund', { body: { paymentIntentId: 'pi_1' }, idempotencyKey });
      expect(keptRequest(write.request ?? '')).toEqual(request);
    }
    const { write: kept, request: sent } = prepareKeyed('createPayout', { path, body: payout });
    expect(keptRequest(kept.request ?? '')).toEqual(sent);
    expect(prepareKeyed('createPayout', { body: { ...payout, totpCode: '123456' } }).write.request).toBeNull();
  });

  it('names what its record belongs to', () => {
    expect(prepareKeyed('createPayout', { path, body: payout }).write.links).toMatchObject({ accountId: 'acc_1' });
    expect(prepareKeyed('createRefund', { body: { paymentIntentId: 'pi_1' } }).write.links).toMatchObject({
      paymentIntentId: 'pi_1',
    });
  });
});

describe('keys that are kept in memory', () => {
  const limits = { leaseMs: 100, withinMs: 1_000 };
  const all: readonly NotedOperation[] = ['createPayout', 'createInvoice'];
  let now: number;
  let store: MemoryKeyStore;
  const write = (key: string, more: Partial<NotedWrite> = {}): NotedWrite => ({
    operation: 'createPayout',
    key,
    hash: 'h',
    request: '{}',
    ...more,
  });
  const begin = (key: string, more?: Partial<NotedWrite>) => store.begin(write(key, more), limits);
  const end = (key: string, ...how: [Parameters<MemoryKeyStore['end']>[1], (string | null)?]) =>
    store.end(write(key), how[0], how[1] ?? null);
  const claim = () => store.claim(all, limits);
  beforeEach(() => {
    now = 5_000;
    store = new MemoryKeyStore(() => now);
  });

  it('are begun once; a key of what made nothing is free again, also for another request', async () => {
    expect(await begin('k')).toEqual({ ok: true, again: false, age: 0 });
    now += 10;
    expect(await begin('k')).toEqual({ ok: true, again: true, age: 10 });
    for (const outcome of ['refused', 'unsent'] as const) {
      await end('k', outcome);
      expect(await begin('k', { hash: outcome })).toEqual({ ok: true, again: false, age: 0 });
      now += 10;
    }
    expect(await begin('k', { operation: 'createRefund' })).toMatchObject({ again: false });
  });

  it('are refused for another request, and for the same one when its time is over, with what it made', async () => {
    await begin('k');
    expect(await begin('k', { hash: 'other' })).toEqual({ ok: false, reason: 'other_request', objectId: null });
    await end('k', 'done', 'po_1');
    expect(await begin('k', { hash: 'other' })).toEqual({ ok: false, reason: 'other_request', objectId: 'po_1' });
    now += 1_000;
    expect(await begin('k')).toEqual({ ok: true, again: true, age: 1_000 });
    now += 1;
    expect(await begin('k')).toEqual({ ok: false, reason: 'expired', objectId: 'po_1' });
  });

  it('are another’s to settle while a call lasts, then whoever waited longest is claimed first', async () => {
    await begin('a');
    now += 1;
    await begin('b');
    now += 98;
    expect(await claim()).toBeNull();
    now += 1;
    expect(await claim()).toMatchObject({ key: 'a', age: 100, request: '{}' });
    expect(await claim()).toBeNull();
    now += 1;
    expect(await claim()).toMatchObject({ key: 'b', age: 100 });
    now += 100;
    expect([(await claim())?.key, (await claim())?.key]).toEqual(['a', 'b']);
    await end('b', 'unknown');
    expect((await claim())?.key).toBe('b');
    await end('b', 'done', 'po_1');
    now += 100;
    expect(await store.claim(['createRefund'], limits)).toBeNull();
    expect([(await claim())?.key, await claim()]).toEqual(['a', null]);
  });

  it('are claimed within their time, and then given up; those of which something is known are done', async () => {
    await begin('k');
    await begin('known');
    await end('known', 'unknown', 'po_1');
    now += 1_000;
    expect(await store.giveUp(all, limits)).toEqual([]);
    expect([(await claim())?.key, (await claim())?.key]).toEqual(['known', 'k']);
    now += 100;
    expect(await claim()).toBeNull();
    expect(await store.giveUp(['createRefund'], limits)).toEqual([]);
    expect((await store.giveUp(all, limits)).map(({ key }) => key)).toEqual(['k']);
    expect(await store.giveUp(all, limits)).toEqual([]);
    await end('k', 'unsent');
    expect(await begin('k')).toMatchObject({ ok: false, reason: 'expired' });
    expect(await begin('known')).toMatchObject({ ok: false, objectId: 'po_1' });
  });

  it('of what was done once stay done, whatever ends later; its request is not kept', async () => {
    await begin('k');
    await end('k', 'done', 'po_1');
    for (const outcome of ['refused', 'unsent', 'lost', 'unknown'] as const) await end('k', outcome);
    await end('nobody knows it', 'done');
    now += 200;
    expect(await begin('k')).toMatchObject({ ok: true, again: true });
    expect(await begin('k', { hash: 'other' })).toMatchObject({ objectId: 'po_1' });
    await begin('answered');
    await end('answered', 'unknown', 'po_3');
    await end('answered', 'refused');
    expect(await begin('answered', { hash: 'other' })).toMatchObject({ ok: false, objectId: 'po_3' });
    await begin('lost');
    await end('lost', 'lost');
    await end('lost', 'done', 'po_2');
    expect(await begin('lost', { hash: 'other' })).toMatchObject({ objectId: 'po_2' });
  });

  it('say which records other calls made, and how many that ask for the same are open', async () => {
    await begin('mine');
    await begin('same');
    await begin('other', { hash: 'x' });
    await begin('made');
    await end('made', 'done', 'po_1');
    await begin('answered', {});
    await end('answered', 'unknown', 'po_2');
    await begin('invoice', { operation: 'createInvoice' });
    expect(await store.rivals(write('mine'), ['po_1', 'po_2', 'po_3'])).toEqual({ made: ['po_1', 'po_2'], open: 1 });
    expect(await store.rivals(write('made'), ['po_1'])).toEqual({ made: [], open: 2 });
  });

  it('are ten thousand at most, the oldest forgotten first, but none whose outcome is unknown', async () => {
    await begin('open');
    await begin('done');
    await end('done', 'done', 'po_1');
    await begin('next');
    await end('next', 'done', 'po_2');
    for (let n = 3; n < 10_000; n += 1) await begin(`${n}`);
    expect(await begin('done', { hash: 'other' })).toMatchObject({ ok: false });
    await begin('one more');
    await begin('and another');
    expect(await begin('open', { hash: 'other' })).toMatchObject({ ok: false });
    expect(await begin('done')).toMatchObject({ again: false });
  });

  it('are handed out once in a round; those of unknown outcome wait for the next', async () => {
    for (const key of ['late', 'a', 'b']) await begin(key);
    now += 1_001;
    for (const key of ['a', 'b']) await end(key, 'unsent');
    for (const key of ['a', 'b']) await begin(key);
    now += 100;
    const round: string[] = [];
    const about = { operations: all, limits };
    const settle = async ({ key }: NotedWrite) => {
      now += 1;
      await store.end(write(key), 'unknown', null);
      return { outcome: 'unknown', objectIds: [] } as const;
    };
    for await (const { key, outcome } of settleOpen(store, { ...about, signal: undefined }, settle))
      round.push(`${key} ${outcome}`);
    expect(round).toEqual(['late lost', 'a unknown', 'b unknown']);
    expect(new Set([(await claim())?.key, (await claim())?.key])).toEqual(new Set(['a', 'b']));
    const stop = AbortSignal.abort(new Error('stopped'));
    await expect(settleOpen(store, { ...about, signal: stop }, settle).next()).rejects.toThrow('stopped');
  });
});
