import { readdir, readFile } from 'node:fs/promises';
import { callbackify } from 'node:util';
import knex, { type Knex } from 'knex';
import { Client } from 'pg';
import { DatabaseError, unready } from './database/database-trouble.js';
import { examineInbox, examineStanding, openWhenAnswering } from './database/examine-database.js';
import { examineSessions } from './database/examine-sessions.js';
import { together } from './database/statements.js';
import { anyText, TextClient } from './database/text-client.js';
import { verifyingTls, type WatchedConnection, watchConnection } from './database/watch-connection.js';

/** The schema BullMQ keeps its queues in when there is no Redis. */
export const QUEUE_SCHEMA = 'bullmq';

/** The same distance from src/records/ and from dist/records/. */
const MIGRATIONS = new URL('../../migrations/', import.meta.url);
const MIGRATION_TABLE = 'migrations';
const MIGRATION_LOCK = 7_416_025;
const CONNECT_TIMEOUT_MS = 5_000;
/** What is asked together is sent together (`together`); knex hands it to pg, and has no type for it. */
const PIPELINED = { pipeline: true };
const LOCK_MS = 5_000;
/** A server that is not there yet, as beside a container that starts with ours, is waited for. */
const MIGRATE_WAIT_MS = 10_000;

/**
 * A connection pool. `bigint` and `numeric` come back as strings, so that no digit is lost; any string comes back as it was.
 * Nothing is connected until the first query.
 */
export function openDatabase(given: string, options: { max?: number; applicationName?: string } = {}): Knex {
  const url = verifyingTls(given);
  const db = knex({
    client: 'pg',
    connection: {
      connectionString: url,
      application_name: options.applicationName ?? 'tallyhook',
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      keepAlive: true,
      types: anyText,
      ...PIPELINED,
    },
    pool: {
      min: 0,
      max: options.max ?? 10,
      afterCreate: callbackify((connection: WatchedConnection) => watchConnection(connection, url)),
    },
    acquireConnectionTimeout: 2 * CONNECT_TIMEOUT_MS,
    // Knex writes to stdout, which belongs to data. What it would say there it also throws.
    log: { warn() {}, error() {}, deprecate() {}, debug() {} },
  });
  db.client.driver = { Client: TextClient };
  return db;
}

/** The address that `openDatabase` was given. */
export const addressOf = (db: Knex): string => db.client.config.connection.connectionString;

/** Who waits for a table makes all others wait behind it: no migration does so for longer than that. */
function migrationSource(lockMs: number): Knex.MigrationSource<string> {
  return {
    getMigrations: () => migrationNames(),
    getMigrationName: (name) => name,
    getMigration: async (name) => {
      const sql = await sqlOf(name);
      return {
        up: async (trx) => {
          await trx.raw(settingsOf(lockMs));
          await trx.raw(sql);
        },
        config: { transaction: true },
        down: () => Promise.reject(new Error(`${name} can't be undone: migrations only go forward`)),
      };
    },
  };
}

/** A crash of the server takes a migration and the row that names it: it is run again. */
const settingsOf = (lockMs: number): string => `SET LOCAL lock_timeout = ${lockMs}; SET LOCAL synchronous_commit = off`;

async function sqlOf(name: string): Promise<string> {
  const sql = await readFile(new URL(name, MIGRATIONS), 'utf8');
  return sql.replaceAll('?', '\\?');
}

async function migrationNames(): Promise<string[]> {
  const names = await readdir(MIGRATIONS);
  return names.filter((name) => /^\d{4}_.*\.sql$/.test(name)).sort();
}

/**
 * Brings both schemas, ours and BullMQ's, up to date; returns the names of our migrations that ran now.
 * May run in several processes at once: one works, the others wait. Each migration is a transaction.
 *
 * @param options.lockMs a migration fails where it would wait for a table for longer, and does nothing
 * @param options.waitMs how long a server that does not answer now is waited for
 * @param options.pooledUrl DATABASE_URL, where `url` is DATABASE_DIRECT_URL
 * @throws {DatabaseError} before anything is written, where the server or the database is none that we can work with
 */
export async function migrate(
  url: string,
  { lockMs = LOCK_MS, waitMs = MIGRATE_WAIT_MS, pooledUrl = url } = {},
): Promise<string[]> {
  const lock = await openWhenAnswering(url, { applicationName: 'tallyhook migrate', waitMs });
  const db = openDatabase(url, { max: 2, applicationName: 'tallyhook migrate' });
  try {
    const trouble =
      (await examineStanding((sql) => lock.query(sql), { toMigrate: true })) ??
      (await examineSessions({ url: pooledUrl, directUrl: url }));
    if (trouble) throw new DatabaseError(trouble, url);
    await lock.query('SELECT pg_advisory_lock($1)', [MIGRATION_LOCK]);
    await lock.query(`SET lock_timeout = ${lockMs}`);
    const config: Knex.MigratorConfig = {
      migrationSource: migrationSource(lockMs),
      tableName: MIGRATION_TABLE,
      // Not one transaction for all: each has its own. What ran stays when a later one fails, and a table is held for no
      // longer than its own takes.
      disableTransactions: true,
      // An older program beside a newer one must still be able to start.
      disableMigrationsListValidation: true,
    };
    // Knex's own lock is a row that outlives a killed process. We hold the advisory lock: whoever set it is dead.
    await db.migrate.forceFreeMigrationsLock(config);
    const isNew = (await db.migrate.currentVersion(config)) === 'none';
    // Loaded here alone: BullMQ is big, and most commands don't need it to start.
    const loading = import('bullmq');
    const [ran, { runMigrations }] = await together(isNew ? migrateEmpty(db, lockMs) : migrateOn(db, config), loading);
    // Ours first: queues without our tables are another program's (`examineStanding`), also to who looks right now.
    await runMigrations(lock, QUEUE_SCHEMA);
    return ran;
  } finally {
    await db.destroy();
    await lock.end();
  }
}

