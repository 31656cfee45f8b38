import type { Request } from 'express';
import { z } from 'zod';
import { maximumTake } from '../records/database/paging.js';
import { Problem } from './problem.js';

export interface ListQuery {
  take?: number;
  cursor?: string;
  /** Only filters that the list knows and the request named. */
  filters: Record<string, string>;
}

const takeSchema = z.coerce.number().int().min(1).max(maximumTake);

/** Reads `take`, `cursor` and the list's own filters; an unknown or repeated parameter is refused, never ignored. */
export function listQuery(req: Request, known: readonly string[]): ListQuery {
  const query: ListQuery = { filters: {} };
  for (const [name, value] of Object.entries(req.query)) {
    if (typeof value !== 'string') throw badParameter(name, 'is given more than once; give it once');
    if (name === 'take') {
      const take = takeSchema.safeParse(value);
      if (!take.success)
        throw badParameter(name, `is "${value.slice(0, 40)}"; it takes a whole number from 1 to ${maximumTake}`);
      query.take = take.data;
    } else if (name === 'cursor') {
      query.cursor = value;
    } else if (known.includes(name)) {
      query.filters[name] = value;
    } else {
      throw badParameter(
        name,
        `is not known here; known are take, cursor${known.map((filter) => `, ${filter}`).join('')}`,
      );
    }
  }
  return query;
}

function badParameter(name: string, problem: string): Problem {
  return new Problem(400, 'Bad request', `The query parameter ${name.slice(0, 80)} ${problem}.`, {
    parameter: name.slice(0, 80),
  });
}
