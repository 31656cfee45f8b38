import { valueAt } from '../domain/event-key.js';
import { isJsonObject, type Json } from '../domain/json.js';
import type { Contract } from './contract.js';
import { type OperationName, operationOf } from './operations.js';

/**
 * A page of a list whose shape is not shown as `{items, nextCursor}`, whatever the service calls them (`pages` of the
 * contract). Anything else is handed over as it came.
 */
export function inOurNames(operation: OperationName, data: Json, { pages }: Pick<Contract, 'pages'>): Json {
  if (!isJsonObject(data) || operationOf(operation).answer !== undefined) return data;
  if (pages.items === '/items' && pages.nextCursor === '/nextCursor') return data;
  const items = valueAt(data, pages.items);
  if (!Array.isArray(items)) return data;
  const nextCursor = valueAt(data, pages.nextCursor);
  return { ...data, items, ...(nextCursor === undefined ? {} : { nextCursor }) };
}
