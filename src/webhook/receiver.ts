import { createHash } from 'node:crypto';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import express, { type Request, type Response, type Router } from 'express';
import type { Knex } from 'knex';
import type { Logger } from '../log.js';
import { claimCanary } from '../records/inbox/canaries.js';
import { BodyRoom } from './body-room.js';
import { createInboxWriter, type InboxWriter } from './inbox-writer.js';
import { logSeldom } from './log-seldom.js';
import type { Envelope } from './parse-envelope.js';
import { createRejectionLog } from './rejection-log.js';
import { createSecretMatchLog } from './secret-matches.js';
import { type Answer, type StepDeps, sendAnswer, unavailable, webhookSteps } from './steps.js';
import { createUnsignedIds } from './verify-signature.js';

export interface ReceiverDeps
  extends Pick<StepDeps, 'log' | 'now' | 'metrics' | 'secrets' | 'tolerance' | 'bodyLimit' | 'eventIdPointer'> {
  db: Knex;
  /** WEBHOOK_PATH; compared as it is, a query string left aside. */
  path: string;
  /** Gets the inbox rows that are to be applied, after they are committed and off the request's path. */
  onStored: (ids: string[]) => void;
  /** Called each time that an event could not be stored. */
  onNotStored?: (() => void) | undefined;
  /** Gets authentic events that came too late, each once. */
  onExpired?: OnExpired | undefined;
  /** Whether webhooks could be stored now. Where it is given, /livez and /readyz are answered, too. */
  ready?: (() => Promise<{ ok: boolean; problems: string[] }>) | undefined;
  /** Where events are stored, if not in the inbox of `db`. */
  inbox?: InboxWriter | undefined;
}

export interface Receiver {
  /** The webhook path, /livez and /readyz, step by step. Whatever else it is asked for it leaves to who comes after it. */
  router: Router;
  /** The router for a server of its own, without an Express app, which would change each request's prototype: else 404. */
  listener: RequestListener;
  /** The steps of the webhook path alone, whatever the path is. */
  handler: RequestListener;
  /** Stores what was handed in; to be called when the server takes no more requests. */
  close(): Promise<void>;
}

/** What the bodies that are still being sent may hold together, and no fewer than so many of the largest. */
const UNFINISHED_BYTES = 64 * 1024 * 1024;
const UNFINISHED_BODIES = 4;

/** The receiver without a server (flow 1, first half). */
export function createReceiverApp(deps: ReceiverDeps): Receiver {
  const { path, ready, log, metrics, secrets } = deps;
  const countSecrets = () => metrics.secretsAccepted.set({ state: 'accepted' }, secrets.current().length);
  Object.assign(metrics.secretsAccepted, { collect: countSecrets });
  const inbox = deps.inbox ?? createInboxWriter(deps);
  const rejections = createRejectionLog(deps);
  const matches = createSecretMatchLog(deps);
  const logNotStored = logSeldom(log, 'webhook not stored');
  const steps = webhookSteps({
    ...deps,
    rejections,
    matches,
    bodyRoom: new BodyRoom(Math.max(UNFINISHED_BYTES, UNFINISHED_BODIES * deps.bodyLimit)),
    unsignedIds: createUnsignedIds(deps.eventIdPointer),
    store: (arrival) => inbox.store(arrival),
    claimCanary: createClaims(deps.db, log),
    expired: createExpiredEvents(deps.onExpired ?? (() => {}), log),
    notStored: (error) => {
      deps.onNotStored?.();
      logNotStored(error);
    },
  });
  // A path of text would be decoded, and match in any case. Of what a path may have (config), patterns know the dot alone.
  const router = express.Router().all(new RegExp(`^${path.replaceAll('.', '\\.')}$`), ...steps);
  if (ready) addProbes(router, ready);

  const alone = (router: Router, otherwise: Pick<Answer, 'status' | 'body'>) =>
    function serve(req: IncomingMessage, res: ServerResponse): void {
      router(req as Request, res as Response, (error?: unknown) => {
        if (error) log.error({ err: error }, 'request failed');
        sendAnswer(res, error ? unavailable('failed', 'the request failed here') : otherwise);
      });
    };
  const notFound = { status: 404, body: { error: 'not_found' } } as const;
  return {
    router,
    listener: alone(router, notFound),
    handler: alone(express.Router().use(...steps), notFound),
    close: async () => {
      await inbox.close();
      await Promise.all([rejections.close(), matches.close()]);
    },
  };
}

function addProbes(router: Router, ready: NonNullable<ReceiverDeps['ready']>): void {
  router.get('/livez', function livez(_req, res) {
    sendAnswer(res, { status: 200, body: { ok: true } });
  });
  router.get('/readyz', async function readyz(_req, res) {
    const { ok } = await ready();
    // The private port says which part is missing.
    sendAnswer(
      res,
      ok ? { status: 200, body: { ok } } : { status: 503, body: { ok }, headers: { 'Retry-After': '5' } },
    );
  });
}

const CLAIMS_AT_ONCE = 4;

/** Whoever sends what only looks like a canary costs a few lookups at once; beyond, and without an answer, it is as any event. */
function createClaims(db: Knex, log: Logger): StepDeps['claimCanary'] {
  const failed = logSeldom(log, 'canary not looked up');
  let running = 0;
  return async (nonce, rawBody) => {
    if (running >= CLAIMS_AT_ONCE) return null;
    running += 1;
    try {
      return await claimCanary(db, nonce, rawBody);
    } catch (error) {
      failed(error);
      return null;
    } finally {
      running -= 1;
    }
  };
}

/** What is to be done about an authentic event that came too late: its record is read from the service. */
type OnExpired = (envelope: Envelope) => void | Promise<void>;

const REMEMBERED = 5_000;
const AT_ONCE = 4;

/**
 * Hands on each expired event once, however often it is sent again: whoever caught one could otherwise make us work with
 * every replay. What could not be dealt with is handed on again when it comes again.
 */
function createExpiredEvents(onExpired: OnExpired, log: Logger): (rawBody: Buffer, envelope: Envelope) => void {
  const failed = logSeldom(log, 'refresh request not saved');
  let known = new Set<string>();
  let running = 0;

  async function handOn(hash: string, envelope: Envelope): Promise<void> {
    try {
      await onExpired(envelope);
    } catch (error) {
      known.delete(hash);
      failed(error);
    } finally {
      running -= 1;
    }
  }

  return (rawBody, envelope) => {
    const hash = createHash('sha256').update(rawBody).digest('base64');
    if (known.has(hash) || running >= AT_ONCE) return;
    if (known.size >= REMEMBERED) known = new Set();
    known.add(hash);
    running += 1;
    setImmediate(() => void handOn(hash, envelope));
  };
}
