import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Client } from 'pg';
import type { TestProject } from 'vitest/node';
import { prepareBinaries } from '../../src/embedded-postgres/binaries.js';
import {
  initCluster,
  MAINTENANCE_DATABASE,
  ROLE,
  startCluster,
  stopCluster,
} from '../../src/embedded-postgres/cluster.js';
import { freePort } from '../../src/embedded-postgres/free-port.js';
import { chooseIdentity, homeOf } from '../../src/embedded-postgres/identity.js';
import { isSameProcess, processIdentity } from '../../src/embedded-postgres/process.js';
import { migrate } from '../../src/records/database.js';
import { buildProgram } from './build-program.js';
import { TEMPLATE_DATABASE } from './database.js';

declare module 'vitest' {
  export interface ProvidedContext {
    /** The one cluster of this run; the database in the path is a place to stand on, not to write to. */
    clusterUrl: string;
    /** Folder of the compiled program, for tests that start processes: `cli.js` is in it. */
    program: string;
  }
}

const PREFIX = 'tallyhook-test-';

/** One Postgres for the whole run. A crash of the machine may lose it: the settings that cost time are off. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  await removeAbandoned();
  const building = buildProgram();
  const dir = await mkdtemp(path.join(tmpdir(), `${PREFIX}${processIdentity(process.pid).replace(' ', '-')}-`));
  const password = randomBytes(16).toString('hex');
  const identity = await chooseIdentity({ folder: dir, native: await prepareBinaries(dir), lodgings: dir });
  const data = path.join(identity.home, 'data');
  await initCluster(identity, data, password, ['--no-sync']);
  const { port } = await startCluster(identity, {
    data,
    logFile: path.join(dir, 'log'),
    port: await freePort(null),
    settings: { max_connections: '300', fsync: 'off', full_page_writes: 'off', autovacuum_naptime: '10min' },
  });
  const url = (database: string) => `postgres://${ROLE}:${password}@127.0.0.1:${port}/${database}`;
  const client = new Client({ connectionString: url(MAINTENANCE_DATABASE) });
  await client.connect();
  await client.query(`CREATE DATABASE ${TEMPLATE_DATABASE}`);
  await client.end();
  await migrate(url(TEMPLATE_DATABASE));
  project.provide('clusterUrl', url(MAINTENANCE_DATABASE));
  const program = await building;
  project.provide('program', path.join(program, 'dist'));
  return async () => {
    await rm(program, { recursive: true, force: true });
    await stopCluster(data);
    await rm(dir, { recursive: true, force: true });
  };
}

/** A run that was killed could not clean up after itself. */
async function removeAbandoned(): Promise<void> {
  for (const name of await readdir(tmpdir())) {
    const owner = /^tallyhook-test-(\d+)-([\d-]+)-/.exec(name);
    if (!owner || isSameProcess(`${owner[1]} ${owner[2]}`)) continue;
    const dir = path.join(tmpdir(), name);
    await stopCluster(path.join(await homeOf(dir), 'data')).catch(() => {});
    await rm(dir, { recursive: true, force: true });
  }
}
