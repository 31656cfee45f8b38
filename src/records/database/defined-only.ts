/** The conditions that were given, as knex's `where` takes them. */
export function definedOnly(conditions: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const given = Object.entries(conditions).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return Object.fromEntries(given);
}
