import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import knex from 'knex';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { freePort } from '../../src/embedded-postgres/free-port.js';
import { openEmbeddedPostgres } from '../../src/embedded-postgres/open-embedded-postgres.js';
import { type Sandbox, startSandbox } from '../../src/sandbox/start-sandbox.js';
import { useFolder } from '../support/folder.js';
import { descendantsOf } from '../support/process-tree.js';
import { post } from '../support/receiver.js';
import { type CliProcess, runCli, startCli } from '../support/run-cli.js';
import { sign } from '../support/signed.js';
import { drivesTerminals, HOSTILE_TEXTS } from './hostile.js';

/** One value each, that occurs nowhere else. The service of the test knows but one key. */
const SECRETS: Record<string, string> = {
  SERVICE_API_KEY: 'sandbox-api-key',
  'a key that the service does not know': 'K3y-that-nobody-knows',
  'the other signing secret': 'whsec_0ther-s1gning-secret',
  'a secret that is not configured': 'whsec_str4nger',
  'the token of an administrator': 'T0ken-of-ada-the-admin',
  'the token of a viewer': 'T0ken-of-vera-the-viewer',
  'a token that is wrong': 'T0ken-that-is-wrong-0',
  STORE_CALLBACK_SECRET: 'C4llback-secret-of-the-store',
  'the path of ALERT_SLACK_URL': 'B00/sl4ck-secret',
  'the password of another database': 'P4ssword-of-postgres',
  'the password of Redis': 'P4ssword-of-redis',
};
const secret = (name: string) => SECRETS[name] ?? '';

/** All that anybody may get to see, by where it stood. */
const seen: Record<string, string> = {};
const cwd = useFolder();
let sandbox: Sandbox;
let env: Record<string, string>;
let program: CliProcess;
let addresses: { receiver: string; console: string };

beforeAll(async () => {
  sandbox = await startSandbox({ payments: 3, confirmationSeconds: 0, kytSeconds: 0 });
  const port = await freePort(null);
  const endpoint = sandbox.control.addEndpoint({ url: `http://127.0.0.1:${port}/webhooks` });
  SECRETS['the signing secret'] = endpoint.secret;
  env = {
    SERVICE_BASE_URL: sandbox.url,
    SERVICE_API_KEY: secret('SERVICE_API_KEY'),
    SERVICE_RATE: '1000/s',
    WEBHOOK_SECRETS: `live=${endpoint.secret},other=${secret('the other signing secret')}`,
    WEBHOOK_PUBLIC_URL: endpoint.url,
    CONSOLE_TOKENS: `ada:admin:${secret('the token of an administrator')},vera:viewer:${secret('the token of a viewer')}`,
    STORE_CALLBACK_URL: 'http://127.0.0.1:1/callback',
    STORE_CALLBACK_SECRET: secret('STORE_CALLBACK_SECRET'),
    ALERT_SLACK_URL: `http://127.0.0.1:1/${secret('the path of ALERT_SLACK_URL')}`,
    HOST: '127.0.0.1',
    PORT: String(port),
    CONSOLE_PORT: '0',
    LOG_LEVEL: 'trace',
  };
  program = startCli(['start'], { cwd, env });
  const addressOf = async (name: string) =>
    (await program.stdoutMatch(new RegExp(`^${name} +(http://\\S+)$`, 'm')))[1] ?? '';
  addresses = { receiver: await addressOf('receiver'), console: await addressOf('console') };
}, 120_000);

afterAll(async () => {
  await program.end('SIGKILL');
  await sandbox.close();
  // Whoever was killed left nobody to stop the server: join and leave.
  if (existsSync(path.join(cwd, '.tallyhook'))) {
    await (await openEmbeddedPostgres({ dir: path.join(cwd, '.tallyhook') })).close();
  }
});

test('nothing that the product says or keeps holds a secret', { timeout: 240_000 }, async () => {
  await useTheReceiver();
  await useTheConsole();
  await useTheCommandLine();
  await makeItFail();
  seen['processes'] = processes(program.child.pid ?? 0);
  await readTheDatabase();
  seen['log of Postgres'] = filesUnder(path.join(cwd, '.tallyhook'))
    .map((file) => readFileSync(file, 'utf8'))
    .join('\n');
  await program.end('SIGTERM');
  seen['stdout'] = program.output.stdout;
  seen['stderr'] = program.output.stderr;

  const lines = (seen['stderr'] ?? '').trim().split('\n');
  expect(lines.length).toBeGreaterThan(20);
  for (const line of lines) expect(JSON.parse(line)).toHaveProperty('level');
  expect(seen['stderr']).not.toMatch(drivesTerminals);
  expect(seen['processes']).toContain('postgres');
  const found = Object.entries(seen).flatMap(([where, text]) =>
    Object.entries(SECRETS)
      .filter(([, value]) => text.includes(value))
      .map(([name]) => `${name} in ${where}`),
  );
  expect(found).toEqual([]);
});

