import nock from 'nock';
import { describe, expect, it } from 'vitest';
import { items, pages } from '../../src/service-api/pages.js';
import { ContractViolationError } from '../../src/service-api/service-errors.js';
import { withoutNetwork } from './no-network.js';
import { BASE_URL, rejection, testClient } from './test-client.js';

const get = (path: string, query: Record<string, string> = {}) => nock(BASE_URL).get(path).query(query);
const ACCOUNTS = '/v1/accounts';
const TRANSACTIONS = '/v1/accounts/transactions';

withoutNetwork();

async function all<T>(from: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const one of from) found.push(one);
  return found;
}

describe('walking a list', () => {
  const client = testClient();

  it('goes on by the last item’s id until nothing new comes, and gives each item once', async () => {
    get('/v1/invoices', { take: '2' }).reply(200, [{ id: 'c' }, { id: 'b' }]);
    get('/v1/invoices', { take: '2', cursor: 'b' }).reply(200, [{ id: 'b' }, { id: 'a' }]);
    get('/v1/invoices', { take: '2', cursor: 'a' }).reply(200, []);
    const found = await all(items(pages((query) => client.listInvoices(query), { take: 2 })));
    expect(found.map(({ id }) => id)).toEqual(['c', 'b', 'a']);
  });

  it('ends where a service that ignores the cursor answers the same page again', async () => {
    get(ACCOUNTS).reply(200, [{ id: 'a' }]);
    get(ACCOUNTS, { cursor: 'a' }).reply(200, [{ id: 'a' }]);
    expect(await all(items(pages((query) => client.listAccounts(query), {})))).toHaveLength(1);
  });

  it('goes on by the cursor that the service hands out, until there is none', async () => {
    get('/v1/webhook-endpoints/deliveries').reply(200, { items: [{ id: '2' }], nextCursor: 'x' });
    get('/v1/webhook-endpoints/deliveries', { cursor: 'x' }).reply(200, { items: [{ id: '1' }], nextCursor: null });
    const found = await all(pages((query) => client.listWebhookDeliveries(query), {}));
    expect(found.map(({ data }) => data.map(({ id }) => id))).toEqual([['2'], ['1']]);
  });

  it('goes on by page numbers where these are asked for, also through items without an id', async () => {
    get(TRANSACTIONS, { page: '1' }).reply(200, [{ amount: '2' }], { 'X-Total-Count': '2' });
    get(TRANSACTIONS, { page: '2' }).reply(200, [{ amount: '1' }], { 'X-Total-Count': '2' });
    get(TRANSACTIONS, { page: '3' }).reply(200, [], { 'X-Total-Count': '2' });
    const found = await all(pages((query) => client.listTransactions(query), {}, 'page'));
    expect(found.map(({ data, totalCount }) => [data.length, totalCount])).toEqual([
      [1, 2],
      [1, 2],
    ]);
  });

  it('can be left at any item', async () => {
    get('/v1/invoices').reply(200, [{ id: 'b' }, { id: 'a' }]);
    for await (const { id } of items(pages((query) => client.listInvoices(query), {}))) {
      expect(id).toBe('b');
      break;
    }
  });

  const walked = () => all(items(pages((query) => client.listAccounts(query), {})));
  const ids = (list: { id?: string | null | undefined }[]) => list.map(({ id }) => id);

  it('goes on by the last item’s id where an object says nothing of a next page', async () => {
    get(ACCOUNTS).reply(200, { items: [{ id: 'b' }] });
    get(ACCOUNTS, { cursor: 'b' }).reply(200, { items: [{ id: 'a' }] });
    get(ACCOUNTS, { cursor: 'a' }).reply(200, { items: [] });
    expect(ids(await walked())).toEqual(['b', 'a']);
  });

  it('goes on by a cursor that is a number, digit by digit', async () => {
    get(ACCOUNTS).reply(200, '{"items":[{"id":"b"}],"nextCursor":12345678901234567890}');
    get(ACCOUNTS, { cursor: '12345678901234567890' }).reply(200, { items: [{ id: 'a' }], nextCursor: null });
    expect(ids(await walked())).toEqual(['b', 'a']);
  });

  it.each([true, {}, ['x']])('refuses %j for a cursor: the rest would be missing in silence', async (nextCursor) => {
    get(ACCOUNTS).reply(200, { items: [{ id: 'b' }], nextCursor });
    await rejection(walked(), ContractViolationError);
  });

  it('says that it can’t go on where the last item has no id', async () => {
    get(ACCOUNTS).reply(200, [{ id: 'b' }, { label: 'nameless' }]);
    const error = await rejection(walked(), ContractViolationError);
    expect(error.message).toContain('no cursor of the next page');
  });

  it('goes through pages that have nothing new, for as long as there is a new cursor', async () => {
    get(ACCOUNTS).reply(200, { items: [], nextCursor: '1' });
    get(ACCOUNTS, { cursor: '1' }).reply(200, { items: [{ id: 'b' }], nextCursor: '2' });
    get(ACCOUNTS, { cursor: '2' }).reply(200, { items: [{ id: 'b' }], nextCursor: '3' });
    get(ACCOUNTS, { cursor: '3' }).reply(200, { items: [{ id: 'a' }], nextCursor: '3' });
    expect(ids(await walked())).toEqual(['b', 'a']);
  });

  it('gives up a list that never ends and has nothing', async () => {
    let asked = 0;
    nock(BASE_URL)
      .persist()
      .get(ACCOUNTS)
      .query(true)
      .reply(200, () => ({ items: [], nextCursor: `c${asked++}` }));
    const error = await rejection(walked(), ContractViolationError);
    expect(error.message).toContain('pages in a row have nothing new');
    expect(asked).toBeLessThan(100);
    nock.cleanAll();
  });

  const counted = (...pagesOfIds: string[][]) => {
    for (const [at, page] of pagesOfIds.entries()) {
      const answer = page.map((id) => ({ id }));
      get(TRANSACTIONS, { page: String(at + 1) }).reply(200, answer, { 'X-Total-Count': '4' });
    }
    return all(items(pages((query) => client.listTransactions(query), {}, 'page')));
  };

  it('goes on past a page that new rows pushed down, as long as the count says that more follow', async () => {
    expect(ids(await counted(['d', 'c'], ['d', 'c'], ['b', 'a'], []))).toEqual(['d', 'c', 'b', 'a']);
  });

  it('does not ask for ever where the page’s number is ignored', async () => {
    nock(BASE_URL)
      .persist()
      .get(TRANSACTIONS)
      .query(true)
      .reply(200, [{ id: 'd' }], { 'X-Total-Count': '4' });
    await rejection(all(pages((query) => client.listTransactions(query), {}, 'page')), ContractViolationError);
    nock.cleanAll();
  });
});
