import type { Request } from 'express';
import type { Records } from '../base/records.js';
import { invalid } from '../base/refusal.js';
import type { Faults, NamedList } from '../faults.js';
import { type Merchant, type Service, strikes } from '../service.js';

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

export interface PageRequest<T> {
  matches: (row: T) => boolean;
  take: number;
  /** Id of the last row of the page before. */
  cursor: string | null;
  /** As the fault of the same name has it. */
  semantics: 'key' | 'orm' | 'list';
}

/** One page, newest first; null for a cursor that is refused. */
function pageOf<T>(records: Records<T>, { matches, take, cursor, semantics }: PageRequest<T>): T[] | null {
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

/** Runs `move` with its number before a page that continues a list, as often as the chance `churn` of the faults says. */
type PageChurn = (merchant: Merchant, cursor: string | undefined, move: (n: number, cursor: string) => void) => void;

export function createPageChurn(service: Service, list: string): PageChurn {
  const counts = new WeakMap<Merchant, number>();
  return (merchant, cursor, move) => {
    if (cursor === undefined) return;
    const n = counts.get(merchant) ?? 0;
    counts.set(merchant, n + 1);
    if (strikes(merchant, service.faults.churn, `churn-${list}`, n)) move(n, cursor);
  };
}

/** Query parameters by the name the specification's reader would expect, whatever name the service gives them. */
export interface QueryReader {
  text(name: string): string | undefined;
  take(fallback: number): number;
}

export function readQuery(
  request: Request,
  known: readonly string[],
  { faults, list }: { faults: Faults; list: NamedList },
): QueryReader {
  const { unknownParameters } = faults;
  const names = faults.names[list] ?? {};
  const nameOf = (name: string): string => names[name] ?? name;
  if (unknownParameters === 'refuse') {
    const allowed = new Set(known.map(nameOf));
    const stranger = Object.keys(request.query).find((name) => !allowed.has(name));
    if (stranger !== undefined) throw invalid(`property ${stranger} should not exist`);
  }
  const text = (name: string): string | undefined => {
    const value = request.query[nameOf(name)];
    if (value !== undefined && typeof value !== 'string') throw invalid(`${nameOf(name)} must be given once`);
    return value === '' ? undefined : value;
  };
  return {
    text,
    take(fallback) {
      const value = text('take');
      const take = value === undefined ? fallback : /^\d{1,4}$/.test(value) ? Number(value) : 0;
      if (take < 1 || take > 100) throw invalid(`${nameOf('take')} must be between 1 and 100`);
      return faults.shrinkPage ? Math.ceil(take / 2) : take;
    },
  };
}
