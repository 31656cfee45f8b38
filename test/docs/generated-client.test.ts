import { execFile } from 'node:child_process';
import { symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { apiDocument } from '../../src/console/api/serve-document.js';
import { compileStrictly } from '../support/compile-strictly.js';
import { serve, testConsole, tokenOf } from '../support/console.js';
import { useDatabase } from '../support/database.js';
import { useFolder } from '../support/folder.js';
import { poll, readPaid } from '../support/observations.js';
import { paidIntent, payin } from '../support/records.js';
import { save } from '../support/saved.js';
import { codeBlocks, ROOT, readDocument } from './documents.js';

const GENERATOR = path.join(ROOT, 'test/client-generator/node_modules/openapi-typescript/bin/cli.js');

/** What else a store may do with it, and what the compiler has to refuse. */
const MORE = `
  import type { Client, Order } from './store.js';
  import type { components, paths, webhooks } from './tallyhook.js';

  export type Sent = webhooks['order.changed']['post']['requestBody']['content']['application/json'];
  export function take(sent: Sent): Order {
    const kind: 'order.changed' = sent.type;
    return kind === sent.type ? sent.data : sent.data;
  }
  export async function others(client: Client): Promise<void> {
    const { data: order } = await client.PUT('/orders/{reference}', {
      params: { path: { reference: 'a/b' }, header: { 'If-Match': '"tag"' } },
      body: { amount: '1', currency: 'EUR' },
    });
    const expected: { amount: string; currency: string } | null | undefined = order?.expected;
    await client.POST('/callbacks/{id}/replay', { params: { path: { id: '1' } }, body: {} });
    const then = await client.GET('/orders/{reference}/as-of', {
      params: { path: { reference: 'a/b' }, query: { at: '2026-10-31' } },
    });
    const late: number | undefined = then.data?.toldLater.changes;
    const one = await client.GET('/orders/{reference}', { params: { path: { reference: 'a/b' }, query: { provenWithin: 60 } } });
    const alike: string[] | undefined = one.data?.similarReferences;
    if (one.error?.code === 'not_proven_in_time') return;
    const { data } = await client.GET('/deliveries', { params: { query: { paymentIntentId: 'pi_1', missed: 'true' } } });
    const classes: ('missed' | components['schemas']['Delivery']['class'])[] | undefined = data?.items.map((one) => one.class);
    void [expected, late, alike, classes];
    // @ts-expect-error no such word
    await client.GET('/orders', { params: { query: { status: 'Paid' } } });
    // @ts-expect-error no such filter
    await client.GET('/orders', { params: { query: { state: 'paid' } } });
    // @ts-expect-error it needs a time
    await client.GET('/orders/{reference}/as-of', { params: { path: { reference: 'a/b' } } });
    // @ts-expect-error no such code
    if (one.error?.code === 'no_such_code') return;
  }
  type Refused<Method extends 'get' | 'put'> = keyof Required<paths['/orders/{reference}']>[Method]['responses'];
  export const refusals: [Refused<'get'>[], Refused<'put'>[]] = [[400, 401, 404, 405, 500, 503], [405, 409, 412, 413, 415, 500]];
`;

interface Store {
  connect(console: string, token: string): object;
  safeOrders(client: object): AsyncIterable<{ reference: string }>;
  changedOrders(client: object, after: string): Promise<{ orders: object[]; after: string } | null>;
  nextStep(order: object): string;
}

const database = useDatabase();
const dir = useFolder();
let server: Awaited<ReturnType<typeof serve>>;
let store: Store;

beforeAll(async () => {
  const [, code = ''] = codeBlocks(readDocument('docs/api.md'))
    .filter(({ language }) => language === 'ts')
    .map(({ text }) => text);
  await symlink(path.join(ROOT, 'node_modules'), path.join(dir, 'node_modules'));
  await writeFile(path.join(dir, 'openapi.json'), JSON.stringify(apiDocument()));
  const flags = ['openapi.json', '-o', 'tallyhook.ts', '--default-non-nullable=false'];
  await promisify(execFile)(process.execPath, [GENERATOR, ...flags], { cwd: dir });
  await compileStrictly(dir, { 'store.ts': code, 'more.ts': MORE });
  store = (await import(pathToFileURL(path.join(dir, 'out/store.js')).href)) as Store;
  server = await serve(testConsole(database.db).app);
}, 120_000);
afterAll(async () => {
  await server?.close();
});

it('a client that is generated of the document compiles without a cast, and does what a store does', async () => {
  const client = store.connect(server.url, tokenOf('viewer'));
  const short = { totalAmountReceived: '25.2', amountInRange: '0', amountRejected: '25.2', amountCryptoExpected: '28' };
  await save(database, [...readPaid('a'), ...readPaid('b')]);
  const first = await store.changedOrders(client, '0');
  expect(first?.orders.map((order) => store.nextStep(order))).toEqual(['ship', 'ship']);
  await save(database, [
    poll('payment_intent', paidIntent('c', 'in_c', { ...short, merchantReference: 'a,b' }), 20),
    poll('payin', payin('in_c', 'c'), 20),
  ]);
  const next = await store.changedOrders(client, first?.after ?? '');
  expect(next?.orders.map((order) => store.nextStep(order))).toEqual(['ask for 2.5 EUR']);
  const safe: string[] = [];
  for await (const { reference } of store.safeOrders(client)) safe.push(reference);
  expect(safe.sort()).toEqual(['order-a', 'order-b']);
  expect(await store.changedOrders(client, '999999999999')).toBeNull();
  await expect(store.changedOrders(store.connect(server.url, 'nobody'), '0')).rejects.toThrow('token');
});
