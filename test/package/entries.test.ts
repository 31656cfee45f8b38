import { execFile } from 'node:child_process';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, inject, it } from 'vitest';
import { codeBlocks, readDocument } from '../docs/documents.js';
import { useFolder } from '../support/folder.js';

const ROOT = path.join(import.meta.dirname, '../..');
const run = promisify(execFile);
const folder = useFolder();

/** What a store has beside its own code: this package, and the types of Node. */
beforeAll(async () => {
  const packages = path.join(folder, 'node_modules');
  await mkdir(path.join(packages, '@types'), { recursive: true });
  await symlink(path.dirname(inject('program')), path.join(packages, 'tallyhook'));
  await symlink(path.join(ROOT, 'node_modules/@types/node'), path.join(packages, '@types/node'));
  await writeFile(path.join(folder, 'package.json'), '{"type": "module"}');
});

describe('tallyhook/client', () => {
  /** Writes down each module that is loaded; of a package its name, of ours the file. */
  const HOOKS = `import { writeSync } from 'node:fs';
    export const load = (url, context, next) => { writeSync(1, url + '\\n'); return next(url, context); };`;

  async function loadedBy(code: string): Promise<string[]> {
    await writeFile(path.join(folder, 'hooks.js'), HOOKS);
    const register = `data:text/javascript,import { register } from 'node:module'; register('./hooks.js', '${pathToFileURL(folder).href}/');`;
    const { stdout } = await run(process.execPath, ['--import', register, '--input-type=module', '-e', code], {
      cwd: folder,
    });
    const program = pathToFileURL(inject('program')).href;
    const named = stdout.split('\n').map((url) => {
      if (url.startsWith(program)) return url.slice(program.length + 1);
      return /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url)?.[1] ?? '';
    });
    return [...new Set(named)].filter((name) => name !== '').toSorted();
  }

  it('loads four packages, and of this one the client and what is law, whatever it is given', async () => {
    const loaded = await loadedBy(`const { MerchantClient } = await import('tallyhook/client');
      new MerchantClient({ baseUrl: 'http://127.0.0.1:1', apiKey: 'key', databaseUrl: 'postgres://127.0.0.1:1/x' });`);
    const packages = loaded.filter((name) => !name.endsWith('.js') || name === 'decimal.js');
    expect(packages).toEqual(['cockatiel', 'decimal.js', 'lossless-json', 'zod']);
    const ours = loaded.filter((name) => !packages.includes(name) && !/^(domain|service-api)\//.test(name));
    expect(ours).toEqual(['client.js', 'errors.js']);
  });

  it('loads the driver with the first call that has a database', async () => {
    const loaded = await loadedBy(`const { MerchantClient } = await import('tallyhook/client');
      const client = new MerchantClient({ baseUrl: 'http://127.0.0.1:1', apiKey: 'key', databaseUrl: 'postgres://127.0.0.1:1/x' });
      await client.listPublicAssets().catch(() => {});`);
    expect(loaded).toEqual(expect.arrayContaining(['own-calls/share-calls.js', 'knex', 'pg']));
    expect(loaded.filter((name) => /^(bullmq|express|ioredis|webhook|console|wiring)/.test(name))).toEqual([]);
  });
});

