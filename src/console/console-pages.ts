import express, { Router } from 'express';
import { actionRoutes } from './action-router.js';
import { actions } from './actions.js';
import type { ApiDeps } from './api/api-deps.js';
import { type ConsoleToken, knownTokens } from './authenticate.js';
import { downloads } from './downloads.js';
import { type LiveSettings, liveRoutes } from './live.js';
import type { PageDeps } from './page-deps.js';
import { pageProblems } from './page-problem.js';
import { createSite, pageRoutes } from './page-router.js';
import { pages } from './pages.js';
import { Problem } from './problem.js';
import { assetsFolder } from './render.js';
import { createSessions } from './session.js';
import { signInRoutes } from './sign-in.js';
import { createStatus } from './status.js';

export type PageSettings = Omit<PageDeps, keyof ApiDeps> & LiveSettings;

const YEAR_MS = 365 * 86_400_000;

/** The pages for people: who is signed in, what they see, what they can do. */
export function consolePages(deps: PageDeps & LiveSettings, tokens: readonly ConsoleToken[]): Router {
  const known = knownTokens(tokens);
  const sessions = createSessions(known, deps);
  const site = createSite({ deps, sessions, pages, status: createStatus(deps) });
  const router = Router();
  // Their address carries a version: a browser need never ask again.
  router.use('/assets', express.static(assetsFolder, { immutable: true, maxAge: YEAR_MS, index: false }));
  router.get('/favicon.ico', (_req, res) => {
    res.redirect(301, '/assets/favicon.svg');
  });
  router.use((_req, res, next) => {
    res.set('Cache-Control', 'no-store');
    next();
  });
  router.use(
    signInRoutes(site, known),
    downloads(site),
    pageRoutes(site),
    actionRoutes(site, actions),
    liveRoutes(site, deps),
  );
  router.use((_req, _res, next) => {
    next(new Problem(404, 'Not found', 'There is no page at this address.'));
  });
  router.use(pageProblems(site));
  return router;
}
