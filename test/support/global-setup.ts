import { rm } from 'node:fs/promises';
import path from 'node:path';
import { Client } from 'pg';
import type { TestProject } from 'vitest/node';
import { migrate } from '../../src/records/database.js';
import { buildProgram } from './build-program.js';
import { createTestCluster, removeAbandonedClusters } from './cluster.js';
import { TEMPLATE_DATABASE } from './database.js';

declare module 'vitest' {
  export interface ProvidedContext {
    /** The one cluster of this run; the database in the path is a place to stand on, not to write to. */
    clusterUrl: string;
    /** Folder of the compiled program, for tests that start processes: `cli.js` is in it. */
    program: string;
  }
}

/** One Postgres for the whole run. A crash of the machine may lose it: the settings that cost time are off. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  await removeAbandonedClusters();
  const building = buildProgram();
  const cluster = await createTestCluster({
    max_connections: '300',
    fsync: 'off',
    full_page_writes: 'off',
    autovacuum_naptime: '10min',
  });
  const client = new Client({ connectionString: cluster.url() });
  await client.connect();
  await client.query(`CREATE DATABASE ${TEMPLATE_DATABASE}`);
  await client.end();
  await migrate(cluster.url(TEMPLATE_DATABASE));
  project.provide('clusterUrl', cluster.url());
  const program = await building;
  project.provide('program', path.join(program, 'dist'));
  return async () => {
    await rm(program, { recursive: true, force: true });
    await cluster.close();
  };
}
