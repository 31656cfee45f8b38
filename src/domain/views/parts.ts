import { z } from 'zod';
import type { AgeBucket } from '../age-buckets.js';
import type { Json } from '../json.js';
import { entityKinds } from '../records.js';

/** The same schema with its meaning, and with an example where there is one. */
export function described<S extends z.ZodType>(schema: S, description: string, example?: unknown): S {
  return schema.meta({ description, ...(example === undefined ? {} : { examples: [example] }) });
}

/** The words that a field takes; `text`: any. */
export function wordsOf(field: unknown): 'text' | readonly string[] {
  if (field instanceof z.ZodNullable || field instanceof z.ZodOptional) return wordsOf(field.unwrap());
  if (field instanceof z.ZodBoolean) return ['true', 'false'];
  return field instanceof z.ZodEnum ? field.options.map(String) : 'text';
}

export const amount = z.string().meta({
  id: 'Amount',
  description: 'A decimal string without trailing zeros, never a JSON number.',
  pattern: '^-?\\d+(\\.\\d+)?$',
  examples: ['49.9'],
});

export const time = z.string().meta({
  id: 'Time',
  description: 'ISO 8601, UTC.',
  format: 'date-time',
  examples: ['2026-10-31T12:00:00.000Z'],
});

export const ownId = described(z.string(), 'An id of ours: digits, to be taken as a text.', '128');
export const assetCode = described(z.string(), 'An asset as the service names it.', 'USDT.TRON');
export const text = z.string();
export const count = z.int().min(0);
export const month = z.string().meta({ description: 'A month.', pattern: '^\\d{4}-\\d\\d$', examples: ['2026-10'] });
export const ages = z.enum(['0-30', '31-60', '61-90', '90+'] satisfies AgeBucket[]);

export const anything: z.ZodType<Json> = z.unknown() as never;
export const anyObject = z.record(z.string(), z.unknown());

export const entity = z
  .object({ kind: z.enum(entityKinds), id: described(z.string(), 'Its id.', 'pi_1') })
  .meta({ id: 'Entity', description: 'What it is about.' });
