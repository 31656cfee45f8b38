import type { Knex } from 'knex';
import type { Config } from '../config.js';
import type { Logger } from '../log.js';
import { migrate, openDatabase, schemaState } from '../records/database.js';

export interface Store {
  db: Knex;
  /** Where sessions last, for locks, the queue and migrations: DATABASE_DIRECT_URL, else DATABASE_URL. */
  databaseUrl: string;
  close(): Promise<void>;
}

/** Where the embedded database of a working directory lives. */
const EMBEDDED_FOLDER = '.tallyhook';

/**
 * The database that is configured, not yet connected; or the embedded one, running and with both schemas up to date.
 * `max` bounds the connections of this process, queues not counted; `migrate: false` leaves the schemas to the caller.
 */
export async function openStore(
  { config, log }: { config: Pick<Config, 'DATABASE_URL' | 'DATABASE_DIRECT_URL'>; log: Logger },
  options: { max?: number; migrate?: boolean } = {},
): Promise<Store> {
  if (config.DATABASE_URL !== undefined) {
    const db = openDatabase(config.DATABASE_URL, options);
    return { db, databaseUrl: config.DATABASE_DIRECT_URL ?? config.DATABASE_URL, close: () => db.destroy() };
  }
  const { openEmbeddedPostgres } = await import('../embedded-postgres/open-embedded-postgres.js');
  const embedded = await openEmbeddedPostgres({ dir: EMBEDDED_FOLDER, log });
  const db = openDatabase(embedded.url, options);
  const close = async () => {
    await db.destroy();
    await embedded.close();
  };
  try {
    if (options.migrate !== false && !(await schemaState(db)).ok) await migrate(embedded.url);
    return { db, databaseUrl: embedded.url, close };
  } catch (error) {
    await close();
    throw error;
  }
}
