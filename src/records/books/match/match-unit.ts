import type { MatchKind } from '../../../domain/books/match/match-facts.js';

/** What is matched by itself. `id` as it is known outside the database. */
export interface MatchUnit {
  kind: MatchKind;
  id: string;
}

export function unitKey({ kind, id }: MatchUnit): string {
  return JSON.stringify([kind, id]);
}

export function distinctUnits(units: readonly MatchUnit[]): MatchUnit[] {
  return [...new Map(units.map((unit) => [unitKey(unit), unit])).values()];
}
