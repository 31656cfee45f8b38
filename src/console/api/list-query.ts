import { z } from 'zod';
import { described, wordsOf } from '../../domain/views/parts.js';
import { maximumTake } from '../../records/database/paging.js';
import { badRequest, Problem } from '../problem.js';

export interface ListQuery {
  take?: number | undefined;
  cursor?: string | undefined;
  /** Only filters that the list knows and the request named. */
  filters: Record<string, string>;
  /** Whoever asks may know who the customers are. */
  knowsPeople?: boolean;
}

/** A parameter that may be left out. */
export function wholeNumber(most: number, what = 'whole number', least = 1): z.ZodOptional<z.ZodCoercedNumber> {
  const takes = `takes a ${what} from ${least} to ${most}`;
  return z.coerce.number(takes).int(takes).min(least, takes).max(most, takes).optional();
}

/** How much of a list, and from where. */
export const paging = {
  take: described(wholeNumber(maximumTake), 'How many at most; 50 where it is left out.', 100),
  cursor: z.string().optional().meta({ description: 'nextCursor of the page before. Opaque.' }),
};

/** What a list answers. */
export function pageOf<Item extends z.ZodType>(item: Item) {
  return z.object({ items: z.array(item), nextCursor: z.string().nullable() });
}

/** What a filter takes: any text, or one of these words. */
export type Filters = Readonly<Record<string, 'text' | readonly string[]>>;

/**
 * What filters by these fields take: where the field of the item is one of our own words, or a flag, these; where `words`
 * has some, those; otherwise any text, for the service may name new states.
 */
export function filtersOf(item: z.ZodType, fields: readonly string[], words: Filters = {}): Filters {
  const shape = item instanceof z.ZodObject ? item.shape : {};
  return Object.fromEntries(fields.map((field) => [field, words[field] ?? wordsOf(shape[field])]));
}

/** The query of a list that can be narrowed by these fields. */
export function listQuery(filters: Filters): z.ZodObject {
  const byField = Object.entries(filters).map(([name, words]) => [name, filterSchema(name, words)] as const);
  return z.strictObject({ ...paging, ...(Object.fromEntries(byField) as Record<string, z.ZodType>) });
}

function filterSchema(name: string, words: 'text' | readonly string[]): z.ZodType {
  const schema = words === 'text' ? z.string() : z.enum(words, `takes ${words.join(', ')}`);
  return schema.optional().meta({ description: `Only with this ${name}.` });
}

/** Reads a query as its schema says; an unknown parameter is refused, never ignored, and so is one that is repeated and takes no list. */
export function readQuery(schema: z.ZodObject, asked: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const given = Object.fromEntries(
    Object.entries(asked).map(([name, value]) => {
      if (takesMany(schema.shape[name])) return [name, [value].flat()];
      if (typeof value !== 'string') throw badParameter(name, 'is given more than once; give it once');
      return [name, value];
    }),
  );
  const result = schema.safeParse(given);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  if (issue?.code === 'unrecognized_keys') {
    const known = Object.keys(schema.shape).join(', ');
    throw badParameter(issue.keys[0] ?? '', `is not known here; known are ${known}`);
  }
  const name = String(issue?.path[0] ?? '');
  const value = given[name] === undefined ? 'missing' : `"${String(given[name]).slice(0, 40)}"`;
  throw badParameter(name, `is ${value}; it ${issue?.message ?? 'is not right'}`);
}

function takesMany(field: unknown): boolean {
  return field instanceof z.ZodOptional ? takesMany(field.unwrap()) : field instanceof z.ZodArray;
}

function badParameter(given: string, problem: string): Problem {
  const parameter = given.slice(0, 80);
  return badRequest(`The query parameter ${parameter} ${problem}.`, { parameter });
}
