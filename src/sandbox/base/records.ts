import type { IdCodec } from './ids.js';

/** Records of one kind in the order they were made; an id finds its record without a search. */
export interface Records<T> {
  add(make: (id: string, number: number) => T): T;
  /** For one whose id was given before. */
  addMade(record: T): void;
  get(id: string): T | null;
  all(): readonly T[];
  newestFirst(): T[];
  /** Place of the record with this id; null for an id that none here has. */
  placeOf(id: string): number | null;
}

export function createRecords<T extends { id: string }>(ids: IdCodec): Records<T> {
  const rows: T[] = [];
  const places = new Map<string, number>();
  const placeOf = (id: string): number | null => places.get(id) ?? null;
  const addMade = (record: T): void => {
    places.set(record.id, rows.length);
    rows.push(record);
  };
  return {
    placeOf,
    addMade,
    add(make) {
      const number = rows.length;
      const made = make(ids.encode(number), number);
      addMade(made);
      return made;
    },
    get: (id) => rows[placeOf(id) ?? -1] ?? null,
    all: () => rows,
    newestFirst: () => rows.toReversed(),
  };
}
