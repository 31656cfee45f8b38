import { setTimeout as delay } from 'node:timers/promises';
import type { MerchantClient } from '../../service-api/client.js';
import type { Contract } from '../../service-api/contract.js';
import type { ReadOperation } from '../../service-api/operations.js';
import { type Asked, askService, type Question } from './ask-service.js';

/** Asks the service under the names of a contract. Never rejects because of the service. */
export type Ask = (under: Contract, operation: ReadOperation, question?: Question) => Promise<Asked>;

export interface QuestionLimits {
  /** So many are asked at most. */
  questions: number;
  /** No question begins later than so many ms after the first. */
  lastMs: number;
}

const QUESTION_LIMITS: QuestionLimits = { questions: 800, lastMs: 300_000 };

const LONGEST_PAUSE_MS = 10_000;
const USUAL_PAUSE_MS = 1_000;

/**
 * All questions of one examination share its limits, and the pauses that the service asks for: after them nothing is
 * asked any more, and what was not answered is shown as not known.
 */
export function limitQuestions(
  { clientFor, signal }: { clientFor: (contract: Contract) => Promise<MerchantClient>; signal: AbortSignal },
  { questions, lastMs }: QuestionLimits = QUESTION_LIMITS,
): Ask {
  const clients = new Map<Contract, Promise<MerchantClient>>();
  const began = performance.now();
  let asked = 0;
  let pauseMs = 0;
  let closed: string | null = null;
  return async (under, operation, question = {}) => {
    if (asked >= questions) closed ??= `not asked: doctor asks no more than ${questions} questions`;
    if (performance.now() - began > lastMs) closed ??= `not asked: doctor ends after ${lastMs / 1_000} s`;
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
