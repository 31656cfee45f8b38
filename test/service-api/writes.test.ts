import nock from 'nock';
import { describe, expect, it, vi } from 'vitest';
import { toJsonText } from '../../src/domain/json.js';
import { MemoryKeyStore } from '../../src/service-api/key-store.js';
import {
  ContractViolationError,
  ForbiddenError,
  InvalidRequestError,
  NotFoundError,
  OutcomeUnknownError,
  RefusalError,
  RefusedError,
  TooLateError,
  UnauthorizedError,
  UnavailableError,
} from '../../src/service-api/service-errors.js';
import type { Answered } from '../../src/service-api/service-writes.js';
import { made, noting, PAYOUTS, patch, payout, post, seen, useScriptedWrites } from './scripted-writes.js';
import { API_KEY, BASE_URL, rejection, testClient } from './test-client.js';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

useScriptedWrites();

describe('each call that writes', () => {
  const transfer = { assetCode: 'BTC', amount: '1', toOperating: true };
  it.each([
    ['4.1', 'POST', '/v1/payment-intents/direct', { requestedCoin: 'BTC', amount: '1', customer: {} }, { id: 'pi_1' }],
    ['4.2', 'POST', '/v1/invoices', { customerEmail: 'a@b.c', amount: '1', currency: 'EUR' }, { id: 'inv_1' }],
    ['4.4', 'POST', PAYOUTS, payout, made],
    ['4.5', 'POST', '/v1/payouts/refund', { paymentIntentId: 'pi_1' }, made],
    ['4.6', 'POST', '/v1/accounts/acc_1/transfers', transfer, { status: 'executed' }],
    ['4.7', 'PATCH', '/v1/accounts/acc_1', { label: 'Ann' }, { id: 'acc_1' }],
    ['4.8', 'POST', '/v1/accounts/acc_1/close', undefined, { id: 'acc_1' }],
    ['4.9', 'POST', '/v1/accounts/acc_1/archive', undefined, { id: 'acc_1' }],
    [
      '4.13',
      'PATCH',
      '/v1/merchant-assets/USDT.TRON',
      { isActive: false },
      { assetCode: 'USDT.TRON', isActive: false },
    ],
  ])('%s: %s %s sends what was given and nothing else', async (section, method, path, body, answer) => {
    const sent: { headers: Record<string, unknown>; body: unknown }[] = [];
    nock(BASE_URL)
      .intercept(path, method)
      .reply(function reply(_, given) {
        sent.push({ headers: this.req.headers, body: given });
        return [201, answer];
      });
    const client = testClient();
    const calls: Record<string, () => Promise<{ data: unknown }>> = {
      '4.1': () => client.createDirectPayment(body as never),
      '4.2': () => client.createInvoice(body as never),
      '4.4': () => client.createPayout('acc_1', body as never),
      '4.5': () => client.createRefund(body as never),
      '4.6': () => client.createTransfer('acc_1', body as never),
      '4.7': () => client.updateAccount('acc_1', body as never),
      '4.8': () => client.closeAccount('acc_1'),
      '4.9': () => client.archiveAccount('acc_1'),
      '4.13': () => client.updateMerchantAsset('USDT.TRON', body as never),
    };
    expect((await calls[section]?.())?.data).toEqual(answer);
    expect(sent).toHaveLength(1);
    expect(sent[0]?.body).toEqual(body ?? '');
    expect(sent[0]?.headers).toMatchObject({ authorization: `Bearer ${API_KEY}` });
    expect(sent[0]?.headers['content-type']).toBe(body === undefined ? undefined : 'application/json');
    const isKeyed = ['4.1', '4.4', '4.5', '4.6'].includes(section);
    expect(sent[0]?.headers['idempotency-key'] !== undefined).toBe(isKeyed);
  });

  it.each(['', undefined])('takes an answer without a body where the specification shows none', async (answer) => {
    post('/v1/accounts/acc_1/close').reply(answer === undefined ? 204 : 200, answer);
    expect((await testClient().closeAccount('acc_1')).data).toBeNull();
    post('/v1/accounts/acc_1/transfers').reply(answer === undefined ? 204 : 200, answer);
    const move = { assetCode: 'BTC', amount: '1', toOperating: true };
    expect((await testClient().createTransfer('acc_1', move)).data).toBeNull();
  });

  it.each([[[]], [true], ['ok'], [{ id: 7, amount: 1.5 }]])(
    'takes %j where the specification shows no body',
    async (answer) => {
      const client = testClient();
      const move = { assetCode: 'BTC', amount: '1', toOperating: true };
      post('/v1/accounts/acc_1/transfers').reply(201, JSON.stringify(answer));
      nock(BASE_URL).patch('/v1/accounts/acc_1').reply(200, JSON.stringify(answer));
      post('/v1/accounts/acc_1/close').reply(200, JSON.stringify(answer));
      post('/v1/accounts/acc_1/archive').reply(200, JSON.stringify(answer));
      const replies = [
        await client.createTransfer('acc_1', move),
        await client.updateAccount('acc_1', { label: 'x' }),
        await client.closeAccount('acc_1'),
        await client.archiveAccount('acc_1'),
      ];
      for (const { body } of replies) expect(JSON.parse(toJsonText(body))).toEqual(answer);
      expect(replies.map(({ data }) => data)).toEqual([null, null, null, null]);
    },
  );

  it.each([
    [401, UnauthorizedError],
    [403, ForbiddenError],
    [404, NotFoundError],
    [400, RefusedError],
    [409, RefusedError],
    [422, RefusedError],
  ])('that is answered with %i was refused, and is not sent again', async (status, type) => {
    post(PAYOUTS).reply(status, { code: 'NO', message: 'why' });
    const error = await rejection<RefusalError>(testClient().createPayout('acc_1', payout), type);
    expect(error).toMatchObject({ status, retryable: false, serviceCode: 'NO', autoSettlement: false });
    expect(error.remedy).not.toBe('');
  });

  it('says where the automatic settlement is to blame', async () => {
    post('/v1/payment-intents/direct').reply(422, { code: 'AUTO_SETTLEMENT_DESTINATION_UNUSABLE' });
    const body = { requestedCoin: 'BTC', amount: '1', customer: {}, autoSettlement: { enabled: true } };
    const error = await rejection(testClient().createDirectPayment(body), RefusedError);
    expect(error).toMatchObject({ autoSettlement: true, serviceCode: 'AUTO_SETTLEMENT_DESTINATION_UNUSABLE' });
  });

  it('says that it was done where the answer is not as promised', async () => {
    post(PAYOUTS).reply(201, { id: 'po_1', amount: 1.5 });
    const error = await rejection(testClient().createPayout('acc_1', payout), ContractViolationError);
    expect(error.message).toBe(
      'createPayout: done, but the answer breaks the contract at /amount: an amount is a decimal string',
    );
    expect(error.retryable).toBe(false);
  });

  it('is not taken for answered where not even the form is right', async () => {
    patch('/v1/merchant-assets/BTC').reply(200, []);
    const call = testClient().updateMerchantAsset('BTC', { isActive: false });
    expect((await rejection(call, ContractViolationError)).message).toContain('the answer is not an object');
  });

  it('follows no redirect, with a body or without', async () => {
    for (const status of [300, 302, 304]) {
      patch('/v1/accounts/acc_1').reply(status, '');
      const error = await rejection(testClient().updateAccount('acc_1', { label: 'x' }), OutcomeUnknownError);
      const message = `updateAccount: the answer is a redirect, which is not followed, status ${status}`;
      expect(error.cause).toMatchObject({ message });
    }
  });
});

