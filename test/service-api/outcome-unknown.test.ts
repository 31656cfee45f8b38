import { describe, expect, it, vi } from 'vitest';
import { MemoryKeyStore } from '../../src/service-api/key-store.js';
import {
  ForeignAnswerError,
  InvalidRequestError,
  OutcomeUnknownError,
  RefusedError,
  TooLateError,
  UnavailableError,
} from '../../src/service-api/service-errors.js';
import type { Answered } from '../../src/service-api/service-writes.js';
import { made, noting, PAYOUTS, payout, post, seen, useScriptedWrites } from './scripted-writes.js';
import { rejection, testClient } from './test-client.js';

useScriptedWrites();

const DIRECT = '/v1/payment-intents/direct';
const direct = { requestedCoin: 'BTC', amount: '1', customer: {}, merchantReference: 'ord-1' };
const key = { idempotencyKey: 'a' };
const once = { retries: 0, failures: 50 };
const networkError = (code: string, syscall?: string) => Object.assign(new Error(code), { code, syscall });

describe('what proves that a call made nothing', () => {
  it.each(['EHOSTUNREACH', 'ENETUNREACH', 'ECONNREFUSED'])('is not %s on a connection that stood', async (code) => {
    const client = testClient({ retryPolicy: once });
    post(PAYOUTS).replyWithError(networkError(code, 'read'));
    const error = await rejection(client.createPayout('acc_1', payout, key), OutcomeUnknownError);
    expect(error.idempotencyKey).toBe('a');
    post(PAYOUTS).replyWithError(networkError(code, 'connect'));
    await rejection(client.createPayout('acc_1', payout, { idempotencyKey: 'b' }), UnavailableError);
  });

  it.each(['ENOTFOUND', 'EAI_AGAIN', 'UND_ERR_CONNECT_TIMEOUT'])('is %s: no connection came about', async (code) => {
    const client = testClient({ retryPolicy: once });
    post(PAYOUTS).replyWithError(networkError(code));
    const error = await rejection(client.createPayout('acc_1', payout, key), UnavailableError);
    expect(error.message).toBe(`createPayout: no answer (${code})`);
    expect(await client.settleWrites()).toEqual([]);
  });

  it('is no error without a code: it is said without one', async () => {
    const client = testClient({ retryPolicy: once });
    post(PAYOUTS).replyWithError(new Error('odd'));
    const error = await rejection(client.createPayout('acc_1', payout, key), OutcomeUnknownError);
    expect(error.cause).toMatchObject({ message: 'createPayout: no answer' });
  });

  it.each([
    ['an HTML page', '<!doctype html>Forbidden', 'unknown'],
    ['nothing', '', 'unknown'],
    ['a list', '[]', 'unknown'],
    ['a word of the service', '{"code":"NO"}', 'refused'],
  ])('is, where a repetition is refused, only the service’s own word: %s', async (_, body, outcome) => {
    const client = testClient({ retryPolicy: once });
    post(PAYOUTS).reply(500, '');
    await rejection(client.createPayout('acc_1', payout, key), OutcomeUnknownError);
    post(PAYOUTS).reply(404, body);
    expect(await client.settleWrites()).toMatchObject([{ key: 'a', outcome }]);
  });

  it('is not the refusal of a key under which something was made', async () => {
    let now = 0;
    const client = testClient({ keyStore: new MemoryKeyStore(() => now), retryPolicy: once });
    post(PAYOUTS).reply(201, made);
    await client.createPayout('acc_1', payout, key);
    post(PAYOUTS).reply(422, { code: 'INSUFFICIENT_BALANCE' });
    await rejection(client.createPayout('acc_1', payout, key), RefusedError);
    now = 600_000;
    const late = await rejection(client.createPayout('acc_1', payout, key), TooLateError);
    expect(late.message).toContain('it made po_1');
    const other = client.createPayout('acc_1', { ...payout, amount: '9' }, key);
    await rejection(other, InvalidRequestError);
  });

  it('is no failure of our own after the answer', async () => {
    let now = 0;
    const onRequest = vi.fn(() => {
      throw new Error('no metrics');
    });
    const client = testClient({ keyStore: new MemoryKeyStore(() => now), retryPolicy: once, onRequest });
    post(PAYOUTS).reply(201, made);
    expect((await client.createPayout('acc_1', payout, key)).data).toEqual(made);
    now = 600_000;
    const late = await rejection(client.createPayout('acc_1', payout, key), TooLateError);
    expect(late.objectId).toBe('po_1');
    expect(onRequest).toHaveBeenCalledTimes(1);
  });

  it('is not that it could not be written down for sure: whoever repeats it needs the key', async () => {
    const keyStore = new MemoryKeyStore();
    vi.spyOn(keyStore, 'begin').mockRejectedValue(new Error('no answer of the database'));
    const error = await rejection(testClient({ keyStore }).createPayout('acc_1', payout), OutcomeUnknownError);
    expect(error.idempotencyKey).toBeTruthy();
    expect(error.cause).toMatchObject({ message: 'no answer of the database' });
  });
});

