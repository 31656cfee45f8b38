import nock from 'nock';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  CircuitOpenError,
  ContractViolationError,
  ForbiddenError,
  NotFoundError,
  RateLimitedError,
  RefusedError,
  type ServiceError,
  UnauthorizedError,
  UnavailableError,
} from '../../src/service-api/service-errors.js';
import { withoutNetwork } from './no-network.js';
import { API_KEY, BASE_URL, rejection, testClient } from './test-client.js';

const PATH = '/v1/payment-intents';
const service = () => nock(BASE_URL).get(PATH);

withoutNetwork();
afterEach(() => void vi.useRealTimers());

describe('refusals', () => {
  it.each([
    [401, UnauthorizedError],
    [403, ForbiddenError],
    [404, NotFoundError],
    [400, RefusedError],
    [409, RefusedError],
    [422, RefusedError],
  ])('%i is not asked again, and carries what the service says of it', async (status, type) => {
    service().reply(status, { statusCode: status, code: 'SOME_CODE', message: `no, ${API_KEY}\u0007!` });
    const error = await rejection<ServiceError>(testClient().listPaymentIntents(), type);
    expect(error.message).toMatch(/^listPaymentIntents: .*/);
    expect(error.message).toContain(`status ${status} (SOME_CODE: no, [key] !)`);
    expect(error).toMatchObject({ status, retryable: false, serviceCode: 'SOME_CODE' });
  });

  it.each(['', '{}', '[]', '<html></html>', '{"code":', 'null', '{"message":["a","b"],"code":17}'])(
    'an error body of %j is read as far as it goes',
    async (body) => {
      service().reply(400, body);
      await rejection(testClient().listPaymentIntents(), RefusedError);
    },
  );

  it('reads the error where the contract says', async () => {
    service().reply(400, { error: { 'a/b': 'NESTED', text: 'why' } });
    const contract = { ...(await import('../../src/service-api/contract.js')).defaultContract };
    contract.error = { code: '/error/a~1b', message: '/error/text' };
    const error = await rejection(testClient({ contract }).listPaymentIntents(), RefusedError);
    expect(error).toMatchObject({ serviceCode: 'NESTED', serviceMessage: 'why' });
  });
});

