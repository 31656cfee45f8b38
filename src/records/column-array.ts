/** An array parameter that may hold nulls, which knex passes on but does not have in its types. */
export function columnArray(values: (string | number | boolean | null)[]): string[] {
  return values as string[];
}
