import type { Knex } from 'knex';
import { Client } from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, inject } from 'vitest';
import { openDatabase } from '../../src/records/database.js';
import { copied, newName, TAKE } from './database-pool.js';
import { openDatabases } from './open-databases.js';

export interface TestDatabase {
  url: string;
  db: Knex;
  drop(): Promise<void>;
}

/** A fresh database with both schemas, in the cluster of this run. `drop` cuts whoever is still connected. */
export async function createTestDatabase(): Promise<TestDatabase> {
  const [ready] = await onCluster<{ name: string }>(TAKE);
  const name = ready?.name ?? newName();
  if (ready === undefined) await onCluster(copied(name));
  return opened(name);
}

/** One for all tests of a file, or of the `describe` that asks; it can be used from its hooks on, and goes after all of theirs. */
export function useDatabase(): TestDatabase {
  const database = {} as TestDatabase;
  beforeAll(async () => void Object.assign(database, await createTestDatabase()));
  afterAll(() => database.drop());
  return database;
}

/** One for each test, for what can't be taken back. */
export function useFreshDatabase(): TestDatabase {
  const database = {} as TestDatabase;
  beforeEach(async () => void Object.assign(database, await createTestDatabase()));
  afterEach(() => database.drop());
  return database;
}

/** The same without any schema. */
export async function createEmptyDatabase(): Promise<TestDatabase> {
  const name = newName();
  await onCluster(`CREATE DATABASE ${name}`);
  return opened(name);
}

function opened(name: string): TestDatabase {
  openDatabases.add(name);
  const url = new URL(inject('clusterUrl'));
  url.pathname = `/${name}`;
  const db = openDatabase(url.href);
  return {
    url: url.href,
    db,
    drop: async () => {
      await db.destroy();
      await onCluster(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
      openDatabases.delete(name);
    },
  };
}

/** Of this process; one that ended is made anew. */
let standing: Promise<Client> | null = null;

/** Runs a statement on the cluster's own database, where databases are made and dropped. */
export async function onCluster<Row extends object>(sql: string): Promise<Row[]> {
  standing ??= connected();
  const client = await standing;
  return (await client.query<Row>(sql)).rows;
}

async function connected(): Promise<Client> {
  const client = new Client({ connectionString: inject('clusterUrl') });
  const forget = () => {
    standing = null;
  };
  client.on('error', forget);
  client.on('end', forget);
  await client.connect().catch((error: unknown) => {
    forget();
    throw error;
  });
  // Files of a tier share it: it is no file's to close, and keeps no process alive.
  (client as Client & { unref(): void }).unref();
  return client;
}