describe('retries', () => {
  it('asks again after 5xx, a network error and a page that is no JSON, and takes a turn for each', async () => {
    const turns = vi.fn(() => Promise.resolve());
    const seen: (number | string)[] = [];
    service().reply(503, 'busy');
    service().replyWithError(Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' }));
    service().reply(200, '<!doctype html><h1>Bad gateway</h1>');
    service().reply(200, []);
    const client = testClient({
      takeSlot: turns,
      onRequest: ({ status, failure }) => void seen.push(status, failure?.message ?? 'answered'),
    });
    expect((await client.listPaymentIntents()).data).toEqual([]);
    expect(turns).toHaveBeenCalledTimes(4);
    const [busy, lost] = [expect.stringContaining('status 503'), expect.stringContaining('ECONNRESET')];
    expect(seen).toEqual([503, busy, 'no_answer', lost, 200, 'answered', 200, 'answered']);
  });

  it.each([500, 502, 503, 504, 599, 408])('gives up on %i after three retries', async (status) => {
    service().times(4).reply(status, '<html>');
    const error = await rejection(testClient().listPaymentIntents(), UnavailableError);
    expect(error).toMatchObject({ status, retryable: true, operation: 'listPaymentIntents' });
  });

  it.each([
    ['an HTML page', '<!DOCTYPE html><title>Maintenance</title>', 'an HTML or XML page, 41 bytes'],
    ['nothing', '', 'an empty body'],
    ['half of the JSON', '[{"id":"pi_1","sta', 'no JSON: a string without an end at position 14, 18 bytes'],
    ['a key twice', '[{"id":"a","id":"b"}]', 'a key that the object already has'],
    ['10,000 levels', `${'['.repeat(10_000)}${']'.repeat(10_000)}`, 'nesting deeper than 512'],
    ['bytes that are no text', Buffer.from([0x5b, 0xff, 0x5d]), 'no UTF-8 text, 3 bytes'],
  ])('says what it found in place of an answer: %s', async (_, body, found) => {
    service().times(4).reply(200, body);
    const error = await rejection(testClient().listPaymentIntents(), ContractViolationError);
    expect(error.message).toContain('listPaymentIntents: the answer is ');
    expect(error.message).toContain(found);
    expect(error.message).toContain('status 200');
    expect(error.message).not.toContain('Maintenance');
  });

  it('does not follow a redirect, which could carry the key away', async () => {
    service().reply(302, '', { Location: 'http://elsewhere.test/?token=secret' });
    const error = await rejection(testClient().listPaymentIntents(), ContractViolationError);
    expect(error.message).toContain('redirect');
    expect(error).toMatchObject({ status: 302, retryable: false });
  });

  it('keeps the pauses growing and jittered', async () => {
    const pauses: number[] = [];
    const log = {
      warn: (about: { pauseMs?: number }) => void (about.pauseMs !== undefined && pauses.push(about.pauseMs)),
    };
    service().times(4).reply(500);
    const retryPolicy = { pauseMs: 40, longestPauseMs: 100 };
    await rejection(testClient({ log, retryPolicy }).listPaymentIntents(), UnavailableError);
    const [first = 0, second = 0, third = 0] = pauses;
    expect(first).toBeGreaterThanOrEqual(20);
    expect(first).toBeLessThanOrEqual(40);
    expect(second).toBeGreaterThanOrEqual(40);
    expect(second).toBeLessThanOrEqual(80);
    expect(third).toBeGreaterThanOrEqual(50);
    expect(third).toBeLessThanOrEqual(100);
  });
});

describe('limits of the service', () => {
  it('does not wait longer than its limit, but says what was asked', async () => {
    service().reply(429, '', { 'Retry-After': '3600' });
    const error = await rejection(testClient().listPaymentIntents(), RateLimitedError);
    expect(error).toMatchObject({ status: 429, retryAfterMs: 3_600_000, retryable: true });
  });

  it.each([{}, { 'Retry-After': 'soon' }, { 'Retry-After': '-5' }, { 'Retry-After': '1.5' }])(
    'backs off by itself on 429 with %j',
    async (headers) => {
      service().reply(429, '', headers);
      service().reply(200, []);
      await testClient().listPaymentIntents();
    },
  );

  it('distinguishes a limit from an outage when retries run out', async () => {
    service().times(4).reply(429);
    const error = await rejection(testClient().listPaymentIntents(), RateLimitedError);
    expect(error.retryAfterMs).toBeNull();
  });
});

describe('the circuit', () => {
  const retryPolicy = { failures: 3, retries: 0, openMs: 2_000, longestOpenMs: 2_000 };
  /** The circuit reads the clock alone: it need not be waited for. */
  const afterwards = (ms: number) => vi.setSystemTime(Date.now() + ms);
  beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'] }));

  it('opens after failures in a row, sends nothing meanwhile, and closes with the first good answer', async () => {
    const client = testClient({ retryPolicy });
    service().times(3).reply(500);
    for (let i = 0; i < 3; i++) await rejection(client.listPaymentIntents(), UnavailableError);
    const error = await rejection(client.listPaymentIntents(), CircuitOpenError);
    expect(error).toMatchObject({ retryable: true, status: null });
    expect(error.cause).toBeInstanceOf(UnavailableError);
    service().times(2).reply(200, []);
    afterwards(2_000);
    for (let i = 0; i < 2; i++) await client.listPaymentIntents();
  });

  it('fails a call at once while it is open, without pauses and retries', async () => {
    const turns = vi.fn(() => Promise.resolve());
    const client = testClient({ retryPolicy: { failures: 2, openMs: 60_000, longestOpenMs: 60_000 }, takeSlot: turns });
    service().times(2).reply(500);
    await rejection(client.listPaymentIntents(), CircuitOpenError);
    expect(turns).toHaveBeenCalledTimes(3);
    await rejection(client.listPaymentIntents(), CircuitOpenError);
    expect(turns).toHaveBeenCalledTimes(4);
  });

  it('opens again when the first call after the pause fails', async () => {
    const client = testClient({ retryPolicy });
    service().times(4).reply(500);
    for (let i = 0; i < 3; i++) await rejection(client.listPaymentIntents(), UnavailableError);
    afterwards(2_000);
    expect((await rejection(client.listPaymentIntents(), UnavailableError)).status).toBe(500);
    await rejection(client.listPaymentIntents(), CircuitOpenError);
  });

  it('is not opened by refusals and limits, which are answers', async () => {
    const client = testClient({ retryPolicy });
    service().times(5).reply(404);
    service().times(5).reply(429);
    for (let i = 0; i < 5; i++) await rejection(client.listPaymentIntents(), NotFoundError);
    for (let i = 0; i < 5; i++) await rejection(client.listPaymentIntents(), RateLimitedError);
  });
});
