import { TimeoutStrategy, timeout } from 'cockatiel';
import type { Knex } from 'knex';
import type { Config } from '../config.js';
import type { Logger } from '../log.js';
import { passwordComesFrom } from '../records/database/database-trouble.js';
import { type RunStep, runPlainly } from './start-steps.js';

export interface Store {
  db: Knex;
  /** Where sessions last, for locks, the queue and migrations: DATABASE_DIRECT_URL, else DATABASE_URL. */
  databaseUrl: string;
  close(): Promise<void>;
}

type StoreConfig = Pick<Config, 'DATABASE_URL' | 'DATABASE_DIRECT_URL'> & Partial<Pick<Config, 'passwordSetting'>>;

/** Where the embedded database of a working directory lives. */
export const EMBEDDED_FOLDER = '.tallyhook';
/** A statement that waits for a lock would be waited for as long. */
const destroying = timeout(2_000, TimeoutStrategy.Aggressive);
const EMBEDDED_GRACE_MS = 20_000;

/**
 * The database that is configured, not yet connected; or the embedded one, running and with both schemas up to date.
 * `onWait` is called, maybe again, when there is only to wait for it. `max` bounds the connections of this process, queues
 * not counted; `migrate: false` leaves the schemas to the caller.
 */
export async function openStore(
  { config, log }: { config: StoreConfig; log: Logger },
  {
    run = runPlainly,
    onWait,
    ...options
  }: { max?: number; migrate?: boolean; run?: RunStep | undefined; onWait?: (() => void) | undefined },
): Promise<Store> {
  passwordComesFrom(config.passwordSetting);
  if (config.DATABASE_URL !== undefined) {
    onWait?.();
    const { openDatabase } = await loadDriver();
    const db = openDatabase(config.DATABASE_URL, options);
    return { db, databaseUrl: config.DATABASE_DIRECT_URL ?? config.DATABASE_URL, close: () => destroy(db) };
  }
  const { openEmbeddedPostgres } = await import('../embedded-postgres/open-embedded-postgres.js');
  const embedded = await run(
    'embedded database',
    (signal) => openEmbeddedPostgres({ dir: EMBEDDED_FOLDER, log, signal, onWait }),
    { graceMs: EMBEDDED_GRACE_MS },
  );
  const { migrate, openDatabase, schemaState } = await loadDriver();
  const db = openDatabase(embedded.url, options);
  const close = async () => {
    await destroy(db);
    await embedded.close();
  };
  try {
    if (options.migrate !== false) {
      await run('migrations', async () => {
        if (!(await schemaState(db)).ok) await migrate(embedded.url);
      });
    }
    return { db, databaseUrl: embedded.url, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Its driver takes a moment, in which the embedded database can be made. */
const loadDriver = () => import('../records/database.js');

async function destroy(db: Knex): Promise<void> {
  await destroying.execute(() => db.destroy()).catch(() => {});
}