async function migrateOn(db: Knex, config: Knex.MigratorConfig): Promise<string[]> {
  const [, ran] = (await db.migrate.latest(config)) as [number, string[]];
  return ran;
}

/** All of them as one transaction, sent at once: nobody waits for a table that is not there yet, and a start waits for this. */
async function migrateEmpty(db: Knex, lockMs: number): Promise<string[]> {
  const names = await migrationNames();
  const texts = await Promise.all(names.map(sqlOf));
  await db.transaction(async (trx) => {
    await trx.raw([settingsOf(lockMs), ...texts].join(';\n'));
    await trx(MIGRATION_TABLE).insert(names.map((name) => ({ name, batch: 1, migration_time: new Date() })));
  });
  return names;
}

/** Whether the database can be worked with, and what is wrong. */
export interface DatabaseState {
  ok: boolean;
  problems: string[];
  /** The server answers as it should, and a schema is missing or older than this program: `tallyhook migrate` is to be run. */
  about?: 'schema';
  /** Waiting does not help. */
  lasting?: boolean;
}

/**
 * Whether this program can work here: on a server and a database that it can use, with both schemas as new as it needs.
 * Throws only when the database can't be asked.
 */
export async function schemaState(db: Knex): Promise<DatabaseState> {
  const trouble = await examineStanding((sql) => db.raw(sql));
  if (trouble) return unready(trouble, addressOf(db));
  const problems: string[] = [];
  const { migrations: missing, queues: queue } = await pendingMigrations(db);
  const [first, ...more] = missing;
  const named = more.length < 3 ? missing.join(', ') : `${missing.length}, from ${first} to ${more.at(-1)}`;
  if (first !== undefined) problems.push(`migrations not run: ${named}`);
  if (queue) problems.push(queue);
  if (problems.length === 0) return { ok: true, problems };
  return problems.every((one) => one === NEWER_QUEUES)
    ? { ok: false, problems, lasting: true }
    : { ok: false, problems, about: 'schema' };
}

/** The same, and whether events can be stored right now. */
export async function storingState(db: Knex): Promise<DatabaseState> {
  const state = await schemaState(db);
  const trouble = state.ok ? await examineInbox((sql) => db.raw(sql)) : null;
  return trouble ? unready(trouble, addressOf(db)) : state;
}

/** Where the database has migrations that this program does not know, that in a sentence. It goes on working: they expand first. */
export async function newerSchema(db: Knex): Promise<string | null> {
  const own = (await migrationNames()).at(-1) ?? '';
  const newest = [...(await appliedMigrations(db))].sort().at(-1) ?? '';
  if (newest <= own) return null;
  return `this program is older than the database's schema; its newest migration is ${own}, the database's is ${newest}`;
}

/** What `migrate` would run: our migrations by name, and what of BullMQ's schema is not as needed. Writes nothing. */
export async function pendingMigrations(db: Knex): Promise<{ migrations: string[]; queues: string | null }> {
  const done = await appliedMigrations(db);
  const migrations = (await migrationNames()).filter((name) => !done.has(name));
  return { migrations, queues: await queueSchemaProblem(db) };
}

async function appliedMigrations(db: Knex): Promise<Set<string>> {
  const exists = await db.raw<{ rows: { found: boolean }[] }>('SELECT to_regclass(?) IS NOT NULL AS found', [
    MIGRATION_TABLE,
  ]);
  if (!exists.rows[0]?.found) return new Set();
  return new Set(await db<{ name: string }>(MIGRATION_TABLE).pluck('name'));
}

const NEWER_QUEUES = 'the schema of the queues is newer than this program: start the newer version';

async function queueSchemaProblem(db: Knex): Promise<string | null> {
  const { assertSchemaCompatibility, LATEST_SCHEMA_VERSION, SchemaMigrationRequiredError, SchemaVersionMismatchError } =
    await import('bullmq');
  const connection: Client = await db.client.acquireConnection();
  try {
    const version = await assertSchemaCompatibility(connection, QUEUE_SCHEMA);
    if (version >= LATEST_SCHEMA_VERSION) return null;
    return `the schema of the queues is at version ${version}, needed is ${LATEST_SCHEMA_VERSION}`;
  } catch (error) {
    if (error instanceof SchemaMigrationRequiredError) return 'the schema of the queues is missing';
    if (error instanceof SchemaVersionMismatchError) return NEWER_QUEUES;
    throw error;
  } finally {
    await db.client.releaseConnection(connection);
  }
}