describe('idempotency keys', () => {
  it('are made where there is none, another for each call, and travel in the header', async () => {
    post(PAYOUTS).times(2).reply(noting(201, made));
    const client = testClient();
    await client.createPayout('acc_1', payout);
    await client.createPayout('acc_1', payout);
    expect(seen.map(({ body }) => body)).toEqual([payout, payout]);
    expect(seen[0]?.key).toMatch(UUID);
    expect(seen[1]?.key).toMatch(UUID);
    expect(seen[0]?.key).not.toBe(seen[1]?.key);
  });

  it('stay where the caller put them', async () => {
    post(PAYOUTS).times(3).reply(noting(201, made));
    const client = testClient();
    await client.createPayout('acc_1', { ...payout, idempotencyKey: 'a-1' });
    await client.createPayout('acc_1', payout, { idempotencyKey: 'a-2' });
    await client.createPayout('acc_1', { ...payout, idempotencyKey: 'a-3' }, { idempotencyKey: 'a-3' });
    expect(seen).toEqual([
      { body: { ...payout, idempotencyKey: 'a-1' }, key: null },
      { body: payout, key: 'a-2' },
      { body: { ...payout, idempotencyKey: 'a-3' }, key: null },
    ]);
  });

  it('are refused where body and header differ, or break the rule of the call', async () => {
    const client = testClient();
    const both = client.createPayout('acc_1', { ...payout, idempotencyKey: 'a' }, { idempotencyKey: 'b' });
    expect((await rejection(both, InvalidRequestError)).message).toContain('idempotencyKey is given in the body and');
    const long = client.createPayout('acc_1', payout, { idempotencyKey: 'x'.repeat(121) });
    expect((await rejection(long, InvalidRequestError)).message).toContain('idempotencyKey is to be');
  });

  it('of a refund are those of the payment, in the body where a header can’t hold them', async () => {
    post('/v1/payouts/refund').times(2).reply(noting(201, made));
    await testClient().createRefund({ paymentIntentId: 'pi_1' });
    await testClient().createRefund({ paymentIntentId: 'pi ü' });
    expect(seen).toEqual([
      { body: { paymentIntentId: 'pi_1' }, key: 'refund-pi_1' },
      { body: { paymentIntentId: 'pi ü', idempotencyKey: 'refund-pi ü' }, key: null },
    ]);
  });

  it('are written down before anything is sent; where that fails, nothing is sent', async () => {
    const keyStore = new MemoryKeyStore();
    vi.spyOn(keyStore, 'begin').mockRejectedValue(new Error('disk full'));
    await rejection(testClient({ keyStore }).createPayout('acc_1', payout), OutcomeUnknownError);
  });

  it('stand for one request: another under the same key is refused here', async () => {
    post(PAYOUTS).reply(201, made);
    const client = testClient();
    await client.createPayout('acc_1', payout, { idempotencyKey: 'a' });
    const other = client.createPayout('acc_1', { ...payout, amount: '2' }, { idempotencyKey: 'a' });
    expect((await rejection(other, InvalidRequestError)).message).toBe(
      'createPayout: idempotencyKey "a" was used for another request; it made po_1',
    );
    const elsewhere = client.createPayout('acc_2', payout, { idempotencyKey: 'a' });
    await rejection(elsewhere, InvalidRequestError);
  });

  it('are never sent again later than ten minutes after their first use', async () => {
    let now = 0;
    const keyStore = new MemoryKeyStore(() => now);
    const client = testClient({ keyStore });
    post(PAYOUTS).times(2).reply(201, made);
    await client.createPayout('acc_1', payout, { idempotencyKey: 'a' });
    now = 400_000;
    await client.createPayout('acc_1', payout, { idempotencyKey: 'a' });
    now = 600_000;
    const late = client.createPayout('acc_1', payout, { idempotencyKey: 'a' });
    const error = await rejection(late, TooLateError);
    expect(error.message).toContain('too long ago for the service to be sure');
    expect(error).toMatchObject({ idempotencyKey: 'a', objectId: 'po_1' });
  });

  it('whose call was refused, or never reached the service, may be used again at any time', async () => {
    let now = 0;
    const client = testClient({ keyStore: new MemoryKeyStore(() => now), retryPolicy: { retries: 0 } });
    const create = (amount: string) => client.createPayout('acc_1', { ...payout, amount }, { idempotencyKey: 'a' });
    post(PAYOUTS).reply(400, { code: 'INSUFFICIENT_BALANCE' });
    await rejection(create('3'), RefusedError);
    post(PAYOUTS).replyWithError(Object.assign(new Error('refused'), { code: 'ECONNREFUSED', syscall: 'connect' }));
    await rejection(create('2'), UnavailableError);
    now = 10_000_000;
    post(PAYOUTS).reply(201, made);
    await create('1');
  });
});

