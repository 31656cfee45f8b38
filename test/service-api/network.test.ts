import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { ContractViolationError, OutcomeUnknownError, UnavailableError } from '../../src/service-api/service-errors.js';
import { type Act, answer, type ScriptedService, startScriptedService } from './scripted-service.js';
import { rejection, testClient } from './test-client.js';

const services: ScriptedService[] = [];

async function startService(...acts: Act[]): Promise<ScriptedService> {
  const service = await startScriptedService(...acts);
  services.push(service);
  return service;
}

/** What the first call of a process loads takes longer than calls may here. */
beforeAll(async () => {
  const { url } = await startService(answer('[]'));
  await testClient({ baseUrl: url }).listPaymentIntents();
});

afterAll(() => Promise.all(services.map((service) => service.close())));

describe.concurrent('a network that fails', () => {
  it('gives up a call that is never answered, in each of its attempts', async () => {
    const service = await startService(() => {});
    // Long enough for the call to arrive on a busy machine.
    const retryPolicy = { attemptMs: 500, retries: 1 };
    const error = await rejection(
      testClient({ baseUrl: service.url, retryPolicy }).listPaymentIntents(),
      UnavailableError,
    );
    expect(error.message).toBe('listPaymentIntents: no whole answer within 500 ms');
    expect(service.requests).toHaveLength(2);
  });

  it('gives up an answer that begins and never ends', async () => {
    const service = await startService((_, response) => void response.writeHead(200).write('[{"id":'));
    const retryPolicy = { attemptMs: 60, retries: 0 };
    const error = await rejection(
      testClient({ baseUrl: service.url, retryPolicy }).listPaymentIntents(),
      UnavailableError,
    );
    expect(error.message).toContain('no whole answer within 60 ms');
  });

  it('gives the whole call up at its deadline, naming how the last attempt failed', async () => {
    const service = await startService(answer('', {}, 500), () => {});
    const retryPolicy = { deadlineMs: 1_500, attemptMs: 10_000 };
    const error = await rejection(
      testClient({ baseUrl: service.url, retryPolicy }).listPaymentIntents(),
      UnavailableError,
    );
    expect(error.message).toBe('listPaymentIntents: no good answer within 1500 ms');
    expect(error.cause).toMatchObject({ status: 500 });
  });

  it('asks again after a reset, and after an answer that broke off', async () => {
    const service = await startService(
      (request) => request.socket.resetAndDestroy(),
      (_, response) => {
        response.writeHead(200, { 'Content-Length': '100' });
        response.write('[', () => response.destroy());
      },
      answer('[]'),
    );
    await testClient({ baseUrl: service.url }).listPaymentIntents();
    expect(service.requests).toHaveLength(3);
  });

  it('names the cause of a reset', async () => {
    const service = await startService((request) => request.socket.resetAndDestroy());
    const client = testClient({ baseUrl: service.url, retryPolicy: { retries: 0 } });
    const error = await rejection(client.listPaymentIntents(), UnavailableError);
    expect(error.message).toMatch(/no answer \((ECONNRESET|UND_ERR_SOCKET)\)/);
    expect(error.cause).toBeInstanceOf(Error);
  });

  it('names a refused connection', async () => {
    const gone = await startScriptedService(answer('[]'));
    await gone.close();
    const client = testClient({ baseUrl: gone.url, retryPolicy: { retries: 0 } });
    const error = await rejection(client.listPaymentIntents(), UnavailableError);
    expect(error.message).toContain('ECONNREFUSED');
  });

  it('ends with the reason of the caller, whether it waits for an answer, a turn or a retry', async () => {
    const reason = new Error('enough');
    const service = await startService(() => {});
    const endless = (signal: AbortSignal) =>
      new Promise<void>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    const failing = await startService(answer('', {}, 500));
    const clients = [
      testClient({ baseUrl: service.url }),
      testClient({ baseUrl: service.url, takeSlot: endless }),
      testClient({ baseUrl: failing.url, retryPolicy: { pauseMs: 60_000, longestPauseMs: 60_000 } }),
    ];
    const stop = new AbortController();
    const calls = clients.map((client) => client.listPaymentIntents({}, { signal: stop.signal }));
    const ends = Promise.allSettled(calls);
    await vi.waitFor(() => expect(service.requests.length + failing.requests.length).toBe(2));
    stop.abort(reason);
    expect(await ends).toEqual(clients.map(() => ({ status: 'rejected', reason })));
  });

  it('lets all calls wait as long as Retry-After says: in seconds, in an HTTP date, on 503', async () => {
    const now = Date.now();
    const [date, inASecond] = [now, now + 1_000].map((ms) => new Date(ms).toUTCString()) as [string, string];
    const said: [number, string][] = [
      [429, '1'],
      [429, inASecond],
      [503, '1'],
    ];
    const waits = said.map(async ([status, retryAfter]) => {
      const service = await startService(
        answer('', { 'Retry-After': retryAfter, Date: date }, status),
        answer('[]', { Date: date }),
      );
      const warn = vi.fn();
      const client = testClient({ baseUrl: service.url, log: { warn } });
      const start = performance.now();
      const first = client.listPaymentIntents();
      const pausing = expect.objectContaining({ pauseMs: expect.any(Number) }) as unknown;
      await vi.waitFor(() => expect(warn).toHaveBeenCalledWith(pausing, expect.anything()));
      await Promise.all(
        [first, client.listPaymentIntents()].map(async (call) => {
          await call;
          expect(performance.now() - start).toBeGreaterThanOrEqual(990);
          expect(performance.now() - start).toBeLessThan(5_000);
        }),
      );
      expect(service.requests).toHaveLength(3);
    });
    await Promise.all(waits);
  });

  it('repeats a creating call that hangs, with the same key and body, and then does not know its outcome', async () => {
    const bodies: string[] = [];
    const service = await startService((request) => {
      request.on('data', (chunk) => void bodies.push(String(chunk)));
    });
    const client = testClient({ baseUrl: service.url, retryPolicy: { attemptMs: 500, retries: 2 } });
    const payout = { assetCode: 'BTC', amount: '1', destinationAddress: 'bc1q' };
    const error = await rejection(client.createPayout('acc_1', payout), OutcomeUnknownError);
    expect(error.cause).toBeInstanceOf(UnavailableError);
    const keys = service.requests.map(({ headers }) => headers['idempotency-key']);
    expect(keys).toEqual(Array.from({ length: 3 }, () => error.idempotencyKey));
    expect(bodies).toEqual(Array.from({ length: 3 }, () => JSON.stringify(payout)));
  });
});

