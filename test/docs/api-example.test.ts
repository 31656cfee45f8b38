import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { exampleOf } from '../../src/console/api/openapi-document.js';
import { apiDocument } from '../../src/console/api/serve-document.js';
import { noteServiceClock } from '../../src/records/service-notes.js';
import { compileStrictly } from '../support/compile-strictly.js';
import { serve, testConsole, tokenOf } from '../support/console.js';
import { seedConsole } from '../support/console-samples.js';
import { useDatabase } from '../support/database.js';
import { useFolder } from '../support/folder.js';
import { codeBlocks, readDocument } from './documents.js';

interface Order {
  reference: string;
  status: string;
  release: { safe: boolean };
}
interface Place {
  after: string;
  epoch: string | null;
}
interface Client {
  register(reference: string, expected: { amount: string; currency: string }): Promise<Order>;
  order(reference: string): Promise<Order>;
  orders(filters?: { status?: string }): AsyncIterable<Order>;
  place(): Promise<Place>;
  follow(
    place: Place,
    signal: AbortSignal,
  ): AsyncIterable<{ change: { seq: string; entity: { id: string } }; place: Place }>;
  replayCallback(id: string, note: string): Promise<{ accepted: true }>;
}
interface Example {
  createClient(settings: { console: string; token: string }): Client;
  mayShip(client: Client, reference: string): Promise<boolean>;
}

const store = useDatabase();
let server: Awaited<ReturnType<typeof serve>>;
const dir = useFolder();
let example: Example;
const answered: { status: number; bytes: number }[] = [];
const realFetch = globalThis.fetch;

beforeAll(async () => {
  const [code = ''] = codeBlocks(readDocument('docs/api.md'))
    .filter(({ language }) => language === 'ts')
    .map(({ text }) => text);
  await compileStrictly(dir, { 'example.ts': code, 'shown.ts': documentedAnswersAsTypes() });
  example = (await import(pathToFileURL(path.join(dir, 'out/example.js')).href)) as Example;
  await seedConsole(store.db);
  server = await serve(testConsole(store.db, { proofWaitMs: 500 }).app);
  globalThis.fetch = async (...asked) => {
    const answer = await realFetch(...asked);
    const bytes = (await answer.clone().arrayBuffer()).byteLength;
    answered.push({ status: answer.status, bytes });
    return answer;
  };
}, 120_000);
afterAll(async () => {
  globalThis.fetch = realFetch;
  await server?.close();
});

/** What the document shows is assigned to what the example takes it for. */
function documentedAnswersAsTypes(): string {
  const { schemas } = apiDocument().components;
  const shown = (name: string) => JSON.stringify(exampleOf(schemas[name] ?? {}, schemas));
  return `
    import { createClient } from './example.js';
    type Client = ReturnType<typeof createClient>;
    export const order: Awaited<ReturnType<Client['order']>> = asGiven(${shown('Order')});
    export const detail: Awaited<ReturnType<Client['order']>> = asGiven(${shown('OrderDetail')});
    type Followed = ReturnType<Client['follow']> extends AsyncGenerator<infer Item> ? Item : never;
    export const change: Followed['change'] = asGiven(${shown('Change')});
    export const replayed: Awaited<ReturnType<Client['replayCallback']>> = asGiven(${shown('Accepted')} as const);
    function asGiven<T>(value: T): T { return value; }`;
}

const clientOf = (role: string) => example.createClient({ console: server.url, token: tokenOf(role) });

