import { setTimeout as delay } from 'node:timers/promises';
import { isJsonObject, type Json, type JsonObject } from '../../domain/json.js';
import { AppError } from '../../errors.js';
import type { Question } from '../../reconcile/service-reader.js';
import type { ServiceClient } from '../../service-api/client.js';
import type { Contract } from '../../service-api/contract.js';
import { operationOf, type ReadOperation } from '../../service-api/operations.js';
import { NotFoundError, RateLimitedError, RefusedError } from '../../service-api/service-errors.js';

/** `refused`: because of what was asked; `missing`: a 404; `failed`: for a reason that says nothing about it. */
export type Asked =
  | { kind: 'answer'; rows: JsonObject[]; data: Json; totalCount: number | null; nextCursor: string | null }
  | { kind: 'refused' | 'missing'; problem: string; code: string | null; message: string | null }
  /** `pauseMs`: the service limits the calls, and says for how long, or null. `noList`: an answer, and none that is a list. */
  | { kind: 'failed'; problem: string; pauseMs?: number | null; noList?: true };

/** A page as large as the service gives. */
export const MANY = { query: { take: 100 } };
export const NOTHING_YET = 'not probed: nothing to probe yet';

export const rowsOf = (asked: Asked): JsonObject[] => (asked.kind === 'answer' ? asked.rows : []);

/** Asks the service under the names of a contract. Never rejects because of the service. */
export type Ask = (under: Contract, operation: ReadOperation, question?: Question) => Promise<Asked>;

const MOST_QUESTIONS = 800;
/** No question begins later than so long after the first. */
const LAST_MS = 300_000;
const LONGEST_PAUSE_MS = 10_000;
const USUAL_PAUSE_MS = 1_000;

/** Limits and pauses are shared: after them nothing is asked any more, and what was not answered is not known. */
export function limitQuestions({
  clientFor,
  signal,
}: {
  clientFor: (contract: Contract) => Promise<ServiceClient>;
  signal: AbortSignal;
}): Ask {
  const clients = new Map<Contract, Promise<ServiceClient>>();
  const began = performance.now();
  let asked = 0;
  let pauseMs = 0;
  let closed: string | null = null;
  return async (under, operation, question = {}) => {
    if (asked >= MOST_QUESTIONS) closed ??= `not asked: doctor asks no more than ${MOST_QUESTIONS} questions`;
    if (performance.now() - began > LAST_MS) closed ??= `not asked: doctor ends after ${LAST_MS / 1_000} s`;
    if (pauseMs > LONGEST_PAUSE_MS) closed ??= `not asked: the service wants ${Math.ceil(pauseMs / 1_000)} s of quiet`;
    if (closed !== null) return { kind: 'failed', problem: closed };
    asked += 1;
    if (pauseMs > 0) await delay(pauseMs, undefined, { signal });
    pauseMs = 0;
    const client = clients.get(under) ?? clientFor(under);
    clients.set(under, client);
    const answer = await askService(await client, operation, { signal, ...question });
    if (answer.kind === 'failed' && answer.pauseMs !== undefined) pauseMs = answer.pauseMs ?? USUAL_PAUSE_MS;
    return answer;
  };
}

/** Asks for a list, or for a record; rejects with the signal's reason, and never because of the service. */
async function askService(client: ServiceClient, operation: ReadOperation, question: Question): Promise<Asked> {
  try {
    const { data, totalCount } = await client.reply(operation, question);
    const list = isJsonObject(data) ? data['items'] : data;
    if (!Array.isArray(list) && operationOf(operation).answer !== 'object')
      return { kind: 'failed', problem: `${operation}: the answer is no list`, noList: true };
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
