import { randomBytes } from 'node:crypto';
import { Client } from 'pg';
import type { TestCluster } from './cluster.js';
import { until } from './drill.js';

export const TEMPLATE_DATABASE = 'template_migrated';
/** Made ahead: more than the files that run at once begin with. */
const READY = 4;

export const newName = (): string => `test_${randomBytes(6).toString('hex')}`;
/** Copied file by file: in memory a quarter of the time that a copy through the log takes. */
export const copied = (name: string): string =>
  `CREATE DATABASE ${name} TEMPLATE ${TEMPLATE_DATABASE} STRATEGY FILE_COPY`;
/** Answers a database that nobody else is given, or nothing where none is ready. */
export const TAKE = `WITH taken AS (
  DELETE FROM ready_databases WHERE name = (SELECT name FROM ready_databases LIMIT 1 FOR UPDATE SKIP LOCKED) RETURNING name
) SELECT name, pg_notify('taken', name) FROM taken`;

/**
 * Keeps a few migrated databases ready in the cluster of a run: each that is taken is replaced meanwhile. A server that
 * ends under it is started again, and `say` says so: files that used it fail, the others go on.
 */
export async function keepPool(cluster: TestCluster, say: (line: string) => void): Promise<{ close(): Promise<void> }> {
  let isClosing = false;
  let work = Promise.resolve();
  let client = await connected();

  async function connected(): Promise<Client> {
    const made = new Client({ connectionString: cluster.url() });
    made.on('error', () => {});
    made.on('notification', () => next(make));
    await made.connect();
    made.on('end', () => next(revive));
    await made.query('CREATE TABLE IF NOT EXISTS ready_databases (name text PRIMARY KEY)');
    await made.query('LISTEN taken');
    return made;
  }

  /** One step after the other. Why none is made shows where one is asked for. */
  function next(step: () => Promise<void>): void {
    if (!isClosing) work = work.then(step).catch(() => {});
  }

  async function make(): Promise<void> {
    const name = newName();
    await client.query(copied(name));
    await client.query('INSERT INTO ready_databases VALUES ($1)', [name]);
  }

  /** Those that were asked for while the server was away were not made. */
  async function fill(): Promise<void> {
    const { rowCount } = await client.query('SELECT FROM ready_databases');
    for (let n = rowCount ?? 0; n < READY; n += 1) await make();
  }

  async function revive(): Promise<void> {
    say('the Postgres of this run ended under its tests, and is started again');
    // One that is about to end may look ready for a moment longer.
    const back = async () => {
      if (!(await cluster.isReady())) await cluster.start();
      client = await connected();
      return true;
    };
    await until('Postgres is there again', () => isClosing || back(), { timeoutMs: 30_000 }).catch((error: unknown) =>
      say(String(error)),
    );
    await fill();
  }

  next(fill);
  return {
    close: async () => {
      isClosing = true;
      await work;
      await client.end();
    },
  };
}
