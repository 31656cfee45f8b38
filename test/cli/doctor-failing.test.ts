import { afterEach, describe, expect, it } from 'vitest';
import { checkEndpoint } from '../../src/wiring/doctor/check-service.js';
import { examine } from '../../src/wiring/doctor/examine.js';
import { useDatabase } from '../support/database.js';
import { isAll } from '../support/sizes.js';
import { HASTY, partsFor, send, startService } from './doctor-service.js';

const database = useDatabase();
const running: { close: () => Promise<unknown> }[] = [];

afterEach(async () => {
  for (const service of running.splice(0)) await service.close();
});

type Answers = Parameters<typeof startService>[0];

async function examined(answers: Answers, retryPolicy?: typeof HASTY) {
  const service = await startService(answers);
  running.push(service);
  const diagnosis = await examine(partsFor(database.db, service.url, {}, retryPolicy));
  const ofService = diagnosis.items.filter(({ name }) =>
    /^(service|clock|key|account|endpoint|contract .*)$/.test(name),
  );
  const of = (status: string) =>
    ofService.filter((check) => check.status === status).map(({ name, found }) => `${name}: ${found}`);
  return { ...diagnosis, asked: service.asked, findings: of('finding'), unknown: of('unknown'), ok: of('ok') };
}

const OURS = {
  id: 'we_1',
  url: 'https://shop.example.com/webhooks',
  isActive: true,
  createdAt: '2026-10-01T00:00:00Z',
  events: ['payment_intent.completed', 'payout.failed', 'wallet_account.*'],
};
const endpoints = (...given: object[]): Answers => ({
  '/v1/webhook-endpoints': () => given.map((one) => ({ ...OURS, ...one })),
});
/** Newest first; the list pages, and filters by everything that the default contract names. */
const rows = (n: number, fields: object = {}) =>
  Array.from({ length: n }, (_, index) => ({ id: `r_${index}`, status: 'active', ...fields }));
const MOVED = { accountId: 'r_0', assetCode: 'BTC', type: 'deposit', amount: '1', feeAmount: '0' };
const TRANSACTION = { ...MOVED, createdAt: '2026-10-01T00:00:00Z', counterpartyAccountId: null };
const listOf =
  (n: number, fields: object = {}): NonNullable<Answers>[string] =>
  ({ query }) => {
    const all = rows(n, fields);
    const cursor = query.get('cursor');
    const from = cursor === null ? 0 : all.findIndex(({ id }) => id === cursor) + 1;
    const status = query.get('status');
    const others = 'search merchantReference from to assetCode productId posTerminalId invoiceId'.split(' ');
    if (others.some((name) => query.has(name)) || (status !== null && status !== 'active')) return [];
    return all.slice(from, from + Number(query.get('take') ?? 20));
  };

describe('a service with little in it', () => {
  // What one says that holds nothing, or much: doctor.test.ts.
  it.each(isAll ? [0, 1, 2] : [1])('is no finding: %i of everything; what --json prints keeps its form', async (n) => {
    const list = listOf(n);
    const { findings, ok, items, suggestedContract, suggestedEventIdPointer } = await examined({
      ...endpoints({}),
      ...Object.fromEntries(
        ['payment-intents', 'invoices', 'accounts', 'payouts', 'accounts/r_0/transactions'].map((one) => [
          `/v1/${one}`,
          list,
        ]),
      ),
      '/v1/accounts/transactions': (request) => {
        const { query, response } = request;
        const page = Number(query.get('page') ?? 0);
        if (page > 0) response.setHeader('X-Total-Count', n);
        return page > 1 ? [] : listOf(n, TRANSACTION)(request);
      },
      '/v1/payments/payins/tallyhook-probe': ({ response }) =>
        send(response, 404, { code: 'NOT_FOUND', message: 'no such deposit' }),
    });
    expect(findings).toEqual([]);
    expect(ok.join('\n')).toContain('endpoint: we_1 is active');
    expect([suggestedContract, suggestedEventIdPointer]).toEqual([null, null]);
    expect(items.filter(({ name }) => ['key', 'endpoint'].includes(name)).map(({ status }) => status)).toEqual([
      'unknown',
      'ok',
    ]);
    for (const item of items) {
      expect(Object.keys(item).toSorted()).toEqual(['found', 'name', 'remedy', 'status']);
      expect(['ok', 'finding', 'unknown']).toContain(item.status);
      if (item.status === 'finding') expect(item.remedy).toBeTypeOf('string');
    }
  });
});

