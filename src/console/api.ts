import express, { type Response, Router } from 'express';
import type { Knex } from 'knex';
import { stringify } from 'lossless-json';
import type { Logger } from 'pino';
import { z } from 'zod';
import type { SecretStatus } from '../domain/deliveries/secret-status.js';
import { isAmount, isSignedAmount } from '../domain/money.js';
import type { KytWords } from '../domain/orders/kyt.js';
import { type NewAction, recordAction } from '../records/actions/record-action.js';
import { attributeBalance } from '../records/balances/balance-attributions.js';
import { getBalance } from '../records/balances/balance-views.js';
import { type BreakDecision, decideBreak } from '../records/breaks/decide-break.js';
import { readChanges } from '../records/changes.js';
import { isDataError, isPassing } from '../records/database/database-errors.js';
import { CursorError, defaultTake } from '../records/database/paging.js';
import { PRUNED_EVENT, prunedEvents } from '../records/inbox/inbox-work.js';
import { InvalidOrderError, registerOrder } from '../records/orders/orders.js';
import { coverage } from '../records/runs/coverage.js';
import { actorOf, allow } from './authenticate.js';
import { listQuery } from './list-query.js';
import { addPeriodActions, type BooksSettings } from './period-api.js';
import { Problem } from './problem.js';
import { type Resource, resources } from './resources.js';
import { mayKnowPeople } from './view/personal.js';

/** What the console can't do by a record; wiring puts it on the `commands` queue. */
interface Commands {
  replay(eventIds: string[]): Promise<void>;
  run(request: { kind: string; full: boolean }): Promise<void>;
  /**
   * Has the delivery history read, back to `since` (ISO 8601) or as far as is due, and missed events recovered; those of
   * `ids`, and with `until` those made between the two, at once.
   */
  recover(request: { since: string | null; until?: string; ids?: string[] }): Promise<void>;
}

export interface ApiDeps {
  db: Knex;
  log: Logger;
  commands: Commands;
  /** Kinds that a run may be asked for. */
  runKinds: readonly string[];
  /** How the account's compliance results are read; left out: domain/orders/kyt.ts. */
  kytWords?: KytWords;
  secretsStatus: () => Promise<{ items: SecretStatus[] }>;
  /** Left out: months can be looked at, not closed. */
  books?: BooksSettings;
}

/** Everything below /api/v1 (interface: "Read API"). */
export function createApi(deps: ApiDeps): Router {
  const api = Router();
  api.use(express.json({ limit: '100kb' }));
  addLists(api, deps);
  addFeeds(api, deps);
  addActions(api, deps);
  addBreakActions(api, deps);
  addBalanceActions(api, deps);
  if (deps.books) addPeriodActions(api, { ...deps, books: deps.books });
  api.use((error: unknown, _req: express.Request, _res: Response, next: express.NextFunction) => {
    if (error instanceof CursorError) next(new Problem(400, 'Bad request', error.message, { parameter: 'cursor' }));
    else if (error instanceof InvalidOrderError) next(new Problem(400, 'Bad request', `${error.message}.`));
    else if (isDataError(error)) next(new Problem(400, 'Bad request', 'A value that was given is none we could hold.'));
    else if (isPassing(error)) next(new Problem(503, 'Unavailable', 'The database can not be asked now; try again.'));
    else next(error);
  });
  return api;
}

function addLists(api: Router, { db }: ApiDeps): void {
  for (const resource of resources) {
    const { path } = resource;
    api.get(`/${path}`, async (req, res) => {
      const page = await resource.list(db, listQuery(req, filtersFor(req, resource)));
      sendJson(res, { ...page, items: page.items.map((item) => itemFor(req, resource, item)) });
    });
    if (!resource.get) continue;
    api.get(`/${path}/:id`, async (req, res) => {
      const item = await resource.get?.(db, idOf(req));
      if (!item) throw new Problem(404, 'Not found', `There is no ${path} record "${idOf(req).slice(0, 80)}" here.`);
      sendJson(res, itemFor(req, resource, item));
    });
  }
}

/** As pages show it: viewers see nothing that tells of a person. */
function itemFor(req: express.Request, { masked }: Resource, item: object): object {
  return masked === undefined || mayKnowPeople(actorOf(req)) ? item : masked(item);
}

/** Nor can they find out by asking for one. */
function filtersFor(req: express.Request, { filters, personalFilters = [] }: Resource): readonly string[] {
  return mayKnowPeople(actorOf(req)) ? filters : filters.filter((name) => !personalFilters.includes(name));
}

function addFeeds(api: Router, { db, runKinds, secretsStatus }: ApiDeps): void {
  api.get('/changes', async (req, res) => {
    const { take = defaultTake, cursor, filters } = listQuery(req, ['after']);
    const after = filters.after ?? cursor ?? '0';
    if (!/^\d{1,18}$/.test(after)) {
      throw new Problem(
        400,
        'Bad request',
        `after is "${after.slice(0, 40)}"; it takes the seq of the last change you read.`,
      );
    }
    const items = await readChanges(db, { after, take });
    sendJson(res, { items, nextCursor: items.at(-1)?.seq ?? null });
  });
  api.get('/coverage', async (_req, res) => {
    sendJson(res, { items: await coverage(db, runKinds, new Date()), nextCursor: null });
  });
  api.get('/secrets', allow('operator'), async (_req, res) => {
    sendJson(res, await secretsStatus());
  });
}

const orderBody = z.strictObject({
  amount: z.string().refine(isAmount, 'takes a decimal string such as "12.50"'),
  currency: z.string().min(1).max(32),
});
const note = z.string().trim().min(1).max(2000).nullable().default(null);
const runBody = z.strictObject({ kind: z.string(), full: z.boolean().default(false), note });
const recoverBody = z.strictObject({ since: z.iso.datetime({ offset: true }).nullable().default(null), note });
const replayBody = z.strictObject({ note });
const noteBody = z.strictObject({ note: z.string().trim().min(1).max(2000) });

