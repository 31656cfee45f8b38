import type { Request } from 'express';
import { invalid } from '../base/refusal.js';
import type { Faults, NamedList } from '../faults.js';

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