describe('a probe that fails', () => {
  const failures: [string, NonNullable<Answers>[string], RegExp][] = [
    ['404', ({ response }) => send(response, 404, { code: 'NO', message: 'none' }), /404/],
    ['403', ({ response }) => send(response, 403, { code: 'NO', message: 'none' }), /403/],
    ['429', ({ response }) => send(response, 429, {}, { 'Retry-After': '0' }), /too many calls/],
    ['500', ({ response }) => send(response, 500, {}), /500/],
    ['a page of a proxy', ({ response }) => void response.end('<html>'), /an HTML or XML page/],
    ['a hang', () => undefined, /no whole answer|no good answer/],
    ['a wrong form', () => 'text', /not an? (array|object)|no list/],
  ];

  it.each(isAll ? failures : failures.filter(([what]) => ['403', 'a hang', 'a wrong form'].includes(what)))(
    'by %s leaves the others, and is undetermined for that reason, never ok',
    async (what, answer, why) => {
      // Also why there is no sub-wallet to ask about, and no event to compare.
      const paths = ['accounts', 'accounts/transactions', 'invoices', 'webhook-endpoints/deliveries'];
      const { ok, unknown, items } = await examined(
        { ...endpoints({}), ...Object.fromEntries(paths.map((path) => [`/v1/${path}`, answer])) },
        what === 'a hang' ? HASTY : undefined,
      );
      const checks = items.filter(({ name }) => ['event id', 'retries'].includes(name));
      expect(checks).toEqual(checks.map(() => expect.objectContaining({ status: 'unknown' }) as object));
      expect(checks.map(({ found }) => found).join('\n')).toMatch(why);
      for (const operation of [
        'listTransactions',
        'listInvoices',
        'listAccountTransactions',
        'listWebhookDeliveries',
      ]) {
        expect(ok.join('\n')).not.toContain(`contract ${operation}`);
        expect(unknown.filter((line) => line.includes(`contract ${operation}`)).join('\n')).toMatch(why);
      }
      expect(items.map(({ name }) => name)).toEqual(expect.arrayContaining(['endpoint', 'event id', 'retries']));
    },
  );

  it.each(isAll ? [403, 404, 429, 500] : [404])(
    'of the first list by %i is a finding, and the rest is examined',
    async (status) => {
      const { findings, items } = await examined({
        ...endpoints({}),
        '/v1/payment-intents': ({ response }) => send(response, status, {}, { 'Retry-After': '0' }),
      });
      expect(findings.join()).toContain(String(status));
      expect(items.map(({ name }) => name)).toContain('contract listInvoices.merchantReference');
    },
  );

  it.each([500, 503])('of everything by %i is one finding, and nothing else is asked', async (status) => {
    const { items, findings, asked } = await examined({ '*': ({ response }) => send(response, status, {}) });
    expect(findings).toEqual([expect.stringMatching(`^service: The service does not answer\\. .* status ${status}`)]);
    const unknown = items.filter(({ status: of }) => of === 'unknown');
    expect(unknown.filter(({ because }) => because === undefined).map(({ name }) => name)).toContain('key');
    const unasked = unknown.filter(({ found }) => found === 'not asked: The service does not answer');
    expect(unasked.map(({ name }) => name)).toEqual(expect.arrayContaining(['endpoint', 'clock', 'event id']));
    expect(unasked.filter(({ because }) => because !== 'The service does not answer')).toEqual([]);
    const [cause] = items.filter(({ name }) => name === 'service');
    const words = `${unasked.length} checks are not made, which ask the service: clock, account, endpoint, contract`;
    expect([unasked.length > 50, cause?.follows]).toEqual([true, [words]]);
    expect(new Set(asked.map(({ path }) => path))).toEqual(new Set(['/v1/payment-intents', '/v1/invoices']));
  });

  it('of the key ends the questions: nothing else could be known', async () => {
    const { findings, asked, items } = await examined({ '*': ({ response }) => send(response, 401, {}) });
    expect(findings).toEqual([
      expect.stringMatching(/^key: The service refuses our key\. .*the API key is not accepted/),
    ]);
    expect(new Set(asked.map(({ path }) => path))).toEqual(new Set(['/v1/payment-intents']));
    const why = { status: 'unknown', because: 'The service refuses our key' };
    expect(items.filter(({ name }) => name === 'event id')).toMatchObject([why]);
  });

  it('when the key is revoked in the middle says so of every question after it', async () => {
    let calls = 0;
    const { ok, unknown } = await examined({
      '*': ({ response }) => {
        calls += 1;
        return calls > 2 ? send(response, 401, {}) : [];
      },
    });
    expect(ok.filter((line) => line.startsWith('contract'))).toEqual([]);
    expect(unknown.filter((line) => line.includes('the API key is not accepted')).length).toBeGreaterThan(20);
  });

  it('because the service wants minutes of quiet ends the questions', async () => {
    const { asked, unknown } = await examined({
      ...endpoints({}),
      '/v1/public/assets': ({ response }) => send(response, 429, {}, { 'Retry-After': '120' }),
    });
    expect(asked.length).toBeLessThan(6);
    expect(unknown.join('\n')).toContain('the service wants 120 s of quiet');
  });
});

