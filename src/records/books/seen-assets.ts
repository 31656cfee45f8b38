import type { Knex } from 'knex';
import { columnOf, rowsOf } from '../database/statements.js';

/** Which of these assets the catalog, a balance, a movement or an entry was ever of. */
export async function seenAssets(db: Knex, codes: readonly string[]): Promise<Set<string>> {
  const rows = await rowsOf<{ code: string }>(db)`
    SELECT code FROM unnest(${codes}::text[]) AS asked (code)
    WHERE EXISTS (SELECT FROM assets WHERE id = code) OR EXISTS (SELECT FROM balances WHERE id = code)
      OR EXISTS (SELECT FROM movements WHERE asset_code = code)`;
  const seen = rows.map(({ code }) => code);
  // Most that are booked are among those; what only a memo names, such as gas, is not.
  const booked = await bookedAssets(
    db,
    codes.filter((code) => !seen.includes(code)),
  );
  return new Set([...seen, ...booked]);
}

async function bookedAssets(db: Knex, codes: readonly string[]): Promise<string[]> {
  if (codes.length === 0) return [];
  return columnOf<string>(db)`
    SELECT DISTINCT asset_code AS code FROM entry_lines WHERE asset_code = ANY (${codes}::text[])`;
}