function addActions(api: Router, { db, log, commands, runKinds, kytWords }: ApiDeps): void {
  api.put('/orders/:id', allow('operator'), async (req, res) => {
    const reference = idOf(req);
    const { amount, currency } = parseBody(orderBody, req.body);
    const result = await db.transaction(async (trx) => {
      const registered = await registerOrder(trx, { reference, amount, currency }, kytWords);
      const outcome = registered.outcome === 'conflict' ? 'refused' : 'done';
      const details = { amount, currency, outcome: registered.outcome };
      await keep({ db: trx, log }, req, { action: 'register order', target: `order ${reference}`, details, outcome });
      return registered;
    });
    if (result.outcome === 'conflict') {
      throw new Problem(409, 'Conflict', 'The order is registered with another amount or currency.', {
        existing: result.expected,
      });
    }
    sendJson(res.status(result.outcome === 'created' ? 201 : 200), result.order);
  });
  api.post('/events/:id/replay', allow('operator'), async (req, res) => {
    const id = idOf(req);
    const known = /^\d{1,18}$/.test(id) && (await db('inbox').where({ id }).first('id'));
    if (!known) throw new Problem(404, 'Not found', `There is no event "${id.slice(0, 40)}" here.`);
    if ((await prunedEvents(db, [id])).has(id)) throw new Problem(409, 'Conflict', `${PRUNED_EVENT}.`);
    const { note: reason } = parseBody(replayBody, req.body ?? {});
    await keep({ db, log }, req, { action: 'replay', target: `event ${id}`, reason, outcome: 'asked' });
    await commands.replay([id]);
    res.status(202).json({ accepted: true, id });
  });
  api.post('/deliveries/recover', allow('operator'), async (req, res) => {
    const { since, note: reason } = parseBody(recoverBody, req.body ?? {});
    await keep({ db, log }, req, { action: 'recover', reason, details: { since }, outcome: 'asked' });
    await commands.recover({ since });
    res.status(202).json({ accepted: true, since });
  });
  api.post('/runs', allow('operator'), async (req, res) => {
    const { kind, full, note: reason } = parseBody(runBody, req.body);
    if (!runKinds.includes(kind)) {
      throw new Problem(400, 'Bad request', `kind is "${kind.slice(0, 40)}"; it takes ${runKinds.join(', ')}.`, {
        parameter: 'kind',
      });
    }
    await keep({ db, log }, req, { action: 'run', reason, details: { kinds: [kind], full }, outcome: 'asked' });
    await commands.run({ kind, full });
    res.status(202).json({ accepted: true, kind, full });
  });
}

const decisions = { acknowledge: 'acknowledge', resolve: 'resolve', 'write-off': 'write_off' } as const;

function addBreakActions(api: Router, { db }: ApiDeps): void {
  for (const [verb, decision] of Object.entries(decisions) as [string, BreakDecision][]) {
    const role = decision === 'write_off' ? 'finance' : 'operator';
    api.post(`/breaks/:id/${verb}`, allow(role), async (req, res) => {
      const { note } = parseBody(noteBody, req.body);
      const result = await decideBreak(db, idOf(req), decision, { actor: actorOf(req).name, note });
      if (result.outcome === 'not_found')
        throw new Problem(404, 'Not found', `There is no break "${idOf(req).slice(0, 40)}" here.`);
      if (result.outcome === 'closed') {
        throw new Problem(409, 'Conflict', `The break is ${result.break.status}; only an open one can change.`);
      }
      sendJson(res, result.break);
    });
  }
}

const attributionBody = z.strictObject({
  amount: z.string().refine(isSignedAmount, 'takes a signed decimal string such as "-12.50"'),
  note: z.string().trim().min(1).max(2000),
});

function addBalanceActions(api: Router, { db }: ApiDeps): void {
  api.post('/balances/:id/attribute', allow('finance'), async (req, res) => {
    const { amount, note } = parseBody(attributionBody, req.body);
    const assetCode = idOf(req);
    const result = await attributeBalance(db, { assetCode, amount, note, actor: actorOf(req).name });
    if (result.outcome === 'not_found')
      throw new Problem(404, 'Not found', `The balance of "${assetCode.slice(0, 40)}" was never read.`);
    if (result.outcome === 'refused')
      throw new Problem(409, 'Conflict', `Open of the residual is ${result.open}.`, { open: result.open });
    sendJson(res, (await getBalance(db, assetCode)) ?? result.proof);
  });
}

/** With the role that the token had. */
async function keep(
  { db, log }: Pick<ApiDeps, 'db' | 'log'>,
  req: express.Request,
  given: Omit<NewAction, 'actor'>,
): Promise<void> {
  const { name, role } = actorOf(req);
  await recordAction(db, { ...given, actor: name, details: { role, ...given.details } });
  const { action, target, outcome } = given;
  log.info({ actor: name, action, target, outcome, ...given.details }, 'asked for at the console');
}

function idOf(req: express.Request): string {
  return String(req.params['id']);
}

/** lossless-json writes numbers of the service with the digits they came with. */
function sendJson(res: Response, value: object): void {
  res.type('application/json').send(stringify(value) ?? 'null');
}

function parseBody<T>(schema: z.ZodType<T>, body: unknown): T {
  const result = schema.safeParse(body);
  if (result.success) return result.data;
  const problems = result.error.issues.map(({ path, message }) => `${path.join('.') || 'body'}: ${message}`);
  throw new Problem(400, 'Bad request', `The body is not right: ${problems.join('; ')}.`);
}
