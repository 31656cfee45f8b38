import { z } from 'zod';

const longest = 2_000;

/** Why, in the actor's words: kept in the audit. */
export const note = z
  .string()
  .trim()
  .min(1)
  .max(longest)
  .meta({ description: 'Why; kept beside what you do.', examples: ['asked for by the shop'] });

export const optionalNote = note.nullable().default(null);

export const accepted = z
  .object({ accepted: z.literal(true), id: z.string() })
  .meta({ id: 'Accepted', description: 'Another process does it within seconds.' });