async function useTheReceiver(): Promise<void> {
  const body = JSON.stringify({
    event: 'payment_intent.completed',
    timestamp: Math.floor(Date.now() / 1000),
    data: { id: HOSTILE_TEXTS[8], status: 'completed', note: HOSTILE_TEXTS, amountRequested: HOSTILE_TEXTS[7] },
  });
  const url = `${addresses.receiver}/webhooks`;
  const answers = [
    await post(url, body, { 'x-service-signature': sign(body, secret('the signing secret')) }),
    await post(url, body, { 'x-service-signature': sign(body, secret('the other signing secret')) }),
    await post(url, body, { 'x-service-signature': sign(body, secret('a secret that is not configured')) }),
    // A sender that takes the secret for the signature, and other mistakes that a diagnosis finds.
    await post(url, body, { 'x-service-signature': secret('the signing secret') }),
    await post(url, `${body}\n`, { 'x-service-signature': sign(body, secret('the signing secret')) }),
    await post(url, body, { 'x-service-signature': sign(body, secret('the signing secret').replace('whsec_', '')) }),
  ];
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 401, 401, 401, 401]);
  seen['answers of the receiver'] = JSON.stringify(answers);
}

async function useTheConsole(): Promise<void> {
  const admin = { Authorization: `Bearer ${secret('the token of an administrator')}` };
  const origin = { Origin: addresses.console, 'Content-Type': 'application/x-www-form-urlencoded' };
  const ask = async (target: string, init: RequestInit = {}) => {
    const answer = await fetch(`${addresses.console}${target}`, { ...init, redirect: 'manual' });
    seen[`answer to ${target} ${JSON.stringify(Object.keys(init.headers ?? {}))}`] =
      `${JSON.stringify([...answer.headers])}\n${await answer.text()}`;
    return answer.status;
  };
  const signIn = (token: string) =>
    ask('/sign-in', { method: 'POST', headers: origin, body: new URLSearchParams({ token }) });
  expect(await signIn(secret('a token that is wrong'))).toBe(401);
  expect(await signIn(secret('the token of an administrator'))).toBe(303);
  const wrong = { Authorization: `Bearer ${secret('a token that is wrong')}` };
  expect(await ask('/api/v1/orders', { headers: wrong })).toBe(401);
  const forbidden = { Authorization: `Bearer ${secret('the token of a viewer')}`, 'X-Role': 'viewer' };
  expect(await ask('/api/v1/secrets', { headers: forbidden })).toBe(403);
  for (const target of [
    'secrets',
    'orders',
    'events',
    'rejections',
    'endpoints',
    'deliveries',
    'breaks',
    'runs',
    'actions',
  ]) {
    expect(await ask(`/api/v1/${target}`, { headers: admin })).toBe(200);
  }
  for (const target of ['/metrics', '/readyz', '/', '/nowhere']) await ask(target);
}

/** Every verb that meets a secret, and every way to get one wrong. */
async function useTheCommandLine(): Promise<void> {
  const stranger = { SERVICE_API_KEY: secret('a key that the service does not know') };
  const runs: [string[], Record<string, string>][] = [
    [['doctor', '--json'], {}],
    [['doctor'], stranger],
    [['secrets', 'status'], {}],
    [['reconcile', 'payment-intents'], stranger],
    [['trigger', 'payment_intent.completed'], {}],
    [['trigger', 'payment_intent.completed', '--secret', 'nobody'], {}],
    [
      ['serve'],
      { WEBHOOK_SECRETS: `live:${secret('the signing secret')}`, CONSOLE_TOKENS: secret('a token that is wrong') },
    ],
    [['serve'], { SERVICE_API_KEY: `${secret('SERVICE_API_KEY')} with a space`, STORE_CALLBACK_SECRET: '' }],
    [['events', 'list'], { DATABASE_URL: `postgres://u:${secret('the password of another database')}@127.0.0.1:1/x` }],
    [['events', 'list'], { DATABASE_URL: `mysql://u:${secret('the password of another database')}@127.0.0.1:1/x` }],
    [['serve'], { REDIS_URL: `http://:${secret('the password of Redis')}@127.0.0.1:1` }],
  ];
  for (const [args, more] of runs) {
    const { stdout, stderr } = await runCli(args, { cwd, env: { ...env, ...more } });
    seen[`tallyhook ${args.join(' ')} ${Object.keys(more).join()}`] = stdout + stderr;
  }
  await writeFile(path.join(cwd, 'secrets'), `live ${secret('the signing secret')}`);
  const { WEBHOOK_SECRETS: _, ...without } = env;
  const { stdout, stderr } = await runCli(['serve'], { cwd, env: { ...without, WEBHOOK_SECRETS_FILE: 'secrets' } });
  seen['a wrong WEBHOOK_SECRETS_FILE'] = stdout + stderr;
  await rm(path.join(cwd, 'secrets'));
}

