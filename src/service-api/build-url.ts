import type { Contract } from './contract.js';
import { type OperationName, pathOf, queryNamesOf } from './operations.js';
import { InvalidRequestError } from './service-errors.js';

export interface RequestParts {
  /** Values of the {placeholders} of the path. */
  path?: Readonly<Record<string, string>>;
  /** By our names (contract.ts), whatever the service calls them. What is undefined is left out. */
  query?: Readonly<Record<string, string | number | undefined>>;
}

const MAX_TAKE = 100;
/** URLs would carry another character in its place. */
const LONE_SURROGATE = /\p{Surrogate}/u;

/**
 * The address of a call. Nothing is added that the caller left out.
 * @throws {InvalidRequestError} that names the field and its rule.
 */
export function buildUrl(
  operation: OperationName,
  { path = {}, query = {} }: RequestParts,
  { baseUrl, contract }: { baseUrl: string; contract: Contract },
): URL {
  const refuse = (field: string, rule: string) => new InvalidRequestError(`${field} ${rule}`, { operation });
  const filled = pathOf(operation, contract).replaceAll(/\{(\w+)\}/g, (_, field: string) => {
    const value = Object.hasOwn(path, field) ? path[field] : undefined;
    // "." and ".." would climb to another path, however they are written.
    if (!value || value === '.' || value === '..' || LONE_SURROGATE.test(value))
      throw refuse(field, 'is to be an identifier');
    return encodeURIComponent(value);
  });
  const url = new URL(`${baseUrl}${filled}`);
  const names = queryNamesOf(operation, contract);
  for (const [field, value] of Object.entries(query)) {
    if (value === undefined) continue;
    const name = names.get(field);
    if (name === undefined) throw refuse(field, `is not known; known are ${[...names.keys()].join(', ') || 'none'}`);
    const problem = field === 'take' ? takeProblem(value) : textProblem(value);
    if (problem !== null) throw refuse(field, problem);
    url.searchParams.append(name, String(value));
  }
  return url;
}

/** Specification 8. */
function takeProblem(value: string | number): string | null {
  const take = typeof value === 'number' || /^\d{1,9}$/.test(value) ? Number(value) : Number.NaN;
  return Number.isInteger(take) && take >= 1 && take <= MAX_TAKE
    ? null
    : `is to be a whole number from 1 to ${MAX_TAKE}`;
}

function textProblem(value: string | number): string | null {
  if (typeof value === 'number') return Number.isFinite(value) ? null : 'is to be a finite number';
  return value !== '' && !LONE_SURROGATE.test(value) ? null : 'is to be a text, not empty, without lone surrogates';
}
