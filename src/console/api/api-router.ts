import express, { type Request, type RequestHandler, type Response, Router } from 'express';
import { stringify } from 'lossless-json';
import type { z } from 'zod';
import type { Actor } from '../../domain/console-roles.js';
import { grouped } from '../../domain/grouped.js';
import { isJsonObject } from '../../domain/json.js';
import { JsonTextError, MAX_DEPTH, parseJson } from '../../domain/json-table/read-table.js';
import { isDataError, isPassing } from '../../records/database/database-errors.js';
import { CursorError } from '../../records/database/paging.js';
import { InvalidOrderError } from '../../records/orders/orders.js';
import type { ApiDeps } from '../api-deps.js';
import { actorOf, allow } from '../authenticate.js';
import { askFirst } from '../four-eyes.js';
import { badRequest, conflict, Problem, readInTime } from '../problem.js';
import { answerFor, mayKnowPeople } from '../view/personal.js';
import { isNamed, sendTagged } from './answer-tag.js';
import { readQuery } from './list-query.js';
import type { Answer, Asked, Operation } from './operation.js';
import { operations } from './operations.js';

/** More than any answer is held back for (`wait` of the feed), less than the silence that ends a connection. */
const READ_SECONDS = 50;

/** Everything below /api/v1 that needs a token (interface: "Read API"): a route for each operation. */
export function createApi(deps: ApiDeps): Router {
  const api = Router();
  api.use(onlyJson, express.json({ limit: '100kb', verify: onlyOneObject }));
  for (const operation of operations) {
    const { method, path, roles } = operation;
    const guards: RequestHandler[] = roles === undefined ? [] : [allow(...roles)];
    api[method](routePath(path), ...guards, async (req, res) => {
      const actor = actorOf(req);
      const asked: Asked = {
        actor,
        params: req.params as Record<string, string>,
        query: queryOf(req, operation, actor),
        body: operation.body === undefined ? undefined : parseBody(operation.body, req.body ?? {}),
        matches: matcherOf(req, actor),
        signal: untilGone(res),
      };
      const asks = deps.fourEyes ? ((await operation.asks?.(asked, deps)) ?? null) : null;
      const waits = await askFirst(deps, asks, actor);
      if (waits?.outcome === 'refused') throw conflict(`Nothing was asked for: ${waits.why}.`);
      const answered = () => operation.answer(deps, asked);
      const answer =
        waits !== null
          ? { status: 202, body: waits.decision }
          : await (method === 'get' ? readInTime(answered, READ_SECONDS) : answered());
      send(req, res, { answer, actor });
    });
  }
  // Those without a parameter first: `/deliveries/recover` is no `/deliveries/{id}`.
  const addresses = [...grouped(operations, ({ path }) => path)].sort(([a], [b]) => braces(a) - braces(b));
  for (const [path, methods] of addresses) api.all(routePath(path), otherMethod(methods));
  api.use((error: unknown, _req: Request, _res: Response, next: express.NextFunction) => {
    if (error instanceof CursorError) next(badRequest(error.message, { parameter: 'cursor' }));
    else if (error instanceof InvalidOrderError) next(badRequest(`${error.message}.`));
    else if (isDataError(error)) next(badRequest('A value that was given is none we could hold.'));
    else if (isPassing(error)) next(new Problem(503, 'Unavailable', 'The database can not be asked now; try again.'));
    else next(error);
  });
  return api;
}

/** A body of another type would be read as none, and what it asks for left out. */
const onlyJson: RequestHandler = (req, _res, next) => {
  const isGiven = Number(req.get('content-length') ?? 0) > 0 || req.get('transfer-encoding') !== undefined;
  if (isGiven && req.method !== 'GET' && !req.is('application/json')) {
    const given = req.get('content-type')?.slice(0, 80) ?? 'none';
    const why = `The Content-Type of the body is ${given}; it takes application/json.`;
    throw new Problem(415, 'Unsupported media type', why);
  }
  next();
};

/** Of a key that stands twice the built-in parser takes the last, and another program the first. JSON is UTF-8 (RFC 8259, 8.1). */
function onlyOneObject(_req: unknown, _res: unknown, body: Buffer, charset: string): void {
  if (charset !== 'utf-8') {
    const why = `The charset of the body is ${charset}; it takes utf-8.`;
    throw new Problem(415, 'Unsupported media type', why);
  }
  try {
    if (!isJsonObject(parseJson(body.toString('utf8'), MAX_DEPTH))) throw badRequest('The body is no JSON object.');
  } catch (error) {
    if (error instanceof JsonTextError) throw badRequest(`The body is no JSON: ${error.message}.`);
    throw error;
  }
}

/** Nothing else is done at an address than what its operations do. */
function otherMethod(known: readonly Operation[]): RequestHandler {
  const allowed = known
    .map(({ method }) => method.toUpperCase())
    .flatMap((one) => (one === 'GET' ? [one, 'HEAD'] : one));
  const allow = allowed.join(', ');
  return (req, res) => {
    res.set('Allow', allow);
    if (req.method === 'OPTIONS') res.sendStatus(204);
    else throw new Problem(405, 'Method not allowed', `${req.method} is not possible here; possible are ${allow}.`);
  };
}

const braces = (path: string): number => path.split('{').length;

/** `/orders/{reference}` as express writes it. */
export const routePath = (path: string): string => path.replaceAll(/\{(\w+)\}/g, ':$1');

/** A viewer can not find out about a person by asking for one. */
function queryOf(req: Request, { query, personal = [] }: Operation, actor: Actor): Record<string, unknown> | undefined {
  if (query === undefined) return undefined;
  const hidden = mayKnowPeople(actor) ? [] : personal.map((name) => [name, true as const]);
  return readQuery(hidden.length === 0 ? query : query.omit(Object.fromEntries(hidden)), req.query);
}

/** lossless-json writes numbers of the service with the digits they came with. */
const textOf = (body: object): string => stringify(body) ?? 'null';

function untilGone(res: Response): AbortSignal {
  const gone = new AbortController();
  res.once('close', () => gone.abort());
  return gone.signal;
}

function matcherOf(req: Request, { role }: Actor): ((body: object) => boolean) | null {
  const given = req.get('if-match');
  return given === undefined ? null : (body) => isNamed(given, { text: textOf(body), role });
}

function send(req: Request, res: Response, { answer, actor }: { answer: Answer; actor: Actor }): void {
  const text = textOf(answerFor(actor, answer.body));
  if (req.method === 'GET' || req.method === 'HEAD') {
    sendTagged(req, res, { text, role: actor.role });
    return;
  }
  res.set('Cache-Control', 'no-store').status(answer.status ?? 200);
  res.type('application/json').send(text);
}

function parseBody<T>(schema: z.ZodType<T>, body: unknown): T {
  const result = schema.safeParse(body);
  if (result.success) return result.data;
  const problems = result.error.issues.map(({ path, message }) => `${path.join('.') || 'body'}: ${message}`);
  throw badRequest(`The body is not right: ${problems.join('; ')}.`);
}