describe('an answer', () => {
  it.each(['{"status":"ok"}', '{"id":""}', '{"id":7}', '[]', '"fine"', 'null'])(
    'of %s is none of the service’s: the outcome of the call stays unknown',
    async (body) => {
      const client = testClient({ retryPolicy: once });
      post(PAYOUTS).reply(200, body);
      await rejection(client.createPayout('acc_1', payout, key), OutcomeUnknownError);
      post(PAYOUTS).reply(noting(201, made));
      expect(await client.settleWrites()).toMatchObject([{ key: 'a', outcome: 'done' }]);
      expect(seen).toEqual([{ body: payout, key: 'a' }]);
    },
  );

  it.each([
    ['destinationAddress', { destinationAddress: 'TXyz' }],
    ['assetCode', { assetCode: 'BTC' }],
    ['merchantReference', { merchantReference: 'w-2' }],
  ])('that has another %s is what the key stood for already, and is not taken for ours', async (field, other) => {
    const onAnswer = vi.fn(() => Promise.resolve());
    const client = testClient({ retryPolicy: once, onAnswer });
    post(PAYOUTS).reply(200, { ...made, ...other });
    const call = client.createPayout('acc_1', { ...payout, merchantReference: 'w-1' }, key);
    const error = await rejection(call, ForeignAnswerError);
    expect(error.message).toContain(`its ${field} is another`);
    expect(error).toMatchObject({ objectId: 'po_1', retryable: false });
    expect(onAnswer).not.toHaveBeenCalled();
    expect(await client.settleWrites()).toEqual([]);
  });

  it('that has another amount or reference than a direct payment asked for is not taken for ours', async () => {
    for (const other of [{ amountRequested: '2' }, { merchantReference: 'ord-2' }]) {
      post(DIRECT).reply(200, { id: 'pi_1', ...other });
      await rejection(testClient().createDirectPayment(direct), ForeignAnswerError);
    }
    post(DIRECT).reply(200, { id: 'pi_1', amountRequested: '1.00', merchantReference: 'ord-1' });
    await testClient().createDirectPayment(direct);
  });

  it('may write an address in other letters, and leave out what it likes', async () => {
    post(PAYOUTS).reply(201, { id: 'po_1', destinationAddress: 'TABC', merchantReference: null });
    await testClient().createPayout('acc_1', payout);
  });

  it('is handed over without the code that went with the request', async () => {
    const answers: Answered[] = [];
    const client = testClient({ onAnswer: async (answered) => void answers.push(answered) });
    post(PAYOUTS).reply(201, made);
    await client.createPayout('acc_1', { ...payout, totpCode: '123456' });
    expect(answers).toMatchObject([{ request: payout }]);
    expect(JSON.stringify(answers)).not.toContain('123456');
  });

  it('is handed over before it is written down as done; where that fails, it is asked for again', async () => {
    const onAnswer = vi.fn<(answered: Answered) => Promise<void>>().mockRejectedValueOnce(new Error('no database'));
    const client = testClient({ onAnswer, retryPolicy: once });
    post(PAYOUTS).reply(201, made);
    expect((await client.createPayout('acc_1', payout, key)).data).toEqual(made);
    post(PAYOUTS).reply(noting(200, made));
    expect(await client.settleWrites()).toMatchObject([{ outcome: 'done' }]);
    expect(onAnswer).toHaveBeenCalledTimes(2);
    expect(await client.settleWrites()).toEqual([]);
  });

  it('that could never be taken in does not count as lost: it is known what was made', async () => {
    let now = 0;
    const onAnswer = () => Promise.reject(new Error('no database'));
    const client = testClient({ onAnswer, keyStore: new MemoryKeyStore(() => now), retryPolicy: once });
    post(PAYOUTS).reply(201, made);
    await client.createPayout('acc_1', payout, key);
    now = 600_000;
    expect(await client.settleWrites()).toEqual([]);
  });
});

