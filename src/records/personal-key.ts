import type { Knex } from 'knex';

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
