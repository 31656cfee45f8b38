import { readFile } from 'node:fs/promises';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { examineStanding } from '../../src/records/database/examine-database.js';
import { migrate, openDatabase, schemaState } from '../../src/records/database.js';
import { createEmptyDatabase, type TestDatabase } from '../support/database.js';
import { createPostgresStub, type PostgresStub } from '../support/postgres-stub.js';

let empty: TestDatabase;
let opened: { close(): Promise<unknown> }[] = [];

beforeAll(async () => {
  empty = await createEmptyDatabase();
});
afterEach(async () => {
  for (const one of opened) await one.close();
  opened = [];
});
afterAll(() => empty.drop());

async function stub(answers: Parameters<typeof createPostgresStub>[0]): Promise<PostgresStub> {
  const made = await createPostgresStub(answers);
  opened.push(made);
  return made;
}

/** An empty database that `sql` was run in, and who ran it may be another user. */
async function databaseWith(sql: string): Promise<TestDatabase> {
  const made = await createEmptyDatabase();
  opened.push({ close: () => made.drop() });
  await made.db.raw(sql);
  return made;
}

const said = (work: Promise<unknown>): Promise<string> => work.then(String, (error: Error) => error.message);

async function tables({ db }: TestDatabase): Promise<number> {
  const { rows } = await db.raw(
    "SELECT count(*) AS n FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace",
  );
  return Number(rows[0].n);
}

const standing = {
  'int4:version': '160004',
  shown: '16.4',
  encoding: 'UTF8',
  'bool:standby': 'f',
  'bool:read_only': 'f',
  database: 'shop',
  username: 'ann',
  schema: 'public',
  'bool:may_make_tables': 't',
  'bool:may_make_schemas': 't',
  'bool:has_queues': 'f',
  'bool:has_migrations': 'f',
};

test('a database that can’t hold every character is refused, before anything is written', async () => {
  const name = `latin_${process.pid}`;
  await empty.db.raw(`CREATE DATABASE ${name} ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0`);
  try {
    const url = Object.assign(new URL(empty.url), { pathname: name }).href;
    expect(await said(migrate(url))).toContain('has the encoding LATIN1, and UTF8 is needed');
  } finally {
    await empty.db.raw(`DROP DATABASE ${name}`);
  }
});

test.each([
  [
    '150006',
    '15.6 (Debian 15.6-0)',
    'is served by Postgres 15.6, and 16 or newer is needed: upgrade the server, or set DATABASE_URL to a newer one',
  ],
  [
    '100023',
    '10.23',
    'is served by Postgres 10.23, and 16 or newer is needed: upgrade the server, or set DATABASE_URL to a newer one',
  ],
])(
  'a server of version %s is refused in one sentence, before anything is written',
  async (version, shown, sentence) => {
    const old = await stub({ row: () => ({ ...standing, 'int4:version': version, shown }) });
    expect(await said(migrate(old.url))).toBe(`The database at ${new URL(old.url).host}/shop ${sentence}.`);
    const db = openDatabase(old.url);
    opened.push({ close: () => db.destroy() });
    expect(await schemaState(db)).toEqual({
      ok: false,
      problems: [`The database at ${new URL(old.url).host}/shop ${sentence}`],
      lasting: true,
    });
    expect(old.asked.filter((sql) => !/^\s*select/i.test(sql))).toEqual([]);
  },
);

test.each([
  [
    { 'bool:standby': 't', 'bool:read_only': 't' },
    'is a standby, where nothing can be written: set DATABASE_URL to the primary; after a failover it may take a moment',
  ],
  [
    { 'bool:read_only': 't' },
    'is read-only: take default_transaction_read_only off the server, the database and the user; after a failover it may take a moment',
  ],
])('a database that takes no writes may be another in a moment: %j', async (differs, sentence) => {
  const server = await stub({ row: () => ({ ...standing, ...differs }) });
  const db = openDatabase(server.url);
  opened.push({ close: () => db.destroy() });
  expect(await schemaState(db)).toEqual({
    ok: false,
    problems: [`The database at ${new URL(server.url).host}/shop ${sentence}`],
    lasting: false,
  });
});

test.each([
  [
    '57P03',
    'the database system is starting up',
    'is starting or stopping (57P03): wait until it takes connections',
    true,
  ],
  [
    '53300',
    'sorry, too many clients already',
    'has no connection left (53300): raise max_connections, or the limit of the role or pooler: docs/scale.md, “Connections”, says how many are needed',
    true,
  ],
  [
    '08P01',
    'unsupported startup parameter: options',
    'is a pooler that refuses a startup parameter of DATABASE_URL (08P01): take options=… out of DATABASE_URL, or add options to ignore_startup_parameters of the pooler',
    false,
  ],
  [
    '28P01',
    'password authentication failed for user "ann"',
    'refuses the user or the password (28P01): correct them in DATABASE_URL; characters such as @ : / # % in a password are written as %40 %3A %2F %23 %25',
    false,
  ],
  [
    '28000',
    'no pg_hba.conf entry for host "10.0.0.1", user "ann", database "shop", no encryption',
    'takes connections with TLS only (28000): add sslmode=verify-full to DATABASE_URL, and sslrootcert=FILE where an authority of its own signs it',
    false,
  ],
  [
    '08P01',
    'no such database: shop',
    'does not exist (08P01): create it (CREATE DATABASE), or correct the name in DATABASE_URL',
    false,
  ],
])('who is refused by %s, %s, is shown what to do', async (code, message, sentence, passes) => {
  const server = await stub({ refuse: { code, message } });
  const whole = `The database at ${new URL(server.url).host}/shop ${sentence}.`;
  expect(await said(migrate(server.url, { waitMs: 0 }))).toBe(whole);
  // What may pass is waited for, what does not is said at once.
  const old = { ...standing, 'int4:version': '150006', shown: '15.6' };
  const soonBack = await stub({ refuse: { code, message, times: 1 }, row: () => old });
  expect(await said(migrate(soonBack.url, { waitMs: 5_000 }))).toContain(passes ? '16 or newer is needed' : sentence);
});

