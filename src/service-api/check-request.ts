import type { z } from 'zod';
import { fromJsonText, toJsonText } from '../domain/json.js';
import { type OperationName, operationOf } from './operations.js';
import { InvalidRequestError } from './service-errors.js';

/** JSON text of no more than the caller gave. @throws {InvalidRequestError} that names the field and its rule. */
export function checkRequest(operation: OperationName, body: unknown): string | undefined {
  const { body: schema } = operationOf(operation);
  if (schema === undefined) {
    if (body !== undefined) throw new InvalidRequestError('body is not known; the operation has none', { operation });
    return undefined;
  }
  check(operation, schema, body);
  const text = written(operation, body as object);
  // What is inherited, or writes itself otherwise, is not sent as it was checked.
  check(operation, schema, fromJsonText(text));
  return text;
}

/** Unknown names are refused with the address. @throws {InvalidRequestError} that names the field and its rule. */
export function checkQuery(operation: OperationName, query: object): void {
  const issue = operationOf(operation).query?.safeParse(query).error?.issues[0];
  if (issue !== undefined)
    throw new InvalidRequestError(`${issue.path.join('.') || 'query'} ${issue.message}`, { operation });
}

function check(operation: OperationName, schema: z.ZodType, body: unknown): void {
  const issue = schema.safeParse(body).error?.issues[0];
  if (issue !== undefined) throw new InvalidRequestError(explain(issue, schema, body), { operation });
}

function written(operation: OperationName, body: object): string {
  try {
    return toJsonText(body);
  } catch (cause) {
    throw new InvalidRequestError('body can’t be written as JSON', { operation, cause });
  }
}

function explain(issue: z.core.$ZodIssue, schema: z.ZodType, body: unknown): string {
  const at = fieldOf(issue.path);
  if (issue.code === 'unrecognized_keys') {
    const known = issue.path.length === 0 && 'shape' in schema ? Object.keys(schema.shape as object) : [];
    const hint = known.length > 0 ? `; known are ${known.join(', ')}` : '';
    return `${fieldOf([...issue.path, issue.keys[0] ?? ''])} is not known${hint}`;
  }
  if (issue.path.length === 0) return 'body is to be an object';
  return valueAt(body, issue.path) === undefined && issue.code !== 'custom'
    ? `${at} is missing: it ${issue.message}`
    : `${at} ${issue.message}`;
}

function fieldOf(path: readonly PropertyKey[]): string {
  return path
    .map((step) => (typeof step === 'number' ? `[${step}]` : `.${String(step)}`))
    .join('')
    .slice(1);
}

function valueAt(body: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>((value, step) => (value as Record<PropertyKey, unknown> | undefined)?.[step], body);
}
