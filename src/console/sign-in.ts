import express, { type Request, type Response, Router } from 'express';
import { rateLimit } from 'express-rate-limit';
import { findToken, type KnownToken } from './authenticate.js';
import { setCookie } from './cookies.js';
import { CSRF_FIELD, checkCsrf, checkOrigin } from './csrf.js';
import { ownPath } from './page-request.js';
import { type Site, shellOf, THEME_COOKIE } from './page-router.js';
import { Problem } from './problem.js';
import { renderSignIn } from './render.js';

const ATTEMPTS = { windowMs: 60_000, limit: 10 };
const YEAR_SECONDS = 365 * 86_400;

/** Sign in, sign out, and the choice of light or dark. */
export function signInRoutes(site: Site, tokens: readonly KnownToken[]): Router {
  const router = Router();
  const form = express.urlencoded({ extended: false, limit: '10kb' });
  const failures = rateLimit({
    ...ATTEMPTS,
    skipSuccessfulRequests: true,
    standardHeaders: 'draft-8',
    legacyHeaders: false,
    validate: false,
    handler: (_req, _res, next) => {
      next(new Problem(429, 'Too many attempts', 'Wait a minute, then try again.'));
    },
  });
  router.get('/sign-in', (req, res) => show(site, { req, res }, { status: 200, problem: null }));
  router.post('/sign-in', failures, form, async (req, res) => {
    checkOrigin(req);
    const token: unknown = req.body?.token;
    const found = typeof token === 'string' ? findToken(tokens, token.trim()) : undefined;
    if (found === undefined) {
      site.deps.log.warn({ from: req.ip }, 'a sign-in at the console was refused');
      await show(site, { req, res }, { status: 401, problem: 'This is not one of the tokens in CONSOLE_TOKENS.' });
      return;
    }
    site.sessions.begin(req, res, found);
    res.redirect(303, ownPath(req.body?.next));
  });
  router.post('/sign-out', form, (req, res) => {
    checkOrigin(req);
    const session = site.sessions.find(req);
    if (session !== null) checkCsrf(session, req.body?.[CSRF_FIELD]);
    site.sessions.end(req, res);
    res.redirect(303, '/sign-in');
  });
  router.post('/theme', form, (req, res) => {
    checkOrigin(req);
    const value = ['light', 'dark'].find((known) => known === req.body?.theme) ?? 'system';
    setCookie(req, res, { name: THEME_COOKIE, value, seconds: YEAR_SECONDS });
    res.redirect(303, ownPath(req.body?.['_back']));
  });
  return router;
}

async function show(
  site: Site,
  { req, res }: { req: Request; res: Response },
  { status, problem }: { status: number; problem: string | null },
): Promise<void> {
  const shell = await shellOf(site, { req, res, session: null }, { title: 'Sign in', live: null });
  const next = ownPath(req.method === 'GET' ? req.query['next'] : req.body?.next);
  res.status(status).type('html').send(renderSignIn(shell, { next, problem }));
}
