import type { IdCodec } from './ids.js';

/** Records of one kind in the order they were made; an id finds its record without a search. */
export interface Records<T> {
  add(make: (id: string, number: number) => T): T;
  get(id: string): T | null;
  all(): readonly T[];
  newestFirst(): T[];
  /** Place of the record with this id; null for an id that none here has. */
  placeOf(id: string): number | null;
}

export function createRecords<T extends { id: string }>(ids: IdCodec): Records<T> {
  const rows: T[] = [];
  const placeOf = (id: string): number | null => {
    const number = ids.decode(id);
    return number !== null && number < rows.length ? number : null;
  };
  return {
    placeOf,
    add(make) {
      const number = rows.length;
      const made = make(ids.encode(number), number);
      rows.push(made);
      return made;
    },
    get: (id) => rows[placeOf(id) ?? -1] ?? null,
    all: () => rows,
    newestFirst: () => rows.toReversed(),
  };
}
