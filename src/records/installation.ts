import type { Knex } from 'knex';
import { expectHeartbeats } from './process-heartbeats.js';

export interface Installation {
  adoptedAt: Date;
  serviceBaseUrl: string;
}

/**
 * Binds an unbound database to a service, or says what it is bound to. Idempotent; of several processes that start at
 * once one decides. The adoption date of the first call stays for ever. From then on a receiver and a worker are expected.
 */
export async function bindInstallation(db: Knex, configured: Installation): Promise<Installation> {
  await db('installation')
    .insert({ adopted_at: configured.adoptedAt, service_base_url: configured.serviceBaseUrl })
    .onConflict('only_one')
    .ignore();
  await expectHeartbeats(db, ['receiver', 'worker']);
  const bound = await findInstallation(db);
  if (!bound) throw new Error('the installation row is gone');
  return bound;
}

/** What was created before is history. */
export const adoptedAtOf = async (db: Knex): Promise<Date> => (await findInstallation(db))?.adoptedAt ?? new Date(0);

/** What the database is bound to; null before the first start. */
export async function findInstallation(db: Knex): Promise<Installation | null> {
  const row = await db<{ adopted_at: Date; service_base_url: string }>('installation').first();
  return row ? { adoptedAt: row.adopted_at, serviceBaseUrl: row.service_base_url } : null;
}

/** By the settings of its pool: the key of a database is made once, for good. */
const keys = new WeakMap<object, Buffer>();

/** What personal values are hashed with. */
export async function personalKey(db: Knex): Promise<Buffer> {
  const { config } = db.client as { config: object };
  const key = keys.get(config) ?? (await readKey(db));
  keys.set(config, key);
  return key;
}

async function readKey(db: Knex): Promise<Buffer> {
  const row = await db<{ key: Buffer }>('personal_key').first('key');
  if (row === undefined) throw new Error('The key of personal digests is missing: run `tallyhook migrate`');
  return row.key;
}