describe('the size of an answer', () => {
  it('reads 10 MB', async () => {
    const filler = 'x'.repeat(100_000);
    const items = Array.from({ length: 105 }, (_, i) => ({ id: `pi_${i}`, filler }));
    const service = await startService(answer(JSON.stringify(items)));
    const { data } = await testClient({ baseUrl: service.url }).listPaymentIntents();
    expect(data).toHaveLength(105);
  });

  it('stops reading beyond its limit, also when a small answer decompresses to a large one', async () => {
    const bomb = gzipSync(Buffer.alloc(30 * 1024 * 1024, 0x20));
    const service = await startService((_, response) =>
      response.writeHead(200, { 'Content-Encoding': 'gzip' }).end(bomb),
    );
    const error = await rejection(testClient({ baseUrl: service.url }).listPaymentIntents(), ContractViolationError);
    expect(error.message).toBe('listPaymentIntents: an answer of more than 20971520 bytes, status 200');
    expect(service.requests).toHaveLength(1);
  });
});

describe('a creating call', () => {
  it.each([
    ['redirected', answer('', { Location: 'http://elsewhere.test' }, 303)],
    ['answered with more than can be read', answer(' '.repeat(2_000))],
  ])('that is %s has an unknown outcome, and not repeated', async (_, act) => {
    const service = await startService(act);
    const client = testClient({ baseUrl: service.url, bodyLimit: 1_000 });
    const error = await rejection(client.createRefund({ paymentIntentId: 'pi_1' }), OutcomeUnknownError);
    expect(error.cause).toBeInstanceOf(ContractViolationError);
    expect(service.requests).toHaveLength(1);
  });

  it('to where nobody listens has no unknown outcome', async () => {
    const gone = await startScriptedService(answer('{}'));
    await gone.close();
    const client = testClient({ baseUrl: gone.url, retryPolicy: { retries: 1 } });
    await rejection(client.createRefund({ paymentIntentId: 'pi_1' }), UnavailableError);
    expect(await client.settleWrites()).toEqual([]);
  });
});
