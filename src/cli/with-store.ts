import type { Knex } from 'knex';
import { type Config, loadConfig } from '../config.js';
import { createLog, type Logger } from '../log.js';
import { openStore } from '../wiring/open-store.js';
import { reachingDatabase } from './reaching-database.js';

type Work<T> = (store: { db: Knex; databaseUrl: string; config: Config; log: Logger }) => Promise<T>;

/** Runs one short command against the database, joining the embedded one where that is in use, and leaves it again. */
export async function withStore<T>(work: Work<T>): Promise<T> {
  const config = loadConfig();
  return reachingDatabase(config, () => workAt(config, work));
}

async function workAt<T>(config: Config, work: Work<T>): Promise<T> {
  const log = createLog(config.LOG_LEVEL);
  const store = await openStore({ config, log }, { max: 4 });
  // Killed before it has left, it would leave an embedded server behind that nobody uses.
  const interrupt = () => void store.close().finally(() => process.exit(130));
  process.once('SIGINT', interrupt).once('SIGTERM', interrupt);
  try {
    return await work({ ...store, config, log });
  } finally {
    process.off('SIGINT', interrupt).off('SIGTERM', interrupt);
    await store.close();
  }
}
