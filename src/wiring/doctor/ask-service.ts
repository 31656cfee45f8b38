import { isJsonObject, type Json, type JsonObject } from '../../domain/json.js';
import { AppError } from '../../errors.js';
import type { MerchantClient } from '../../service-api/client.js';
import { operationOf, type ReadOperation } from '../../service-api/operations.js';
import { NotFoundError, RateLimitedError, RefusedError } from '../../service-api/service-errors.js';

/**
 * What became of a question: `refused` because of what was asked; `missing`: a 404; `failed` for a reason that says
 * nothing about it.
 */
export type Asked =
  | { kind: 'answer'; rows: JsonObject[]; data: Json; totalCount: number | null; nextCursor: string | null }
  | { kind: 'refused' | 'missing'; problem: string; code: string | null; message: string | null }
  /** `pauseMs`: the service limits the calls, and says for how long, or null. `noList`: an answer, and none that is a list. */
  | { kind: 'failed'; problem: string; pauseMs?: number | null; noList?: true };

export interface Question {
  path?: Record<string, string>;
  query?: Record<string, string | number>;
  signal?: AbortSignal;
}

/** Asks for a list, or for a record; rejects with the signal's reason, and never because of the service. */
export async function askService(client: MerchantClient, operation: ReadOperation, question: Question): Promise<Asked> {
  try {
    const { data, totalCount } = await client.reply(operation, question);
    const list = isJsonObject(data) ? data['items'] : data;
    if (!Array.isArray(list) && operationOf(operation).answer !== 'object') {
      return { kind: 'failed', problem: `${operation}: the answer is no list`, noList: true };
    }
    const next = isJsonObject(data) ? data['nextCursor'] : null;
    return {
      kind: 'answer',
      rows: Array.isArray(list) ? list.filter(isJsonObject) : [],
      data,
      totalCount,
      nextCursor: typeof next === 'string' ? next : null,
    };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const problem = error.message;
    if (error instanceof RateLimitedError) return { kind: 'failed', problem, pauseMs: error.retryAfterMs };
    if (error instanceof RefusedError || error instanceof NotFoundError) {
      const kind = error instanceof RefusedError ? 'refused' : 'missing';
      return { kind, problem, code: error.serviceCode, message: error.serviceMessage };
    }
    return { kind: 'failed', problem };
  }
}
