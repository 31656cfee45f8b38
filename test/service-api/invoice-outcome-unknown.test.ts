import nock from 'nock';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { MemoryKeyStore } from '../../src/service-api/key-store.js';
import { OutcomeUnknownError, RefusedError } from '../../src/service-api/service-errors.js';
import { post, useScriptedWrites } from './scripted-writes.js';
import { BASE_URL, rejection, testClient } from './test-client.js';

useScriptedWrites();

const INVOICES = '/v1/invoices';
const body = { customerEmail: 'ann@example.com', amount: '30.30', currency: 'EUR' };
const at = (ms = 0) => new Date(Date.now() + ms).toISOString();
const ours = (more: object = {}) => ({ id: 'inv_1', ...body, createdAt: at(), ...more });
const old = { id: 'inv_0', ...body, createdAt: at(-3_600_000) };
const list = (...invoices: object[]) =>
  nock(BASE_URL)
    .get(INVOICES)
    .query({ take: '100' })
    .reply(200, [...invoices, old]);
/** As long as a call lasts at most, and a little: what is not in the list by then was not made. */
const SETTLED = 133_000;

let now: number;
let keyStore: MemoryKeyStore;
const client = (options: Parameters<typeof testClient>[0] = {}) => testClient({ keyStore, ...options });

/** A process that died before it read the answer. */
async function crash(request: object = body): Promise<void> {
  const end = vi.spyOn(keyStore, 'end').mockRejectedValue(new Error('the process is gone'));
  const stop = new AbortController();
  post(INVOICES).reply(500, () => {
    stop.abort(new Error('gone'));
    return '';
  });
  const call = client().createInvoice(request as typeof body, { signal: stop.signal });
  expect((await rejection(call, OutcomeUnknownError)).cause).toMatchObject({ message: 'gone' });
  end.mockRestore();
}

beforeEach(() => {
  now = 0;
  keyStore = new MemoryKeyStore(() => now);
});

describe('an invoice whose process died before the answer', () => {
  it('is searched for in the list, not sent again, and handed over', async () => {
    const onAnswer = vi.fn(() => Promise.resolve());
    await crash();
    expect(await client().settleWrites()).toEqual([]);
    now = SETTLED;
    list(ours());
    expect(await client({ onAnswer }).settleWrites()).toMatchObject([
      { operation: 'createInvoice', outcome: 'done', objectIds: ['inv_1'] },
    ]);
    expect(onAnswer).toHaveBeenCalledWith(
      expect.objectContaining({
        operation: 'createInvoice',
        request: body,
        reply: expect.objectContaining({}) as unknown,
      }),
    );
    expect(await client().settleWrites()).toEqual([]);
  });

  it('and that is not in the list was not made', async () => {
    await crash();
    now = SETTLED;
    const end = vi.spyOn(keyStore, 'end');
    list();
    expect(await client().settleWrites()).toMatchObject([{ outcome: 'absent', objectIds: [] }]);
    expect(end.mock.calls.map(([, outcome, id]) => [outcome, id])).toEqual([['unsent', null]]);
    expect(await client().settleWrites()).toEqual([]);
  });

  it('is searched for on every page back to the call', async () => {
    await crash();
    now = SETTLED;
    const page = (cursor: string | null, ...invoices: object[]) =>
      nock(BASE_URL)
        .get(INVOICES)
        .query({ take: '100', ...(cursor && { cursor }) })
        .reply(200, invoices);
    page(null, ours({ id: 'x_3', amount: '1' }), ours({ id: 'x_2', amount: '1' }));
    page('x_2', ours(), ours({ id: 'x_1', amount: '1' }));
    page('x_1');
    expect(await client().settleWrites()).toMatchObject([{ outcome: 'done', objectIds: ['inv_1'] }]);
  });

  it.each<[string, () => object[]]>([
    ['one of two', () => [ours(), ours({ id: 'inv_2' })]],
    ['one whose age is not shown', () => [ours({ createdAt: null })]],
    ['one without an id', () => [ours({ id: null })]],
  ])('and that may be %s is not known, and is written down as lost', async (_, shown) => {
    await crash();
    now = SETTLED;
    const end = vi.spyOn(keyStore, 'end');
    list(...shown());
    const [settled] = await client().settleWrites();
    expect(settled).toMatchObject({ outcome: 'lost' });
    expect(settled?.objectIds).toEqual(shown().flatMap((invoice) => (invoice as { id: string | null }).id ?? []));
    expect(end.mock.calls.map(([, outcome, id]) => [outcome, id])).toEqual([['lost', null]]);
  });

  it('leaves the outcome unknown where its list is not read to the end of a call that is stopped, and nothing is said of it', async () => {
    await crash();
    now = SETTLED;
    const warn = vi.fn();
    const stop = new AbortController();
    nock(BASE_URL)
      .get(INVOICES)
      .query(true)
      .reply(500, () => {
        stop.abort(new Error('enough'));
        return '';
      });
    await expect(client({ log: { warn } }).settleWrites(stop.signal)).rejects.toThrow('enough');
    expect(warn).not.toHaveBeenCalled();
    now += SETTLED;
    list(ours());
    expect(await client().settleWrites()).toMatchObject([{ outcome: 'done' }]);
  });

  it('is not settled by a store that fails: that is said, and thrown', async () => {
    await crash();
    now = SETTLED;
    const warn = vi.fn();
    vi.spyOn(keyStore, 'rivals').mockRejectedValue(new Error('no database'));
    list(ours());
    await expect(client({ log: { warn } }).settleWrites()).rejects.toThrow('no database');
    expect(warn).toHaveBeenCalledWith(expect.objectContaining({ operation: 'createInvoice' }), 'invoice not looked up');
  });

  it('is not known from a list that is not read back to the call', async () => {
    await crash();
    now = SETTLED;
    nock(BASE_URL)
      .get(INVOICES)
      .query(true)
      .reply(200, [ours(), { amount: '1', createdAt: at() }]);
    expect(await client().settleWrites()).toMatchObject([{ outcome: 'lost', objectIds: ['inv_1'] }]);
  });

  it.each([
    ['a reference that we did not give', {}, { merchantReference: 'ord-9' }],
    ['our reference in other letters', { merchantReference: 'ord-1' }, { merchantReference: 'ORD-1' }],
  ])('is none with %s', async (_, asked, shown) => {
    await crash({ ...body, ...asked });
    now = SETTLED;
    list(ours(shown));
    expect(await client().settleWrites()).toMatchObject([{ outcome: 'absent' }]);
  });

  it('is searched for again as long as the list can’t be read, and given up after a day', async () => {
    await crash();
    const quick = client({ retryPolicy: { retries: 0, failures: 99 } });
    for (now = SETTLED; now < 5 * SETTLED; now += SETTLED) {
      nock(BASE_URL).get(INVOICES).query(true).reply(500, '');
      expect(await quick.settleWrites()).toMatchObject([{ outcome: 'unknown' }]);
    }
    now = 25 * 3_600_000;
    expect(await quick.settleWrites()).toMatchObject([{ operation: 'createInvoice', outcome: 'lost' }]);
    expect(await quick.settleWrites()).toEqual([]);
  });

  it('is not one that another call made', async () => {
    await crash();
    post(INVOICES).reply(201, ours());
    await client().createInvoice(body);
    now = SETTLED;
    list(ours());
    expect(await client().settleWrites()).toMatchObject([{ outcome: 'absent' }]);
  });
});

