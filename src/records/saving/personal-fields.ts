import { createHmac } from 'node:crypto';
import type { Knex } from 'knex';
import type { Json } from '../../domain/json.js';
import { toJsonText } from '../../domain/json-text.js';
import { MASK, replacePersonal } from '../../domain/personal.js';
import type { RecordKind } from '../../domain/records.js';

/** Stands a digest in for every personal value (domain/personal.ts) inside the value of the field `name`. */
export type Redact = (kind: RecordKind, name: string, value: Json) => Json;

/** By the settings of its pool: the key of a database is made once, for good. */
const keys = new WeakMap<object, Buffer>();

export async function readRedaction(db: Knex): Promise<Redact> {
  const { config } = db.client as { config: object };
  const key = keys.get(config) ?? (await readKey(db));
  keys.set(config, key);
  return (kind, name, value) => replacePersonal(kind, name, value, (personal) => digest(key, personal));
}

async function readKey(db: Knex): Promise<Buffer> {
  const row = await db<{ key: Buffer }>('personal_key').first('key');
  if (row === undefined) throw new Error('The key of personal digests is missing: run `tallyhook migrate`');
  return row.key;
}

/** What is masked says nothing, and must be shown as masked. */
function digest(key: Buffer, value: Json): string {
  if (value === MASK) return MASK;
  return `hmac-sha256:${createHmac('sha256', key).update(toJsonText(value)).digest('hex')}`;
}
