import nock from 'nock';
import { beforeEach } from 'vitest';
import { withoutNetwork } from './no-network.js';
import { BASE_URL } from './test-client.js';

/** A payout that breaks no rule, and what the service answers to it. */
export const payout = { assetCode: 'USDT.TRON', amount: '1.50', destinationAddress: 'TAbc' };
export const made = { id: 'po_1', status: 'pending', amount: '1.5' };
export const PAYOUTS = '/v1/accounts/acc_1/payouts';

interface Seen {
  body: unknown;
  key: string | null;
}

/** What came to replies of `noting`, since the test began. */
export const seen: Seen[] = [];

export const post = (path: string) => nock(BASE_URL).post(path);
export const patch = (path: string) => nock(BASE_URL).patch(path);

/** Answers, and notes what came. */
export const noting = (status: number, answer: unknown, headers: Record<string, string> = {}) =>
  function reply(this: { req: { headers: Record<string, string | string[]> } }, _: string, body: unknown) {
    const key = this.req.headers['idempotency-key'];
    seen.push({ body, key: key === undefined ? null : String(key) });
    return [status, answer, headers] as [number, string, Record<string, string>];
  };

/** For every test of the file, as `withoutNetwork`; what was seen is of the test alone. */
export function useScriptedWrites(): void {
  withoutNetwork();
  beforeEach(() => {
    seen.length = 0;
    nock.emitter.removeAllListeners();
  });
}

/** Ways in which an answer is lost, so that nobody knows what came of the call. */
export const LOST: [string, (interceptor: nock.Interceptor) => void][] = [
  ['a reset', (to) => to.replyWithError(Object.assign(new Error('reset'), { code: 'ECONNRESET' }))],
  ['a 500', (to) => to.reply(500, 'oops')],
  ['a 504 of a proxy', (to) => to.reply(504, '<html>')],
  ['a 408', (to) => to.reply(408, '')],
  ['an HTML page under 200', (to) => to.reply(200, '<!doctype html>')],
  ['nothing under 201', (to) => to.reply(201, '')],
  ['half of the JSON', (to) => to.reply(201, '{"id":"po')],
];