test('TLS that is asked for and not there names sslmode', async () => {
  const server = await stub({});
  expect(await said(migrate(`${server.url}?sslmode=require`))).toContain(
    'has no TLS, which sslmode in DATABASE_URL asks for: switch TLS on at the server',
  );
});

test.each([
  ['a table of ours by name', 'CREATE TABLE orders (id int)', 'orders'],
  [
    'migrations of another program',
    "CREATE TABLE migrations (id int, migration text); INSERT INTO migrations VALUES (1, '0001_installation')",
    'migrations',
  ],
  [
    'many tables',
    'CREATE TABLE a (); CREATE TABLE b (); CREATE TABLE c (); CREATE VIEW d AS SELECT 1',
    'a, b, c and 1 more',
  ],
  ['queues of another program', 'CREATE SCHEMA bullmq; CREATE TABLE bullmq.job ()', 'bullmq.job'],
])('a database that holds %s is refused, and nothing is written', async (_, sql, shown) => {
  const shop = await databaseWith(sql);
  const before = await tables(shop);
  const sentence = `holds tables of another program (${shown}), and none of ours: create a database for Tallyhook alone (CREATE DATABASE tallyhook) and set DATABASE_URL to it; nothing was written`;
  expect(await said(migrate(shop.url))).toContain(sentence);
  expect(await schemaState(shop.db)).toMatchObject({
    ok: false,
    problems: [`The database at ${new URL(shop.url).host}${new URL(shop.url).pathname} ${sentence}`],
    lasting: true,
  });
  expect(await tables(shop)).toBe(before);
});

test.each([0, 1])(
  'a database that is migrated after the first %i statements of who looks is no other program’s',
  async (first) => {
    const made = await databaseWith('SELECT');
    let asked = 0;
    const trouble = await examineStanding(async (sql) => {
      if (asked++ === first) await migrate(made.url);
      return await made.db.raw(sql);
    });
    expect(trouble).toBeNull();
    expect(asked).toBeGreaterThan(first);
  },
);

test('of queues that are newer than this program nobody says to migrate', async () => {
  const newer = await databaseWith('SELECT');
  await migrate(newer.url);
  await newer.db.raw(
    'INSERT INTO bullmq.migration SELECT (jsonb_populate_record(one, ?)).* FROM bullmq.migration AS one LIMIT 1',
    [JSON.stringify({ version: 9_999, min_client_version: 9_999 })],
  );
  expect(await schemaState(newer.db)).toEqual({
    ok: false,
    problems: ['the schema of the queues is newer than this program: start the newer version'],
    lasting: true,
  });
});

test('a database with our tables alone lacks the schema of the queues, in our words', async () => {
  const half = await databaseWith('SELECT');
  await migrate(half.url);
  await half.db.raw('DROP SCHEMA bullmq CASCADE');
  expect(await schemaState(half.db)).toEqual({
    ok: false,
    problems: ['the schema of the queues is missing'],
    about: 'schema',
  });
});

test('what a first run left that failed at once is no other program; nor is ours beside others', async () => {
  const left = await databaseWith(
    'CREATE TABLE migrations (id serial PRIMARY KEY, name text, batch integer, migration_time timestamptz); CREATE TABLE migrations_lock (index serial PRIMARY KEY, is_locked integer)',
  );
  expect((await migrate(left.url)).length).toBeGreaterThan(5);
  await left.db.raw('CREATE TABLE shop_carts (id int)');
  expect(await migrate(left.url)).toEqual([]);
  expect(await schemaState(left.db)).toEqual({ ok: true, problems: [] });
});

test('of an empty database all migrations run or none; of another each that ran stays, also when a later one fails', async () => {
  const half = await databaseWith('SELECT 1');
  await half.db.raw(
    "CREATE FUNCTION stop() RETURNS event_trigger LANGUAGE plpgsql AS $$ BEGIN IF to_regclass('public.rejections') IS NOT NULL THEN RAISE 'stopped'; END IF; END $$; CREATE EVENT TRIGGER stop ON ddl_command_end EXECUTE FUNCTION stop()",
  );
  const ran = () => half.db('migrations').pluck('name');
  expect(await said(migrate(half.url))).toContain('stopped');
  expect(await ran()).toEqual([]);
  // Queues without our tables would be another program's: the next run would refuse.
  const { rows } = await half.db.raw(
    "SELECT to_regclass('public.installation') AS made, to_regnamespace('bullmq') AS queues",
  );
  expect(rows).toEqual([{ made: null, queues: null }]);
  await half.db.raw(await readFile(new URL('../../migrations/0001_installation.sql', import.meta.url), 'utf8'));
  await half.db('migrations').insert({ name: '0001_installation.sql', batch: 1, migration_time: new Date() });
  expect(await said(migrate(half.url))).toContain('stopped');
  expect(await ran()).toEqual(['0001_installation.sql', '0002_inbox.sql']);
  await half.db.raw('DROP EVENT TRIGGER stop');
  expect((await migrate(half.url))[0]).toBe('0003_rejections.sql');
});
