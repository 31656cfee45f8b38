import type { ErrorRequestHandler, Request } from 'express';
import { isDataError, isPassing } from '../records/database/database-errors.js';
import { CursorError } from '../records/database/paging.js';
import type { Site } from './page-router.js';
import { Problem } from './problem.js';
import type { Session } from './session.js';

/** Tells a browser what went wrong as a page, with a way on; other programs get the problem itself. */
export function pageProblems(site: Site): ErrorRequestHandler {
  return async (error: unknown, req, res, next) => {
    const problem = problemOf(error);
    if (problem === null || res.headersSent || !req.accepts('html') || req.path.startsWith('/live')) {
      next(problem ?? error);
      return;
    }
    if (problem.status >= 500) site.deps.log.error({ err: error, path: req.path }, 'console page failed');
    const session = await knownSession(site, req);
    const link =
      session === null && problem.status !== 503
        ? { text: 'Sign in', href: '/sign-in' }
        : { text: 'Go to the overview', href: '/' };
    const notice = { is: 'notice', tone: 'bad', title: problem.title, text: problem.message, link } as const;
    await site.send(
      { req, res, session },
      { title: problem.title, view: { sections: [notice] }, status: problem.status },
    );
  };
}

/** Where the database can't be asked nobody is known. */
async function knownSession(site: Site, req: Request): Promise<Session | null> {
  try {
    return await site.sessions.find(req);
  } catch {
    return null;
  }
}

function problemOf(error: unknown): Problem | null {
  if (error instanceof Problem) return error;
  if (error instanceof CursorError) return new Problem(400, 'Bad request', error.message);
  if (isDataError(error)) return new Problem(400, 'Bad request', 'A value that was given is none we could hold.');
  if (isPassing(error))
    return new Problem(503, 'Not available', 'The database can not be asked now. Try again in a moment.');
  const status = typeof error === 'object' && error !== null && 'status' in error ? Number(error.status) : 500;
  if (status >= 400 && status < 500) return new Problem(status, 'Bad request', 'The request was not understood.');
  return new Problem(
    500,
    'Something failed here',
    'The log of this process says why. Nothing is known to be lost by it; try again.',
  );
}
