import type { Records } from './records.js';

export interface PageRequest<T> {
  matches: (row: T) => boolean;
  take: number;
  /** Id of the last row of the page before. */
  cursor: string | null;
  /** As the fault of the same name has it. */
  semantics: 'key' | 'orm' | 'list';
}

/** One page, newest first; null for a cursor that is refused. */
export function pageOf<T>(records: Records<T>, { matches, take, cursor, semantics }: PageRequest<T>): T[] | null {
  const rows = records.all();
  const place = cursor === null ? rows.length : records.placeOf(cursor);
  if (place === null) return semantics === 'key' ? null : [];
  const cursorRow = rows[place];
  if (semantics === 'list' && cursorRow !== undefined && !matches(cursorRow)) return [];
  const found: T[] = [];
  // An ORM's cursor begins with its own row and leaves out the first that it meets, whichever that is.
  let skip = semantics === 'orm' && cursor !== null ? 1 : 0;
  for (let at = skip === 1 ? place : place - 1; at >= 0 && found.length < take; at -= 1) {
    const row = rows[at];
    if (row === undefined || !matches(row)) continue;
    if (skip > 0) skip -= 1;
    else found.push(row);
  }
  return found;
}