describe('what the service answered', () => {
  it('is handed over before the call resolves, as it came', async () => {
    const answers: Answered[] = [];
    const client = testClient({ onAnswer: async (answered) => void answers.push(answered) });
    post(PAYOUTS).reply(201, { ...made, extra: 1 });
    patch('/v1/accounts/acc_1').reply(200, '');
    await client.createPayout('acc_1', payout);
    await client.updateAccount('acc_1', { label: 'Ann' });
    expect(answers).toMatchObject([
      { operation: 'createPayout', request: payout, reply: { data: made } },
      { operation: 'updateAccount', path: { id: 'acc_1' }, request: { label: 'Ann' }, reply: { data: null } },
    ]);
    expect(answers[0]?.reply.to).toBeGreaterThan(answers[0]?.reply.from ?? 0);
  });

  it('counts although it could not be taken in', async () => {
    const warn = vi.fn();
    const client = testClient({ onAnswer: () => Promise.reject(new Error('no database')), log: { warn } });
    warn.mockClear();
    post(PAYOUTS).reply(201, made);
    expect((await client.createPayout('acc_1', payout)).data.id).toBe('po_1');
    expect(warn).toHaveBeenCalledTimes(1);
  });
});

describe('memos', () => {
  it('are asked for, and refused, once the catalog was read', async () => {
    const assets = [
      { assetCode: 'XRP', memoRequired: true },
      { assetCode: 'USDT.TRON', memoRequired: false },
      { assetCode: 'BTC' },
    ];
    nock(BASE_URL).get('/v1/public/assets').reply(200, assets);
    post(PAYOUTS).times(3).reply(201, made);
    const client = testClient();
    await client.createPayout('acc_1', { ...payout, assetCode: 'XRP' });
    await client.listPublicAssets();
    const without = client.createPayout('acc_1', { ...payout, assetCode: 'XRP' });
    expect((await rejection(without, InvalidRequestError)).message).toContain('destinationMemo is required for XRP');
    const needless = client.createPayout('acc_1', { ...payout, destinationMemo: '7' });
    expect((await rejection(needless, InvalidRequestError)).message).toContain('destinationMemo is to be left out');
    await client.createPayout('acc_1', { ...payout, assetCode: 'XRP', destinationMemo: '7' });
    await client.createPayout('acc_1', { ...payout, assetCode: 'BTC', destinationMemo: '7' });
  });
});
