import express, { type Request, type RequestHandler, type Response, Router } from 'express';
import { rateLimit, type Store } from 'express-rate-limit';
import { findToken, type KnownToken } from '../authenticate.js';
import { Problem } from '../problem.js';
import { chooseZone, setCookie } from './cookies.js';
import { CSRF_FIELD, checkCsrf, checkOrigin } from './csrf.js';
import { ownPath } from './page-request.js';
import { type Site, shellOf, THEME_COOKIE } from './page-router.js';
import { renderSignIn } from './render.js';

const ATTEMPTS = { windowMs: 60_000, limit: 10 };
/** Beyond so many the one that failed first is forgotten: whoever has so many addresses has no need to wait. */
const MOST_ADDRESSES = 10_000;
const YEAR_SECONDS = 365 * 86_400;

/** Sign in, sign out, and the choices of light or dark, and of a time zone. */
export function signInRoutes(site: Site, tokens: readonly KnownToken[]): Router {
  const router = Router();
  const form = express.urlencoded({ extended: false, limit: '10kb' });
  const failures = rateLimit({
    ...ATTEMPTS,
    store: boundedStore(ATTEMPTS.windowMs, MOST_ADDRESSES),
    // Only a wrong token counts.
    skipSuccessfulRequests: true,
    requestWasSuccessful: (_req, { statusCode }) => statusCode !== 401,
    standardHeaders: 'draft-8',
    legacyHeaders: false,
    validate: false,
    handler: (_req, _res, next) => {
      next(new Problem(429, 'Too many attempts', 'Wait a minute, then try again.'));
    },
  });
  router.get('/sign-in', (req, res) => show(site, { req, res }, { status: 200, problem: null }));
  router.post('/sign-in', fromHere, form, failures, async (req, res) => {
    const token: unknown = req.body?.token;
    const found = typeof token === 'string' ? findToken(tokens, token.trim()) : undefined;
    if (found === undefined) {
      site.deps.log.warn({ from: req.ip }, 'sign-in rejected');
      await show(site, { req, res }, { status: 401, problem: 'This is not one of the tokens in CONSOLE_TOKENS.' });
      return;
    }
    // Whoever kept the one before it has nothing of it.
    await site.sessions.end(req);
    site.sessions.begin(req, res, found);
    res.redirect(303, ownPath(req.body?.next));
  });
  router.post('/sign-out', fromHere, form, async (req, res) => {
    const session = site.sessions.claimed(req);
    if (session !== null) checkCsrf(session, req.body?.[CSRF_FIELD]);
    site.sessions.forget(req, res);
    await site.sessions.end(req);
    res.redirect(303, '/sign-in');
  });
  router.post('/theme', fromHere, form, (req, res) => {
    const value = ['light', 'dark'].find((known) => known === req.body?.theme) ?? 'system';
    setCookie(req, res, { name: THEME_COOKIE, value, seconds: YEAR_SECONDS });
    res.redirect(303, ownPath(req.body?.['_back']));
  });
  router.post('/zone', fromHere, form, (req, res) => {
    chooseZone(req, res, req.body?.zone);
    res.redirect(303, ownPath(req.body?.['_back']));
  });
  return router;
}

/** Before anything is counted or read: a page elsewhere must not use up anybody's attempts. */
const fromHere: RequestHandler = (req, _res, next) => {
  checkOrigin(req);
  next();
};

/** Failures by address, of which it holds so many at most. */
export function boundedStore(windowMs: number, most: number): Store {
  const counts = new Map<string, { totalHits: number; resetTime: Date }>();
  return {
    localKeys: true,
    increment: (key) => {
      const known = counts.get(key);
      const isOver = known === undefined || known.resetTime.getTime() <= Date.now();
      const count = isOver ? { totalHits: 0, resetTime: new Date(Date.now() + windowMs) } : known;
      if (isOver) counts.delete(key);
      count.totalHits += 1;
      counts.set(key, count);
      const [oldest] = counts.keys();
      if (counts.size > most && oldest !== undefined) counts.delete(oldest);
      return { ...count };
    },
    decrement: (key) => {
      const known = counts.get(key);
      if (known === undefined) return;
      known.totalHits -= 1;
      if (known.totalHits <= 0) counts.delete(key);
    },
    resetKey: (key) => void counts.delete(key),
  };
}

async function show(
  site: Site,
  { req, res }: { req: Request; res: Response },
  { status, problem }: { status: number; problem: string | null },
): Promise<void> {
  const shell = await shellOf(site, { req, res, session: null }, { title: 'Sign in', live: null, hasList: false });
  const next = ownPath(req.method === 'GET' ? req.query['next'] : req.body?.next);
  res.status(status).type('html').send(renderSignIn(shell, { next, problem }));
}
