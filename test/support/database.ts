import { randomBytes } from 'node:crypto';
import type { Knex } from 'knex';
import { Client } from 'pg';
import { inject } from 'vitest';
import { openDatabase } from '../../src/records/database.js';
import { openDatabases } from './open-databases.js';

export const TEMPLATE_DATABASE = 'template_migrated';

export interface TestDatabase {
  url: string;
  db: Knex;
  drop(): Promise<void>;
}

/** A fresh database with both schemas, in the cluster of this run. `drop` cuts whoever is still connected. */
export async function createTestDatabase(): Promise<TestDatabase> {
  return createDatabase(`TEMPLATE ${TEMPLATE_DATABASE} STRATEGY FILE_COPY`);
}

/** The same without any schema. */
export async function createEmptyDatabase(): Promise<TestDatabase> {
  return createDatabase('');
}

async function createDatabase(options: string): Promise<TestDatabase> {
  const name = `test_${randomBytes(6).toString('hex')}`;
  await onCluster(`CREATE DATABASE ${name} ${options}`);
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

/** Runs a statement on the cluster's own database, where databases are made and dropped. */
export async function onCluster(sql: string): Promise<void> {
  const client = new Client({ connectionString: inject('clusterUrl') });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}
