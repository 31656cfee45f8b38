import type { Json } from '../domain/json.js';
import { isJsonObject } from '../domain/json.js';
import { type OperationName, operationOf } from './operations.js';
import { ContractViolationError } from './service-errors.js';

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
