import { z } from 'zod';

/** What the records have in common. Objects are strict: a field that is not declared is a mistake in either. */
export const decimal = z
  .string()
  .regex(/^\d{1,36}(\.\d{1,18})?$/)
  .meta({ description: 'A decimal string.', examples: ['25.5'] });

export const signedDecimal = z
  .string()
  .regex(/^-?\d{1,36}(\.\d{1,18})?$/)
  .meta({ description: 'A decimal string, negative for what goes out.', examples: ['-25.5'] });

export const time = z
  .string()
  .regex(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/)
  .meta({ format: 'date-time', examples: ['2027-01-31T12:00:00.000Z'] });

export const url = z
  .string()
  .regex(/^https?:\/\/./)
  .meta({ format: 'uri' });

/** Entries of `statusHistory`. */
export const transitionsOf = (statuses: readonly string[]) =>
  z.array(z.strictObject({ status: z.enum(statuses), timestamp: time, source: z.string() }));

export const freeObject = z.record(z.string(), z.unknown());
