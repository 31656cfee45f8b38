import { TaskCancelledError, TimeoutStrategy, timeout } from 'cockatiel';
import type { ErrorRequestHandler, RequestHandler, Response } from 'express';
import type { Logger } from 'pino';
import { type ReceivedRange, rangeProblem } from '../domain/family/money.js';

/** What a program tells problems apart by, where it has no narrower `code`. */
const codes = {
  400: 'bad_request',
  401: 'unauthorized',
  403: 'forbidden',
  404: 'not_found',
  405: 'method_not_allowed',
  409: 'conflict',
  410: 'gone',
  412: 'precondition_failed',
  413: 'too_large',
  415: 'unsupported_media_type',
  500: 'internal',
  503: 'unavailable',
} as const;

export const problemCodes = [...Object.values(codes), 'not_proven_in_time', 'too_many_waiting'] as const;
type ProblemCode = (typeof problemCodes)[number];
type Extra = Readonly<Record<string, unknown>> & { code?: ProblemCode };

/** An answer other than success, as an RFC 9457 problem. `status` is decided here and nowhere else. */
export class Problem extends Error {
  readonly status: number;
  readonly title: string;
  readonly extra: Extra;

  constructor(status: number, title: string, detail: string, extra: Extra = {}) {
    super(detail);
    this.name = 'Problem';
    this.status = status;
    this.title = title;
    this.extra = extra;
  }
}

/** What a program goes by: stable. `type` is the same as a URI, as RFC 9457 has it. */
export function kindOf(status: number, { code: narrower }: Extra = {}): { type: string; code: ProblemCode } {
  const ofStatus: Readonly<Record<number, ProblemCode | undefined>> = codes;
  const code = narrower ?? ofStatus[status] ?? 'bad_request';
  return { type: `urn:tallyhook:problem:${code}`, code };
}

export const badRequest = (detail: string, extra?: Extra): Problem => new Problem(400, 'Bad request', detail, extra);
export const notHere = (detail: string): Problem => new Problem(404, 'Not found', detail);
export const conflict = (detail: string, extra?: Extra): Problem => new Problem(409, 'Conflict', detail, extra);
export const tooManyWaiting = (detail: string): Problem =>
  new Problem(503, 'Too many wait', detail, { code: 'too_many_waiting' });

/** Of a page and of the state in its frame: together less than the silence that ends a connection (wiring/listen.ts), so that whoever waits hears why. */
const READ_SECONDS = 25;

/** @throws {Problem} 503 where it is not read by then */
export async function readInTime<Read>(read: () => Promise<Read>, seconds = READ_SECONDS): Promise<Read> {
  try {
    return await timeout(seconds * 1_000, TimeoutStrategy.Aggressive).execute(read);
  } catch (error) {
    if (!(error instanceof TaskCancelledError)) throw error;
    const why = `The database did not answer within ${seconds} s. Try again; "tallyhook doctor" says what is wrong with it.`;
    throw new Problem(503, 'Not read in time', why);
  }
}

/** A filter of a page, or a parameter of the API, that can't be read: `problem` goes on from its name. */
export const badFilter = (parameter: string, problem: string): Problem =>
  badRequest(`${parameter} ${problem}.`, { parameter });

/** A closed filter. @throws {Problem} 400 */
export function oneOf<Word extends string>(
  name: string,
  known: readonly Word[],
  given: string | undefined,
): Word | undefined {
  const found = known.find((word) => word === given);
  if (given === undefined || found !== undefined) return found;
  throw badFilter(name, `is "${given.slice(0, 40)}"; it takes ${known.join(', ')}`);
}

/** @throws {Problem} 400 */
export function checkRange(given: ReceivedRange): void {
  const wrong = rangeProblem(given);
  if (wrong !== null) throw badFilter(wrong.field, wrong.problem);
}

function sendProblem(res: Response, problem: Problem): void {
  const { status, title, message: detail, extra } = problem;
  if (status === 503) res.set('Retry-After', '5');
  res.status(status).type('application/problem+json');
  res.send(JSON.stringify({ ...kindOf(status, extra), title, status, detail, ...extra }));
}

export const notFound: RequestHandler = (req, res) => {
  sendProblem(res, notHere(`There is nothing at ${req.method} ${req.path}.`));
};

/** Turns whatever a handler threw into a problem; what nobody expected is logged, and answered without its inner text. */
export function problemHandler(log: Logger): ErrorRequestHandler {
  return (error: unknown, req, res, next) => {
    if (res.headersSent) {
      next(error);
      return;
    }
    if (error instanceof Problem) {
      sendProblem(res, error);
      return;
    }
    const status = statusOf(error);
    if (status < 500) {
      const title = titles[status] ?? 'Bad request';
      sendProblem(res, new Problem(status, title, error instanceof Error ? error.message : title));
      return;
    }
    if (error instanceof Error && 'retryable' in error && error.retryable === true) {
      sendProblem(res, new Problem(503, 'Unavailable', `${error.message}; nothing was changed, try again.`));
      return;
    }
    log.error({ err: error, method: req.method, path: req.path }, 'console request failed');
    sendProblem(res, new Problem(500, 'Internal error', 'The request failed here; the log of this process says why.'));
  };
}

/** Of what body-parser refuses by itself. */
const titles: Readonly<Record<number, string>> = { 413: 'Too large', 415: 'Unsupported media type' };

/** body-parser and express carry the status of a bad request on the error. */
function statusOf(error: unknown): number {
  const status = typeof error === 'object' && error !== null ? (error as { status?: unknown }).status : undefined;
  return typeof status === 'number' && status >= 400 && status < 600 ? status : 500;
}