describe('the example of docs/api.md', () => {
  it('registers an order, and shows what was refused', async () => {
    const client = clientOf('operator');
    const order = await client.register('A/1001 ä', { amount: '49.90', currency: 'EUR' });
    expect(order).toMatchObject({ reference: 'A/1001 ä', status: 'awaiting_payment', release: { safe: false } });
    await expect(client.register('A/1001 ä', { amount: '50', currency: 'EUR' })).rejects.toMatchObject({
      message: '409 Conflict: The order is registered with another amount or currency.',
      problem: { existing: { amount: '49.9', currency: 'EUR' } },
    });
    await expect(clientOf('viewer').register('x', { amount: '1', currency: 'EUR' })).rejects.toThrow('403 Forbidden');
    await expect(clientOf('nobody').order('x')).rejects.toThrow('401');
  });

  it('ships what is proven, and nothing else', async () => {
    const client = clientOf('operator');
    const safe = new Map<string, boolean>();
    for await (const { reference, release } of client.orders()) safe.set(reference, release.safe);
    expect(safe.size).toBeGreaterThan(2);
    const safeOnes = [...safe].filter(([, isSafe]) => isSafe);
    expect(safeOnes.length).toBeGreaterThan(0);
    const clockAt = async (earliest: number) => {
      await store.db('watermarks').where({ kind: 'service' }).delete();
      await noteServiceClock(store.db, { earliest, isMeasured: true });
    };
    // Nobody reads here: what was proven an hour ago can't be proven again.
    await clockAt(Date.now() + 3_600_000);
    for (const [reference] of safeOnes) expect(await example.mayShip(client, reference)).toBe(false);
    await clockAt(Date.now());
    for (const [reference, isSafe] of safe) expect(await example.mayShip(client, reference)).toBe(isSafe);
    expect(await example.mayShip(client, 'nobody knows it')).toBe(false);
    await expect(example.mayShip(clientOf('nobody'), 'order-2')).rejects.toThrow('401');
  });

  it('goes through all pages', async () => {
    const client = clientOf('operator');
    await Promise.all(Array.from({ length: 4 }, (_, n) => client.register(`p-${n}`, { amount: '1', currency: 'EUR' })));
    const before = answered.length;
    const asked = globalThis.fetch;
    globalThis.fetch = (url, init) => asked(typeof url === 'string' ? url.replace('take=500', 'take=2') : url, init);
    const found: string[] = [];
    for await (const { reference } of client.orders({ status: 'awaiting_payment' })) found.push(reference);
    globalThis.fetch = asked;
    expect(answered.length - before).toBeGreaterThan(2);
    expect(found.filter((reference) => reference.startsWith('p-')).toSorted()).toEqual(['p-0', 'p-1', 'p-2', 'p-3']);
    expect(new Set(found).size).toBe(found.length);
  });

  it('is not sent again what has not changed', async () => {
    const client = clientOf('viewer');
    const first = await client.order('order-2');
    expect(await client.order('order-2')).toEqual(first);
    expect(answered.at(-2)).toMatchObject({ status: 200 });
    expect(answered.at(-1)).toMatchObject({ status: 304, bytes: 0 });
  });

  it('follows the changes, and has a callback sent again', async () => {
    const client = clientOf('operator');
    const stop = new AbortController();
    const begun = await client.place();
    await client.register('followed', { amount: '12', currency: 'EUR' });
    const seqs: bigint[] = [];
    let place: Place = { after: '0', epoch: begun.epoch };
    for await (const { change, place: next } of client.follow(place, stop.signal)) {
      seqs.push(BigInt(change.seq));
      place = next;
      if (change.entity.id === 'followed') break;
    }
    expect(seqs.length).toBeGreaterThan(5);
    expect(seqs.every((seq, at) => at === 0 || seq > (seqs[at - 1] ?? 0n))).toBe(true);
    for await (const { change } of client.follow(begun, stop.signal)) {
      expect(change.entity.id).toBe('followed');
      break;
    }
    const restored = client.follow({ ...place, epoch: '0123456789abcdef' }, stop.signal);
    await expect(restored[Symbol.asyncIterator]().next()).rejects.toMatchObject({
      problem: { code: 'gone', epoch: begun.epoch },
    });
    const { id } = await store.db('callbacks').where({ status: 'dead' }).first('id');
    expect(await client.replayCallback(id, 'the shop was down')).toMatchObject({ accepted: true });
    expect(await store.db('actions').where({ action: 'replay callback' }).first()).toMatchObject({
      actor: 'omar',
      target: `callback ${id}`,
      reason: 'the shop was down',
      outcome: 'asked',
    });
  });
});
