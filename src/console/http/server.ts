import express, { type Express } from 'express';
import helmet from 'helmet';
import { pinoHttp } from 'pino-http';
import { keptByAsker } from '../api/answer-tag.js';
import { createApi } from '../api/api-router.js';
import { serveDocument } from '../api/serve-document.js';
import { authenticate, type ConsoleToken } from '../authenticate.js';
import type { GivenDeps } from '../page.js';
import { notFound, problemHandler } from '../problem.js';
import { consolePages } from './console-pages.js';
import type { LiveSettings } from './live.js';

export interface ConsoleDeps extends GivenDeps, LiveSettings {
  tokens: readonly ConsoleToken[];
  /** Whose X-Forwarded-For is believed, as Express takes it. */
  trustedProxies: readonly string[];
  /** The process's metrics in Prometheus' text format. */
  metrics: () => Promise<{ contentType: string; body: string }>;
  ready: () => Promise<{ ok: boolean; problems: string[] }>;
}

/** The private side: pages, read API, health and metrics. Never expose its port to the public. */
export function createConsoleApp(deps: ConsoleDeps): Express {
  const app = express();
  app.disable('x-powered-by');
  app.set('trust proxy', [...deps.trustedProxies]);
  app.use(
    helmet({
      contentSecurityPolicy: { useDefaults: false, directives: contentPolicy },
      // Forms say where they come from, to this console alone.
      referrerPolicy: { policy: 'same-origin' },
    }),
  );
  app.use(
    pinoHttp({
      logger: deps.log,
      useLevel: 'debug',
      quietReqLogger: true,
      redact: ['req.headers.authorization', 'req.headers.cookie', 'res.headers["set-cookie"]'],
    }),
  );
  app.get('/livez', (_req, res) => {
    res.json({ ok: true });
  });
  app.get('/readyz', async (_req, res) => {
    const state = await deps.ready();
    res.status(state.ok ? 200 : 503).json(state);
  });
  app.get('/metrics', async (_req, res) => {
    const { contentType, body } = await deps.metrics();
    res.set('Content-Type', contentType).send(body);
  });
  app.use('/api/v1', serveDocument(), keptByAsker, authenticate(deps.tokens), createApi(deps));
  app.use('/api', notFound, problemHandler(deps.log));
  app.use(consolePages(deps, deps.tokens), problemHandler(deps.log));
  return app;
}

/** Nothing but our own files: no script and no style in a page, no frame around it, no form to elsewhere. */
const contentPolicy = {
  defaultSrc: ["'none'"],
  scriptSrc: ["'self'"],
  styleSrc: ["'self'"],
  imgSrc: ["'self'"],
  connectSrc: ["'self'"],
  formAction: ["'self'"],
  baseUri: ["'none'"],
  frameAncestors: ["'none'"],
};
