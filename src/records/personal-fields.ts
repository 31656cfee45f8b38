import { createHmac } from 'node:crypto';
import type { Knex } from 'knex';
import { isJsonObject, type Json } from '../domain/json.js';
import { toJsonText } from '../domain/json-text.js';

/**
 * Fields that tell of a person (specification 2.1, 2.3, 2.5, 2.14), at any depth of a record. The history holds a
 * digest in their place. Addresses on a chain are not among them, but for the one that the customer named as their own.
 */
const personalFields: ReadonlySet<string> = new Set([
  'customerEmail',
  'customerName',
  'customerRefundAddress',
  'email',
  'firstName',
  'lastName',
  'phoneNumber',
  'refundAddress',
]);

/** Stands a digest in for every personal field inside the value of the field `name`. */
export type Redact = (name: string, value: Json) => Json;

export async function readRedaction(db: Knex): Promise<Redact> {
  const row = await db<{ key: Buffer }>('personal_key').first('key');
  if (row === undefined) throw new Error('The key of personal digests is missing: run `tallyhook migrate`');
  return redactWith(row.key);
}

function redactWith(key: Buffer): Redact {
  const redact = (name: string, value: Json): Json => {
    if (value === null) return null;
    if (personalFields.has(name)) return digest(key, value);
    if (Array.isArray(value)) return value.map((item) => redact('', item));
    return isJsonObject(value) && holdsPersonal(value)
      ? Object.fromEntries(Object.entries(value).map(([inner, item]) => [inner, redact(inner, item)]))
      : value;
  };
  return redact;
}

function holdsPersonal(value: Json): boolean {
  if (Array.isArray(value)) return value.some(holdsPersonal);
  if (!isJsonObject(value)) return false;
  return Object.entries(value).some(([name, item]) => personalFields.has(name) || holdsPersonal(item));
}

function digest(key: Buffer, value: Json): string {
  return `hmac-sha256:${createHmac('sha256', key).update(toJsonText(value)).digest('hex')}`;
}