describe('what doctor asks', () => {
  it('is read, never written, and bounded', async () => {
    const { asked, unknown } = await examined({
      ...endpoints({}),
      '/v1/public/assets': () => [{ assetCode: 'BTC' }],
      // Knows no parameter at all: every name is tried.
      '*': ({ path }) => (path.endsWith('deliveries') ? { items: rows(3), nextCursor: 'c' } : rows(3)),
    });
    expect(new Set(asked.map(({ method }) => method))).toEqual(new Set(['GET']));
    expect(asked.length).toBeLessThanOrEqual(803);
    expect(unknown.filter((line) => line.includes('too little')).length).toBeLessThan(3);
  });
});

describe('a value that is refused', () => {
  it('says nothing against a name that the service knows', async () => {
    const { findings, ok } = await examined({
      ...endpoints({}),
      '/v1/payment-intents': ({ query, response }) => {
        if (query.has('productId')) return send(response, 400, { message: 'productId must be a UUID' });
        return query.has('assetCode') ? [] : rows(3, { status: 'completed' });
      },
    });
    expect(ok).toContain('contract listPaymentIntents.productId: the service uses "productId"');
    expect(findings.join('\n')).not.toContain('productId');
    expect(findings.join('\n')).toContain('posTerminalId');
  });

  it('by a service that refuses unknown names, in other words, is undetermined', async () => {
    const { findings, unknown } = await examined({
      ...endpoints({}),
      '/v1/payment-intents': ({ query, response }) => {
        const known = ['take', 'cursor', 'status', 'assetCode', 'productId', 'posTerminalId', 'invoiceId'];
        for (const name of query.keys()) {
          if (!known.includes(name)) return send(response, 400, { message: `property ${name} should not exist` });
          if (name.endsWith('Id')) return send(response, 400, { message: `${name} must be a UUID` });
        }
        return query.has('assetCode') || query.has('status') ? [] : rows(3, { status: 'completed' });
      },
    });
    expect(findings.filter((line) => line.includes('listPaymentIntents'))).toEqual([]);
    expect(unknown.filter((line) => line.includes('the probe’s value is refused'))).toHaveLength(3);
  });
});

describe('our endpoint', () => {
  const only = async (answers: Answers, env: Record<string, string> = {}) => {
    const service = await startService(answers);
    running.push(service);
    const checks = await checkEndpoint(partsFor(database.db, service.url, env));
    return checks.filter(({ name }) => name === 'endpoint');
  };

  it.each([
    ['https://shop.example.com/webhooks', 'https://shop.example.com/webhooks', 'ok'],
    ['https://shop.example.com/webhooks/', 'https://SHOP.example.com:443/webhooks', 'ok'],
    ['https://other.example.com/webhooks', 'https://shop.example.com/webhooks', 'finding'],
    ['https://shop.example.com/other', undefined, 'finding'],
    ['https://any.example.com/webhooks', undefined, 'ok'],
    ['no address', undefined, 'finding'],
  ])('%s with WEBHOOK_PUBLIC_URL %s', async (url, publicUrl, status) => {
    const checks = await only(endpoints({ url }), publicUrl === undefined ? {} : { WEBHOOK_PUBLIC_URL: publicUrl });
    expect(checks.map((check) => check.status)).toEqual([status]);
  });

  it('that is inactive is a finding, but not beside another that is active: a secret is being changed', async () => {
    expect(await only(endpoints({ isActive: false }))).toMatchObject([{ status: 'finding' }]);
    const both = await only(endpoints({ id: 'we_2' }, { isActive: false }));
    expect(both.map(({ status }) => status)).toEqual(['ok', 'ok']);
  });

  it.each<[string, string[], string, RegExp]>([
    ['nothing', [], 'finding', /not subscribed to payment_intent.completed, payout.failed, /],
    ['another event of payments', ['payment_intent.created'], 'finding', /payment_intent.completed/],
    ['everything', ['*'], 'ok', /subscribed to 1 event types$/],
    ['all of payments', ['payment_intent.*'], 'finding', /to payout.failed, wallet_account.deposit.completed/],
    ['what is needed', OURS.events, 'ok', /subscribed to 3 event types$/],
  ])('subscribed to %s', async (_, events, status, found) => {
    expect(await only(endpoints({ events }))).toMatchObject([
      { status, found: expect.stringMatching(found) as string },
    ]);
  });

  it('is subscribed together with another of ours', async () => {
    const events = [['payment_intent.*'], ['payout.*', 'wallet_account.*']];
    const both = await only(endpoints({ events: events[0] }, { id: 'we_2', events: events[1] }));
    expect(both.map(({ status }) => status)).toEqual(['ok', 'ok']);
  });

  it('whose events are not shown is undetermined', async () => {
    expect(await only(endpoints({ events: null }))).toMatchObject([{ status: 'unknown' }]);
  });
});
