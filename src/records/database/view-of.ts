import type { z } from 'zod';
import { snakeCase } from '../../domain/records.js';

type SnakeCase<Name extends string> = Name extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${SnakeCase<Rest>}`
  : Name;

type TimeField = 'at' | 'since' | `${string}At` | `${string}Since` | `${string}Time`;

/** The columns that a view is read from: its fields in snake case. `Time`: as what the query gives a time. */
export type RowOf<View, Time = Date> = {
  [Field in keyof View & string as SnakeCase<Field>]: Field extends TimeField
    ? View[Field] extends infer Value
      ? Value extends string
        ? Time
        : Value
      : never
    : View[Field];
};

/**
 * What is shown of a row: the fields of the shape, in its order. Each is the column of its name, a time as ISO 8601 UTC;
 * `special` are those that are not. Other columns are left out.
 */
export function viewOf<Shape extends z.ZodObject, Special extends Partial<z.output<Shape>> = object>(
  shape: Shape,
  row: RowOf<Omit<z.output<Shape>, keyof Special>, Date | string>,
  special?: Special,
): z.output<Shape> {
  const columns = row as Readonly<Record<string, unknown>>;
  const given = special as Readonly<Record<string, unknown>> | undefined;
  const view: Record<string, unknown> = {};
  for (const [field, column] of namesOf(shape)) {
    const value = given !== undefined && field in given ? given[field] : columns[column];
    view[field] = value instanceof Date ? value.toISOString() : value;
  }
  return view as z.output<Shape>;
}

/** The columns of a row whose fields are these: their names in snake case. */
export function asColumns(fields: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [snakeCase(name), value]));
}

/** The names of the columns, to be selected where a table has others that are large. */
export const columnsOf = (shape: z.ZodObject): string[] => namesOf(shape).map(([, column]) => column);

type Names = readonly (readonly [field: string, column: string])[];
const known = new WeakMap<z.ZodObject, Names>();

/** Made once of each shape: a list has hundreds of rows. */
function namesOf(shape: z.ZodObject): Names {
  const names = known.get(shape) ?? Object.keys(shape.shape).map((field) => [field, snakeCase(field)] as const);
  known.set(shape, names);
  return names;
}
