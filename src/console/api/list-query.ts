import { z } from 'zod';
import { maximumTake } from '../../records/database/paging.js';
import { Problem } from '../problem.js';

export interface ListQuery {
  take?: number | undefined;
  cursor?: string | undefined;
  /** Only filters that the list knows and the request named. */
  filters: Record<string, string>;
}

const takes = `takes a whole number from 1 to ${maximumTake}`;

/** How much of a list, and from where. */
export const paging = {
  take: z.coerce
    .number(takes)
    .int(takes)
    .min(1, takes)
    .max(maximumTake, takes)
    .optional()
    .meta({ description: 'How many at most; 50 where it is left out.', examples: [100] }),
  cursor: z.string().optional().meta({ description: 'nextCursor of the page before. Opaque.' }),
};

/** The query of a list that can be narrowed by these fields. */
export function listQuery(filters: readonly string[]): z.ZodObject {
  const byField = filters.map((name) => [
    name,
    z
      .string()
      .optional()
      .meta({ description: `Only with this ${name}.` }),
  ]);
  return z.strictObject({ ...paging, ...(Object.fromEntries(byField) as Record<string, z.ZodType>) });
}

/** Reads a query as its schema says; an unknown or repeated parameter is refused, never ignored. */
export function readQuery(schema: z.ZodObject, given: Readonly<Record<string, unknown>>): Record<string, unknown> {
  for (const [name, value] of Object.entries(given)) {
    if (typeof value !== 'string') throw badParameter(name, 'is given more than once; give it once');
  }
  const result = schema.safeParse(given);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  if (issue?.code === 'unrecognized_keys') {
    const known = Object.keys(schema.shape).join(', ');
    throw badParameter(issue.keys[0] ?? '', `is not known here; known are ${known}`);
  }
  const name = String(issue?.path[0] ?? '');
  throw badParameter(name, `is "${String(given[name]).slice(0, 40)}"; it ${issue?.message ?? 'is not right'}`);
}

function badParameter(name: string, problem: string): Problem {
  return new Problem(400, 'Bad request', `The query parameter ${name.slice(0, 80)} ${problem}.`, {
    parameter: name.slice(0, 80),
  });
}
