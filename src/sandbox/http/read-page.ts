import { type PageRequest, pageOf } from '../base/page-of.js';
import type { Records } from '../base/records.js';
import { invalid } from '../base/refusal.js';
import type { Faults } from '../faults.js';
import type { QueryReader } from './request-query.js';

/** The rows that a cursor list answers: `take` defaults to 20 (specification 8). */
export function readPage<T>(
  records: Records<T>,
  { query, faults, matches }: { query: QueryReader; faults: Faults; matches: PageRequest<T>['matches'] },
): T[] {
  const cursor = query.text('cursor') ?? null;
  const rows = pageOf(records, { matches, take: query.take(20), cursor, semantics: faults.cursor });
  if (rows === null) throw invalid('cursor is unknown');
  return rows;
}

/** One of the values that a filter takes. */
export function readChoice<T extends string>(query: QueryReader, name: string, choices: readonly T[]): T | undefined {
  const given = query.text(name);
  if (given === undefined) return undefined;
  const choice = choices.find((one) => one === given);
  if (choice === undefined) throw invalid(`${name} must be one of ${choices.join(', ')}`);
  return choice;
}