describe('an invoice whose answer is lost', () => {
  it('is not taken for another of the same call whose answer is still out', async () => {
    await crash();
    post(INVOICES).reply(500, '');
    list(ours());
    const error = await rejection(client().createInvoice(body), OutcomeUnknownError);
    expect(error.candidates).toMatchObject([{ id: 'inv_1' }]);
  });

  it('and whose outcome is unknown is searched for later', async () => {
    post(INVOICES).reply(200, { status: 'ok' });
    for (let poll = 0; poll < 3; poll++) list();
    const error = await rejection(client().createInvoice(body), OutcomeUnknownError);
    expect(error.remedy).toContain('the scheduler searches too');
    list();
    expect(await client().settleWrites()).toMatchObject([{ outcome: 'unknown' }]);
    list(ours());
    expect(await client().settleWrites()).toMatchObject([{ outcome: 'done', objectIds: ['inv_1'] }]);
  });

  it('is searched for once more where the list could not be read back to the call, and shows none', async () => {
    post(INVOICES).reply(500, '');
    nock(BASE_URL)
      .get(INVOICES)
      .query(true)
      .reply(200, [{ amount: '1', createdAt: at() }]);
    list(ours());
    expect((await client().createInvoice(body)).data).toMatchObject({ id: 'inv_1' });
  });

  it('that never left here is written down as unsent', async () => {
    const end = vi.spyOn(keyStore, 'end');
    const takeSlot = vi.fn().mockRejectedValue(new Error('no turn'));
    await expect(client({ takeSlot }).createInvoice(body)).rejects.toThrow('no turn');
    expect(end.mock.calls.map(([, outcome, id]) => [outcome, id])).toEqual([['unsent', null]]);
  });

  it('or could not be taken in is kept with what it made', async () => {
    const end = vi.spyOn(keyStore, 'end');
    post(INVOICES).reply(201, ours());
    await client({ onAnswer: () => Promise.reject(new Error('no database')) }).createInvoice(body);
    expect(end.mock.calls.map(([, outcome, id]) => [outcome, id])).toEqual([['unknown', 'inv_1']]);
  });

  it('is not sent where it could not be written down', async () => {
    vi.spyOn(keyStore, 'begin').mockRejectedValue(new Error('disk full'));
    await expect(client().createInvoice(body)).rejects.toThrow('disk full');
  });

  it('or refused leaves nothing to settle', async () => {
    post(INVOICES).reply(400, '');
    await rejection(client().createInvoice(body), RefusedError);
    post(INVOICES).reply(201, ours());
    await client().createInvoice(body);
    now = SETTLED;
    expect(await client().settleWrites()).toEqual([]);
  });
});
