import { randomBytes } from 'node:crypto';
import { migrate } from '../../src/records/database.js';
import { createTestCluster, type TestCluster } from '../support/cluster.js';
import { TEMPLATE_DATABASE } from '../support/database-pool.js';

export interface ChaosDatabase {
  name: string;
  drop(): Promise<void>;
}

/** Room for the server, its log of changes and what the scenarios write, and little beside it. */
const DISK_MB = 384;

/**
 * The server of all scenarios, which they may stop, move and fill: on a small disk of its own where the system allows
 * that. Its settings are the careful ones that count: every commit is on disk before it is answered.
 */
export async function createChaosCluster(): Promise<TestCluster> {
  const settings = { max_connections: '200', max_wal_size: '64MB', min_wal_size: '32MB', autovacuum_naptime: '10min' };
  const cluster = await createTestCluster(settings, { diskMb: DISK_MB });
  if (!cluster.hasOwnDisk) {
    process.stderr.write('\n!!! No disk can be mounted here: the full disk of Postgres is SKIPPED !!!\n');
  }
  await cluster.ask(`CREATE DATABASE ${TEMPLATE_DATABASE}`);
  await migrate(cluster.url(TEMPLATE_DATABASE));
  return cluster;
}

export async function createChaosDatabase(cluster: TestCluster): Promise<ChaosDatabase> {
  const name = `chaos_${randomBytes(6).toString('hex')}`;
  await cluster.ask(`CREATE DATABASE ${name} TEMPLATE ${TEMPLATE_DATABASE}`);
  return { name, drop: async () => void (await cluster.ask(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`)) };
}
