import type { z } from 'zod';
import { fromJsonText, isJsonObject, type Json, type JsonObject, toJsonText } from '../domain/json.js';
import { compareAmounts, isAmount } from '../domain/money.js';
import { textField } from '../domain/records.js';
import { type OperationName, operationOf } from './operations.js';
import { ContractViolationError, ForeignAnswerError, InvalidRequestError } from './service-errors.js';

type Same = (asked: string, shown: string) => boolean;

const exactly: Same = (asked, shown) => asked === shown;
/** Addresses of some chains may be written in either case. */
const inAnyCase: Same = (asked, shown) => asked.toLowerCase() === shown.toLowerCase();
const inValue: Same = (asked, shown) => !isAmount(shown) || compareAmounts(asked, shown) === 0;

/** What a creating call asks for, the field of the answer that shows it, and what counts as the same. */
const echoes: Partial<Record<OperationName, readonly [asked: string, shown: string, same: Same][]>> = {
  createDirectPayment: [
    ['merchantReference', 'merchantReference', exactly],
    ['amount', 'amountRequested', inValue],
  ],
  createPayout: [
    ['merchantReference', 'merchantReference', exactly],
    ['assetCode', 'assetCode', exactly],
    ['destinationAddress', 'destinationAddress', inAnyCase],
  ],
  createRefund: [
    ['paymentIntentId', 'paymentIntentId', exactly],
    ['destinationAddress', 'destinationAddress', inAnyCase],
  ],
  createTransfer: [['assetCode', 'assetCode', exactly]],
};

/**
 * Whether an answer is one that the call was made for. What is not shown counts as the same.
 * @throws {ContractViolationError} where it names no record: whoever wrote it, it proves nothing.
 * @throws {ForeignAnswerError} where it is about something else.
 */
export function checkAnswer(operation: OperationName, asked: JsonObject, data: Json): void {
  const id = isJsonObject(data) ? textField(data, 'id') : null;
  if (operationOf(operation).answer === 'object' && !id)
    throw new ContractViolationError('the answer is not an object with an id', { operation, status: 200 });
  if (!isJsonObject(data)) return;
  for (const [field, shownAs, same] of echoes[operation] ?? []) {
    const [wanted, shown] = [textField(asked, field), textField(data, shownAs)];
    if (wanted === null || shown === null || same(wanted, shown)) continue;
    throw new ForeignAnswerError({ operation, field: shownAs, objectId: id ?? 'a record' });
  }
}

const EXPECTED = { array: 'an array', object: 'an object', page: 'an object with an array "items"' };

/** @throws {ContractViolationError} where the answer is not even of the form that every caller needs. */
export function checkOutline(operation: OperationName, data: Json): void {
  const { answer } = operationOf(operation);
  if (answer === undefined) return;
  const fits =
    (answer === 'array' && Array.isArray(data)) ||
    (answer === 'object' && isJsonObject(data)) ||
    (answer === 'page' && isJsonObject(data) && Array.isArray(data['items']));
  if (fits) return;
  throw new ContractViolationError(`the answer is not ${EXPECTED[answer]}`, { operation, status: 200 });
}

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
