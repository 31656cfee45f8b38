import type { RequestListener } from 'node:http';
import express, { type ErrorRequestHandler, type Express } from 'express';
import { sendAnswer, unavailable } from './answer.js';
import { createInboxWriter, type InboxWriter } from './inbox-writer.js';
import { createWebhookHandler, type WebhookHandler, type WebhookHandlerDeps } from './webhook-handler.js';

export interface ReceiverDeps extends Omit<WebhookHandlerDeps, 'inbox'> {
  /** WEBHOOK_PATH; compared as it is, a query string left aside. */
  path: string;
  /** Told of the inbox rows that are to be applied, after they are committed and off the request's path. */
  onStored: (ids: string[]) => void;
  /** Whether webhooks could be stored now. Not asked: ready. */
  ready?: (() => Promise<{ ok: boolean; problems: string[] }>) | undefined;
  /** Where events are stored, if not in the inbox of `db`. */
  inbox?: InboxWriter | undefined;
}

export interface Receiver {
  /** The public side: the webhook path, /livez, /readyz and nothing else. */
  app: Express;
  /**
   * The same as `app` for a server of its own. Express costs as much as all else that happens to a webhook (it changes the
   * prototypes of each request): the webhook path goes past it.
   */
  listener: RequestListener;
  /** The webhook path alone, to be mounted anywhere. */
  handler: WebhookHandler['handler'];
  /** Stores what was handed in; to be called when the server takes no more requests. */
  close(): Promise<void>;
}

/** The receiver without a server (flow 1, first half). */
export function createReceiverApp(deps: ReceiverDeps): Receiver {
  const inbox = deps.inbox ?? createInboxWriter(deps);
  const { handler, close } = createWebhookHandler({ ...deps, inbox });
  const app = createApp(deps, handler);
  return {
    app,
    listener: (req, res) => {
      if (req.url === deps.path || req.url?.split('?', 1)[0] === deps.path) handler(req, res);
      else app(req, res);
    },
    handler,
    close: async () => {
      await inbox.close();
      await close();
    },
  };
}

function createApp({ path, ready, log }: ReceiverDeps, handler: WebhookHandler['handler']): Express {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.use((req, res, next) => {
    if (req.path === path) handler(req, res);
    else next();
  });
  app.get('/livez', (_req, res) => {
    res.json({ ok: true });
  });
  app.get('/readyz', async (_req, res) => {
    const { ok } = ready ? await ready() : { ok: true };
    if (!ok) res.set('Retry-After', '5');
    // Which part is missing is told on the private port.
    res.status(ok ? 200 : 503).json({ ok });
  });
  app.use((_req, res) => {
    res.status(404).json({ error: 'not_found' });
  });
  app.use(((error, _req, res, _next) => {
    log.error({ err: error }, 'a request failed here');
    sendAnswer(res, unavailable('failed', 'the request failed here'));
  }) satisfies ErrorRequestHandler);
  return app;
}