const STORE = `
import { MerchantClient, OutcomeUnknownError, items, pages, type DirectPayment, type Invoice, type Json, type MerchantClientOptions, type Payout, type Transaction } from 'ENTRY';

const options: MerchantClientOptions = { baseUrl: 'https://service.example', apiKey: 'key', databaseUrl: 'postgres://db/tallyhook' };
const client: MerchantClient = new MerchantClient(options);

export async function sell(): Promise<string> {
  const { data } = await client.createDirectPayment(
    { requestedCoin: 'BTC', amount: '1', customer: { email: 'ann@example.com' }, metadata: { cart: 12 } },
    { idempotencyKey: 'A-1', signal: AbortSignal.timeout(5_000) },
  );
  const payment: DirectPayment = data;
  const cart: Json | undefined = payment.metadata?.['cart'];
  const address: string | null | undefined = payment.depositAddress;
  const known: 'waiting_address_selection' | 'pending' | 'confirming' | 'completed' | 'expired' | 'unmatched' | 'cancelled' | (string & {}) | null | undefined = payment.status;
  for (const { id, confirmations } of payment.payins?.map(({ id }) => ({ id, confirmations: 1 })) ?? []) console.log(id, confirmations);
  return JSON.stringify([cart, address, known]);
}

export async function look(payout: Payout): Promise<Transaction | null> {
  const { data: account, body } = await client.closeAccount('acc_1');
  const closed: string | null | undefined = account?.status;
  const raw: Json = body;
  const moved: Transaction | null = (await client.createTransfer('acc_1', { assetCode: 'BTC', amount: '1', toOperating: true })).data;
  for await (const invoice of items(pages((query) => client.listInvoices(query), { status: 'paid' }))) {
    const one: Invoice = invoice;
    if (one.status === 'paid') console.log(one.emailDelivery?.sent, closed, raw);
  }
  const made: Payout = { id: 'po_1', status: 'a state of tomorrow' };
  return payout.status === 'confirmed' && made.id === 'po_1' ? moved : null;
}

export const keyOf = (error: unknown): string | null => (error instanceof OutcomeUnknownError ? error.idempotencyKey : null);
await client.close();
`;

/** Each is wrong, and nothing else in the file is. */
const WRONG = [
  'payment.depositAdress',
  'payment.payins?.[0]?.amuontGross',
  '({ id: "po_1", status: 7 } satisfies Payout)',
  '(await client.updateAccount("acc_1", {})).data?.stauts',
  'client.createRefund({ paymentIntent: "pi_1" })',
  'client.createDirectPayment({ requestedCoin: "BTC", amount: "1", customer: { refundAdress: "x" } })',
  'client.reply("listPayouts")',
  '(payment.metadata?.["cart"] as number).value',
];

it('the types of both entries let a strict store name every field, any state, and no other field', {
  timeout: 240_000,
}, async () => {
  const right = STORE.split('\n').length;
  const wrong = `const payment = {} as DirectPayment;\n${WRONG.map((line) => `void ${line};`).join('\n')}\n`;
  for (const [name, entry] of [
    ['whole', 'tallyhook'],
    ['client', 'tallyhook/client'],
  ] as const)
    await writeFile(path.join(folder, `${name}.ts`), STORE.replace('ENTRY', entry) + wrong);
  const shown = codeBlocks(readDocument('docs/client.md')).filter(({ language }) => language === 'ts');
  expect(shown.length).toBeGreaterThan(1);
  await writeFile(path.join(folder, 'shown.ts'), `${shown.map(({ text }) => text).join('')}\nexport { payOut };\n`);
  const flags = [
    '--strict',
    '--noEmit',
    '--skipLibCheck',
    'false',
    '--exactOptionalPropertyTypes',
    '--noUncheckedIndexedAccess',
  ];
  const how = [
    '--ignoreConfig',
    '--module',
    'nodenext',
    '--target',
    'es2023',
    '--types',
    'node',
    'shown.ts',
    'whole.ts',
    'client.ts',
  ];
  const tsc = path.join(ROOT, 'node_modules/typescript/bin/tsc');
  const { stdout } = await run(process.execPath, [tsc, ...flags, ...how], { cwd: folder }).catch(
    (error: { stdout: string }) => error,
  );
  const problems = stdout.split('\n').filter((line) => /^\S/.test(line));
  const found = problems.map((line) => {
    const [, name, at] = /^(\w+)\.ts\((\d+),/.exec(line) ?? [];
    return `${name}: ${WRONG[Number(at) - right - 1] ?? line}`;
  });
  const expected = ['whole', 'client'].flatMap((name) => WRONG.map((line) => `${name}: ${line}`));
  expect(found.toSorted()).toEqual(expected.toSorted());
});
