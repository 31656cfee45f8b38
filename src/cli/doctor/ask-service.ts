import type { Json, JsonObject } from '../../domain/json.js';
import { isJsonObject } from '../../domain/json.js';
import { AppError } from '../../errors.js';
import type { MerchantClient } from '../../service-api/client.js';
import type { ReadOperation } from '../../service-api/operations.js';
import { NotFoundError, RefusedError } from '../../service-api/service-errors.js';

/**
 * What became of a question: `refused` because of what was asked; `missing`: a 404; `failed` for a reason that tells
 * nothing about it.
 */
export type Asked =
  | { kind: 'answer'; rows: JsonObject[]; data: Json; totalCount: number | null; nextCursor: string | null }
  | { kind: 'refused' | 'missing' | 'failed'; problem: string };

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
    if (error instanceof RefusedError) return { kind: 'refused', problem: error.message };
    return { kind: error instanceof NotFoundError ? 'missing' : 'failed', problem: error.message };
  }
}