describe('how a call ended', () => {
  it.each<[string, number, unknown, object, [string, string | null]]>([
    ['done', 201, made, {}, ['done', 'po_1']],
    ['done, with a code', 201, made, { totpCode: '123456' }, ['done', 'po_1']],
    ['refused', 400, { code: 'NO' }, {}, ['refused', null]],
    ['unknown', 500, '', {}, ['unknown', null]],
    ['another’s', 200, { ...made, assetCode: 'BTC' }, {}, ['lost', null]],
  ])('is written down once: %s', async (_, status, answer, more, ending) => {
    const keyStore = new MemoryKeyStore();
    const end = vi.spyOn(keyStore, 'end');
    post(PAYOUTS).reply(status, answer as object);
    await testClient({ keyStore, retryPolicy: once })
      .createPayout('acc_1', { ...payout, ...more })
      .catch(() => {});
    expect(end.mock.calls.map(([, outcome, id]) => [outcome, id])).toEqual([ending]);
  });
});

describe('settling', () => {
  it('sends no key again after its ten minutes, though the process stood still meanwhile', async () => {
    const onRequest = vi.fn();
    const client = testClient({ retryPolicy: { ...once, retries: 1 }, onRequest });
    const clock = vi.spyOn(Date, 'now');
    post(PAYOUTS).reply(() => {
      clock.mockReturnValue(Date.now() + 601_000);
      return [500, ''];
    });
    await rejection(client.createPayout('acc_1', payout, key), OutcomeUnknownError);
    clock.mockRestore();
    expect(onRequest).toHaveBeenCalledTimes(1);
  });

  /** A call whose answer is lost, and whose end nobody could write down. */
  const lose = async (keyStore: MemoryKeyStore) => {
    const end = vi.spyOn(keyStore, 'end').mockRejectedValue(new Error('gone'));
    post(PAYOUTS).reply(500, '');
    const client = testClient({ keyStore, retryPolicy: once });
    await rejection(client.createPayout('acc_1', payout, key), OutcomeUnknownError);
    end.mockRestore();
    return client;
  };

  it('waits until a call can last no more: two minutes and a tenth', async () => {
    let now = 0;
    const client = await lose(new MemoryKeyStore(() => now));
    now = 131_999;
    expect(await client.settleWrites()).toEqual([]);
    now = 132_000;
    post(PAYOUTS).reply(201, made);
    expect(await client.settleWrites()).toMatchObject([{ key: 'a', outcome: 'done' }]);
  });

  it('counts the ten minutes from the first use of the key, not from when it was taken up again', async () => {
    let now = 0;
    const keyStore = new MemoryKeyStore(() => now);
    await lose(keyStore);
    now = 400_000;
    const onRequest = vi.fn();
    const client = testClient({ keyStore, retryPolicy: { ...once, retries: 1 }, onRequest });
    const clock = vi.spyOn(Date, 'now');
    post(PAYOUTS).reply(() => {
      clock.mockReturnValue(Date.now() + 201_000);
      return [500, ''];
    });
    expect(await client.settleWrites()).toMatchObject([{ outcome: 'unknown' }]);
    clock.mockRestore();
    expect(onRequest).toHaveBeenCalledTimes(1);
  });

  it('says which record another call made, and that ours is lost', async () => {
    let now = 0;
    const client = await lose(new MemoryKeyStore(() => now));
    now = 132_000;
    post(PAYOUTS).reply(200, { ...made, assetCode: 'BTC' });
    const lost = { operation: 'createPayout', key: 'a', outcome: 'lost', objectIds: ['po_1'] };
    expect(await client.settleWrites()).toEqual([lost]);
  });

  it('ends with the reason of whoever stops it', async () => {
    let now = 0;
    const client = await lose(new MemoryKeyStore(() => now));
    now = 132_000;
    const stop = new AbortController();
    post(PAYOUTS).reply(500, () => {
      stop.abort(new Error('enough'));
      return '';
    });
    await expect(client.settleWrites(stop.signal)).rejects.toThrow('enough');
  });

  it('says what came of the calls before its store failed', async () => {
    const keyStore = new MemoryKeyStore();
    const client = testClient({ keyStore, retryPolicy: once });
    post(PAYOUTS).reply(500, '');
    await rejection(client.createPayout('acc_1', payout, key), OutcomeUnknownError);
    post(PAYOUTS).reply(201, made);
    const claim = keyStore.claim.bind(keyStore);
    vi.spyOn(keyStore, 'claim').mockImplementationOnce(claim).mockRejectedValueOnce(new Error('no database'));
    expect(await client.settleWrites()).toMatchObject([{ key: 'a', outcome: 'done' }]);
  });
});
