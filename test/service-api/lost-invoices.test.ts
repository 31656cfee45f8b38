import { describe, expect, it, test } from 'vitest';
import type { Json, JsonObject } from '../../src/domain/json.js';
import { type Contract, defaultContract } from '../../src/service-api/contract.js';
import { isDated, seekInvoice } from '../../src/service-api/invoice-writes.js';
import { refusalOf } from '../../src/service-api/refusal-of.js';
import { inOurNames } from '../../src/service-api/service-calls.js';

const SENT = Date.parse('2026-03-01T12:00:00Z');
const asked = {
  customerEmail: 'ann@example.test',
  customerName: 'Ann',
  amount: '30.30',
  currency: 'EUR',
  assetCode: 'USDT.TRON',
  description: 'Mug',
  merchantReference: 'A-1',
};
const at = (ms: number) => ({ createdAt: new Date(SENT + ms).toISOString() });
const old = { id: 'old', ...at(-3_600_000) };

async function seek(pages: (Json | undefined)[][], lost: JsonObject = asked) {
  const queries: object[] = [];
  const read = async (query: object) => {
    queries.push(query);
    const data = (pages[queries.length - 1] ?? []) as Json;
    return { data, from: 0, to: queries.length, totalCount: null };
  };
  const { candidates, isWhole, reply } = await seekInvoice(read, { asked: lost, sentAt: SENT });
  return { ids: candidates.map(({ id }) => id), isWhole, calls: reply.to, queries };
}
const isIt = async (more: JsonObject, lost: JsonObject = asked) =>
  (await seek([[{ id: 'inv', ...asked, ...at(0), ...more }, old]], lost)).ids.length === 1;

describe('the invoice that a lost call may have made', () => {
  it('has its amount, however that is written', async () => {
    expect([await isIt({}), await isIt({ amount: '30.3' }), await isIt({ amount: '30.31' })]).toEqual([
      true,
      true,
      false,
    ]);
    expect([await isIt({ amount: null }), await isIt({ amount: '30,30' })]).toEqual([false, false]);
    expect(await isIt({ amount: 'x' }, { ...asked, amount: 'x' })).toBe(false);
  });

  it('is no older than the call, but for what clocks may differ; one that does not say may be it', async () => {
    expect([await isIt(at(-5_000)), await isIt(at(-5_001)), await isIt({ createdAt: null })]).toEqual([
      true,
      false,
      true,
    ]);
    expect([isDated(at(0)), isDated({}), isDated({ createdAt: 'soon' })]).toEqual([true, false, false]);
  });

  it('has its reference to the letter; what is not shown counts as equal', async () => {
    const { merchantReference: _, ...without } = asked;
    expect([await isIt({ merchantReference: 'a-1' }), await isIt({ merchantReference: null })]).toEqual([false, true]);
    expect(await isIt({ merchantReference: 'A-1' }, without)).toBe(false);
    expect(await isIt({ merchantReference: null }, without)).toBe(true);
  });

  it.each(['customerEmail', 'customerName', 'currency', 'assetCode', 'description'] as const)(
    'has its %s, but for case and space; what is not shown or was not given counts as equal',
    async (field) => {
      expect(await isIt({ [field]: ` ${asked[field].toUpperCase()} ` })).toBe(true);
      expect(await isIt({ [field]: null })).toBe(true);
      expect([await isIt({ [field]: 'another' }), await isIt({ [field]: {} })]).toEqual([false, false]);
      const { [field]: _, ...without } = asked;
      expect(await isIt({ [field]: 'filled in' }, without)).toBe(true);
      expect(
        await isIt({ [field]: asked[field].toLowerCase() }, { ...asked, [field]: `${asked[field].toUpperCase()} ` }),
      ).toBe(true);
    },
  );
});

describe('the list of invoices', () => {
  const one = (id: string, ms: number) => ({ id, ...asked, ...at(ms) });

  it('is read back to before the call', async () => {
    expect(
      await seek([
        [one('b', 9), one('a', 0)],
        [one('c', -5_000), one('d', -5_001)],
      ]),
    ).toEqual({
      ids: ['b', 'a', 'c'],
      isWhole: true,
      calls: 2,
      queries: [{ take: 100 }, { take: 100, cursor: 'a' }],
    });
    expect(await seek([[old]])).toMatchObject({ ids: [], isWhole: true, calls: 1 });
    expect(await seek([[one('a', 0)], []])).toMatchObject({ ids: ['a'], isWhole: true, calls: 2 });
    expect(await seek([['x', null, old]])).toMatchObject({ isWhole: true, calls: 1 });
  });

  it('is not whole where nothing follows for certain: rows without an id, the same row again, fifty pages', async () => {
    expect(await seek([[{ ...asked, ...at(0) }]])).toMatchObject({ ids: [undefined], isWhole: false, calls: 1 });
    expect(await seek([[one('a', 0)], [one('a', 0)]])).toMatchObject({ ids: ['a'], isWhole: false, calls: 2 });
    const many = Array.from({ length: 60 }, (_, n) => [one(`${n}`, 0)]);
    expect(await seek(many)).toMatchObject({ isWhole: false, calls: 50 });
    expect(await seek([[{ id: 'a', createdAt: 'soon' }], [old]])).toMatchObject({ isWhole: true, calls: 2 });
  });
});

