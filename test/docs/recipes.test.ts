import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { freePort } from '../../src/embedded-postgres/free-port.js';
import { SECRET, type Store, startStore } from '../notify/store.js';
import { useDatabase } from '../support/database.js';
import { DRILL_MS, until } from '../support/drill.js';
import { useFolder } from '../support/folder.js';
import { createInstallation, type Installation } from '../support/installation.js';
import { EAGER } from '../support/site/site.js';
import { codeBlocks, ROOT, readDocument } from './documents.js';
import { commandsUnder, createReader, type Reader } from './run-document.js';

const REFUND_TO = 'TQn9Y2khEsLJW1ChVWFMSMeRDow5KcbLSE';
const RECIPES = readDocument('docs/recipes.md');

const database = useDatabase();
const folder = useFolder();
let callbacks: Store;
let installation: Installation;
let reader: Reader;
let env: Record<string, string>;
/** Addresses of the shops, by the beginning of their references. */
const shops = new Map<string, string>();
const children: ChildProcess[] = [];

beforeAll(async () => {
  callbacks = await startStore();
  const settings = { ...EAGER, STORE_CALLBACK_URL: callbacks.url, STORE_CALLBACK_SECRET: SECRET };
  installation = await createInstallation({ databaseUrl: database.url, env: settings });
  await installation.start('start');
  const [, , token = ''] = installation.env['CONSOLE_TOKENS']!.split(':');
  env = { ...installation.env, CONSOLE: installation.metricsUrls()['start']!, TOKEN: token };
  reader = await createReader({ cwd: installation.cwd, env });
  const packages = path.join(folder, 'node_modules');
  await mkdir(packages);
  await symlink(path.dirname(inject('program')), path.join(packages, 'tallyhook'));
  for (const name of ['express', 'fastify', 'standardwebhooks'])
    await symlink(path.join(ROOT, 'node_modules', name), path.join(packages, name));
  callbacks.answer = async ({ body, headers }, response) => {
    const { reference } = (JSON.parse(body) as { data: { reference: string } }).data;
    const answer = await sent(reference, body, headers).catch(() => null);
    response.writeHead(answer?.status ?? 503).end();
  };
}, DRILL_MS);
afterAll(async () => {
  for (const child of children) child.kill('SIGKILL');
  await installation?.close();
  await callbacks?.close();
});

/** A callback as Tallyhook sends it, to the shop whose order it is. */
function sent(reference: string, body: string, given: Record<string, string>): Promise<Response> {
  const shop = [...shops].find(([name]) => reference.startsWith(name))?.[1] ?? '';
  const headers = Object.entries(given).filter(([name]) => name.startsWith('webhook-') || name === 'content-type');
  return fetch(`${shop}/tallyhook`, { method: 'POST', headers: Object.fromEntries(headers), body });
}

const blockUnder = (heading: string) => codeBlocks(RECIPES).find((block) => block.heading === heading)!.text;

/** Whether the program is there; that it is not is said aloud, so that nobody takes a skip for a pass. */
function has(program: string, ...args: string[]): boolean {
  try {
    execFileSync(program, args, { stdio: 'ignore' });
    return true;
  } catch {
    process.stderr.write(
      `\n!!! No ${program} ${args.join(' ')} here: its recipe in docs/recipes.md is NOT TRIED !!!\n`,
    );
    return false;
  }
}

interface Recipe {
  name: string;
  command: string;
  files: Record<string, string>;
}
const shop = ['shop.mjs', 'What both servers in JavaScript do'] as const;
const recipes: Recipe[] = [
  { name: 'Express', command: process.execPath, files: { 'express.mjs': 'Express', [shop[0]]: shop[1] } },
  { name: 'Fastify', command: process.execPath, files: { 'fastify.mjs': 'Fastify', [shop[0]]: shop[1] } },
  ...(has('python3', '-c', 'import flask')
    ? [{ name: 'Flask', command: 'python3', files: { 'shop.py': 'Flask' } }]
    : []),
];

async function started({ name, command, files }: Recipe) {
  for (const [file, heading] of Object.entries(files)) await writeFile(path.join(folder, file), blockUnder(heading));
  const port = await freePort(null);
  const given = {
    ...env,
    PORT: String(port),
    PATH: `${installation.cwd}/.bin:${process.env['PATH']}`,
    HOME: installation.cwd,
  };
  const [file = ''] = Object.keys(files);
  const child = spawn(command, [path.join(folder, file)], {
    cwd: installation.cwd,
    env: given,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  children.push(child);
  let said = '';
  child.stderr.on('data', (part) => (said += String(part)));
  const url = `http://127.0.0.1:${port}`;
  shops.set(name, url);
  await until(`${name} listens`, () =>
    fetch(url).then(
      () => true,
      () => said || 'not yet',
    ),
  );
  return {
    ask: async (at: string, body?: object): Promise<Record<string, string>> => {
      const init = {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify(body ?? {}),
      };
      const answer = await fetch(`${url}${at}`, body === undefined ? {} : init);
      if (!answer.ok) throw new Error(`${at}: ${answer.status} ${await answer.text()} ${said}`);
      return (await answer.json()) as Record<string, string>;
    },
    close: async () => {
      child.kill('SIGKILL');
      await once(child, 'exit');
    },
  };
}

/** What the service does with a refund by and by. */
function confirm(payout: string): void {
  for (const step of ['approve', 'broadcast', 'confirm'] as const)
    installation.sandbox.control.advancePayout(payout, { step });
}

test.each(recipes)(
  '$name: an order is placed, paid, shipped once it is proven, and refunded once',
  { timeout: DRILL_MS },
  async (recipe) => {
    const { ask, close } = await started(recipe);
    const reference = `${recipe.name} 1`;
    const at = `/orders/${encodeURIComponent(reference)}`;
    const order = { reference, amount: '49.90', refundAddress: REFUND_TO };
    const [first, again] = [await ask('/orders', order), await ask('/orders', order)];
    expect(first.payTo).toBeTruthy();
    expect(again).toEqual(first);
    const { paymentId = '' } = await ask(at);
    installation.sandbox.control.pay(paymentId);
    await until(`${reference} is shipped`, async () => (await ask(at)).state === 'shipped' || (await ask(at)).state);

    const taken = callbacks.arrivals.findLast(({ body }) => body.includes(reference))!;
    expect((await sent(reference, taken.body, taken.headers)).status).toBe(200);
    expect((await sent(reference, `${taken.body} `, taken.headers)).status).toBe(401);

    const [one, two] = [await ask(`${at}/refund`, {}), await ask(`${at}/refund`, {})];
    expect(two).toEqual(one);
    confirm(one.refund!);
    await until(`${reference} is refunded`, async () => (await ask(at)).state === 'refunded' || (await ask(at)).state);
    await close();
  },
);

test('curl: the same, typed in', { timeout: DRILL_MS }, async () => {
  const [place = '', mayShip = '', refund = ''] = commandsUnder('docs/recipes.md', 'Plain curl');
  const payment = /"id": *"([^"]+)"/.exec(await reader.types(place))?.[1] ?? '';
  installation.sandbox.control.pay(payment);
  await until('A-1001 may be shipped', async () => (await reader.types(mayShip)).includes('"safe":true'));
  const refunds = [await reader.types(refund), await reader.types(refund)].map(
    (text) => /"id": *"([^"]+)"/.exec(text)?.[1],
  );
  expect(refunds[0]).toBeTruthy();
  expect(refunds[1]).toBe(refunds[0]);
});
