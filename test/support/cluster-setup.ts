import type { TestProject } from 'vitest/node';
import { migrate } from '../../src/records/database.js';
import { createTestCluster, type TestCluster } from './cluster.js';
import { keepPool, TEMPLATE_DATABASE } from './database-pool.js';

declare module 'vitest' {
  export interface ProvidedContext {
    /** The one cluster of this run; the database in the path is a place to stand on, not to write to. */
    clusterUrl: string;
  }
}

/** Two tiers ask for it, each by an instance of this module; the last to end stops it. */
const run = globalThis as { testCluster?: { started: Promise<TestCluster>; users: number } };

/** One Postgres for the whole run. A crash of the machine may lose it: the settings that cost time are off. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const shared = (run.testCluster ??= { started: startCluster(), users: 0 });
  shared.users += 1;
  const cluster = await shared.started;
  project.provide('clusterUrl', cluster.url());
  return async () => {
    shared.users -= 1;
    if (shared.users === 0) await cluster.close();
  };
}

/** Thousands of connections are opened: the handshake of SCRAM takes half of the time that one costs. */
const PLAIN_PASSWORDS = ['--auth-host=password', '--set=scram_iterations=1'];

async function startCluster(): Promise<TestCluster> {
  const settings = { max_connections: '300', fsync: 'off', full_page_writes: 'off', autovacuum_naptime: '10min' };
  const cluster = await createTestCluster(settings, { initdb: PLAIN_PASSWORDS });
  await cluster.ask(`CREATE DATABASE ${TEMPLATE_DATABASE}`);
  await migrate(cluster.url(TEMPLATE_DATABASE));
  const pool = await keepPool(cluster, (line) => process.stderr.write(`${line}\n`));
  const close = async () => {
    await pool.close();
    await cluster.close();
  };
  return { ...cluster, close };
}