describe('a page whose shape is not shown', () => {
  const pages = { items: '/data/rows', nextCursor: '/data/next' };
  const name = (
    data: Json,
    operation: 'listAccounts' | 'listInvoices' = 'listAccounts',
    contract: Contract['pages'] = pages,
  ) => inOurNames(operation, data, { pages: contract });

  it('has its items and its cursor where the contract says', () => {
    const data = { data: { rows: [{ id: 'a' }], next: 'c' } };
    expect(name(data)).toStrictEqual({ ...data, items: [{ id: 'a' }], nextCursor: 'c' });
    expect(name({ data: { rows: [] } })).toStrictEqual({ data: { rows: [] }, items: [] });
    expect(name({ items: ['old'], data: { rows: [], next: null } })).toMatchObject({ items: [], nextCursor: null });
  });

  it('is left alone where it is a list, where its shape is shown, and where the items are none', () => {
    for (const data of [[{ id: 'a' }], { data: { rows: {} } }, { items: [] }, null]) expect(name(data)).toBe(data);
    const data = { data: { rows: [] }, rows: [1] as unknown as Json[], items: [], nextCursor: 'x' };
    expect(name(data, 'listInvoices')).toBe(data);
    expect(name(data, 'listAccounts', defaultContract.pages)).toBe(data);
    expect(name(data, 'listAccounts', { items: '/items', nextCursor: '/data' })).toMatchObject({
      nextCursor: { rows: [] },
    });
    expect(name(data, 'listAccounts', { items: '/rows', nextCursor: '/nextCursor' })).toMatchObject({ items: [1] });
  });
});

describe('what a refusal says', () => {
  const said = (status: number, body: unknown, error = defaultContract.error) =>
    refusalOf(
      {
        operation: 'createPayout',
        status,
        body: Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)),
        retryAfterMs: 7,
      },
      { error, secret: 'sk_1' },
    );

  test.each([
    [400, 'RefusedError'],
    [401, 'UnauthorizedError'],
    [403, 'ForbiddenError'],
    [404, 'NotFoundError'],
    [408, 'UnavailableError'],
    [409, 'RefusedError'],
    [422, 'RefusedError'],
    [429, 'RateLimitedError'],
    [499, 'RefusedError'],
    [500, 'UnavailableError'],
    [503, 'UnavailableError'],
  ])('status %i is a %s', (status, name) => {
    const error = said(status, {});
    expect(error.constructor.name).toBe(name);
    expect(error).toMatchObject({
      status,
      operation: 'createPayout',
      ...((status >= 429 && status !== 499) || status === 408 ? { retryAfterMs: 7 } : {}),
    });
  });

  const own = (body: unknown, error?: Contract['error']) => {
    const { serviceCode, serviceMessage, isOwnWord } = said(400, body, error) as unknown as Record<string, unknown>;
    return [serviceCode, serviceMessage, isOwnWord];
  };

  it('is searched for where the contract says; none of it has to be there', () => {
    expect(own({ code: 'NO', message: 'not enough' })).toEqual(['NO', 'not enough', true]);
    expect(own({ code: '', message: null })).toEqual([null, null, true]);
    expect(own('<html>')).toEqual([null, null, false]);
    expect(own('[]')).toEqual([null, null, false]);
    const error = { code: '/a~1b/~0', message: '/errors' };
    expect(own({ 'a/b': { '~': 7 }, errors: ['one', 2, 'two'] }, error)).toEqual(['7', 'one; two', true]);
    expect(own({ code: 'x' }, { code: '/constructor/name', message: '/code/length' })).toEqual([null, null, true]);
  });

  it('is one line of 200 characters at most, without the key and without what is personal', () => {
    expect(own({ message: `sk_1 of ann@example.test\n\u0007now sk_1` })[1]).toBe('[key] of [masked] now [key]');
    expect(own({ message: 'x'.repeat(300), code: 'y'.repeat(201) })).toEqual(['y'.repeat(200), 'x'.repeat(200), true]);
    expect(own(`{"code": ${'1'.repeat(300)}}`)[0]).toBe('1'.repeat(200));
  });
});