/** A process whose key, whose Redis and whose callback are not as they should be, until it has said so. */
async function makeItFail(): Promise<void> {
  const wrong = {
    SERVICE_API_KEY: secret('a key that the service does not know'),
    REDIS_URL: `redis://user:${secret('the password of Redis')}@127.0.0.1:1`,
    CONSOLE_PORT: '0',
    METRICS_PORT: '0',
  };
  const failing = startCli(['work'], { cwd, env: { ...env, ...wrong } });
  try {
    await failing.stdoutMatch(/^metrics +http/m);
    await vi.waitFor(() => expect(failing.output.stderr).toContain('ECONNREFUSED'), { timeout: 20_000, interval: 100 });
    seen['processes of a worker'] = processes(failing.child.pid ?? 0);
  } finally {
    await failing.end('SIGTERM');
  }
  seen['output of a worker'] = failing.output.stdout + failing.output.stderr;
}

/** Command lines of the process and of all it started, and what those were given as their environment. */
function processes(pid: number): string {
  const read = (file: string) => (existsSync(file) ? readFileSync(file, 'utf8').split('\0').join(' ') : '');
  const server = readFileSync(path.join(cwd, '.tallyhook', 'postgres', 'data', 'postmaster.pid'), 'utf8').split(
    '\n',
  )[0];
  const started = [server ?? '', ...descendantsOf(pid).map(({ identity }) => identity.split(' ')[0] ?? '')];
  const given = started.map((id) => read(`/proc/${id}/environ`));
  return [read(`/proc/${pid}/cmdline`), ...started.map((id) => read(`/proc/${id}/cmdline`)), ...given].join('\n');
}

async function readTheDatabase(): Promise<void> {
  const server = await openEmbeddedPostgres({ dir: path.join(cwd, '.tallyhook') });
  SECRETS['the password of the database'] = decodeURIComponent(new URL(server.url).password);
  const db = knex({ client: 'pg', connection: server.url, pool: { min: 0, max: 1 } });
  try {
    const tables = await db('information_schema.tables')
      .whereNotIn('table_schema', ['pg_catalog', 'information_schema'])
      .where({ table_type: 'BASE TABLE' })
      .select('table_schema', 'table_name');
    expect(tables.length).toBeGreaterThan(30);
    for (const { table_schema: schema, table_name: table } of tables) {
      const { rows } = await db.raw('SELECT row_to_json(t)::text AS text FROM ??.?? t', [schema, table]);
      seen[`table ${table}`] = rows.map(({ text }: { text: string }) => text).join('\n');
    }
    expect(seen['table rejections']).toContain('invalid_signature');
  } finally {
    await db.destroy();
    await server.close();
  }
}

/** What the server logs; its data was read through it. */
function filesUnder(dir: string): string[] {
  return readdirSync(dir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name === 'log')
    .map((entry) => path.join(entry.parentPath, entry.name));
}

test('no option or argument of the command line takes a secret', async () => {
  const { verbs } = await import('../../src/cli/registry.js');
  const { Command } = await import('commander');
  const options: string[] = [];
  for (const { name, load } of verbs) {
    const command = new Command(name);
    (await load())(command);
    for (const one of [command, ...command.commands]) {
      const given = [
        ...one.options.map(({ flags }) => flags),
        ...one.registeredArguments.map((argument) => argument.name()),
      ];
      options.push(...given.map((flag) => `${name} ${flag}`));
    }
  }
  expect(options.length).toBeGreaterThan(40);
  const named = options.filter((option) => / .*(key|token|password|secret|url)/i.test(option));
  // A label, not a secret; a key that makes a call repeatable; an address that is posted to.
  const harmless = /--secret <label>$|--idempotency-key <|^calls key$|trigger --url <url>$/;
  expect(named.filter((option) => !harmless.test(option))).toEqual([]);
});
