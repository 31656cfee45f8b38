import { isJsonObject, type JsonObject } from '../../domain/json.js';
import { ContractViolationError, NotFoundError, RefusedError } from '../../service-api/service-errors.js';
import type { PageQuery, PageReader, ServiceReader } from '../deps.js';
import type { ListPlan } from './list-plan.js';

/**
 * Pages of one of the service's lists, each call counted. A cursor that the service
 * refuses reads as an empty page: its row may be gone, which is no failure. A list whose shape is not shown may be an object
 * with `items`.
 */
export function listPages(
  client: ServiceReader,
  operation: ListPlan['operation'],
  { tally, signal }: { tally: { calls: number }; signal?: AbortSignal },
): PageReader {
  // A refusal tells nothing of any record, so it does not matter when it was; it only must not seem to be earlier.
  let last = 0;
  return async ({ cursor, take, status }: PageQuery) => {
    tally.calls += 1;
    const query = { take, ...(cursor === undefined ? {} : { cursor }), ...(status === undefined ? {} : { status }) };
    try {
      const { data, from, to } = await client.reply(operation, { query, ...(signal ? { signal } : {}) });
      const items = isJsonObject(data) ? data['items'] : data;
      if (!Array.isArray(items)) throw new ContractViolationError('the answer is not an array', { operation });
      last = from;
      return { data: items.map((item): JsonObject => (isJsonObject(item) ? item : {})), from, to };
    } catch (error) {
      const refused = error instanceof NotFoundError || error instanceof RefusedError;
      if (cursor === undefined || !refused) throw error;
      return { data: [], from: last, to: last };
    }
  };
}
