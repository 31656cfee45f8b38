import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import express, { type ErrorRequestHandler, type Request, Router } from 'express';
import { isMonth } from '../../domain/books/posting-month.js';
import { loadDayMoney } from '../../records/books/day-money.js';
import { periodFiles, readPeriodFile } from '../../records/books/period-files.js';
import { isDataError, isPassing } from '../../records/database/database-errors.js';
import { CursorError } from '../../records/database/paging.js';
import { readScorecard } from '../../records/scorecard/scorecard.js';
import { actions } from '../actions/actions.js';
import { type ConsoleToken, knownTokens } from '../authenticate.js';
import type { GivenDeps, Page, PageRequest } from '../page.js';
import { pages } from '../pages/pages.js';
import { badRequest, notHere, Problem } from '../problem.js';
import { createState, keep } from '../status.js';
import { csvLine, scorecardCsv } from '../view/csv.js';
import { tableFor } from '../view/personal.js';
import { notice } from '../view/sections.js';
import { actionRoutes } from './action-router.js';
import { type LiveSettings, liveRoutes } from './live.js';
import { pageRequest } from './page-request.js';
import { checkRole, pageRoutes, type Site, sendPage, signedIn } from './page-router.js';
import { assetsFolder } from './render.js';
import { createSessions, type Session } from './session.js';
import { signInRoutes } from './sign-in.js';

const YEAR_MS = 365 * 86_400_000;
/** Money of today; what is older than this is waited for. */
const MONEY_FRESH_MS = 10_000;
const MONEY_STALE_MS = 600_000;

/** The pages for people: who is signed in, what they see, what they can do. */
export function consolePages(given: GivenDeps & LiveSettings, tokens: readonly ConsoleToken[]): Router {
  const { db, now, books } = given;
  const { refund } = books.table.words.payoutType;
  const dayMoney = keep(() => loadDayMoney(db, now(), refund), MONEY_FRESH_MS, MONEY_STALE_MS);
  const state = createState(given);
  const deps = { ...given, state, dayMoney };
  const known = knownTokens(tokens);
  const sessions = createSessions(known, deps);
  const site: Site = { deps, sessions, pages, changed: state.forget };
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
    csvRoutes(site),
    newsRoutes(site),
    pageRoutes(site),
    actionRoutes(site, actions),
    liveRoutes(site, deps),
  );
  router.use((_req, _res, next) => {
    next(notHere('There is no page at this address.'));
  });
  router.use(pageProblems(site));
  return router;
}

const types: Readonly<Record<string, string>> = {
  csv: 'text/csv; charset=utf-8',
  ndjson: 'application/x-ndjson',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
};

/** The files of closed months, as they were stored, and the scorecard of any. */
function downloads(site: Site): Router {
  const { db, books, now } = site.deps;
  const router = Router();
  router.get('/scorecard/:month.csv', async (req, res) => {
    await signedIn(site, req);
    const { month } = req.params;
    if (!isMonth(month)) throw notHere('A month is such as 2026-10.');
    const card = await readScorecard(db, month, now(), books.timeZone);
    res.set({ 'Content-Type': types['csv'], 'Content-Disposition': `attachment; filename="scorecard-${month}.csv"` });
    res.send(scorecardCsv(card));
  });
  router.get('/periods/:month/files/:name', async (req, res) => {
    await signedIn(site, req);
    const { month, name } = req.params;
    const file = (await periodFiles(db, month)).find((one) => one.name === name);
    if (file === undefined) throw notHere('The month has no such file, or it is not closed.');
    res.set({
      'Content-Type': types[file.format] ?? 'text/plain; charset=utf-8',
      'Content-Length': String(file.bytes),
      'Content-Disposition': `attachment; filename="${file.name}"`,
      'Repr-Digest': `sha-256=:${Buffer.from(file.sha256, 'hex').toString('base64')}:`,
    });
    try {
      await pipeline(Readable.from(readPeriodFile(db, file.id)), res);
    } catch (error) {
      // Whoever asked went away: nobody reads the answer.
      if ((error as NodeJS.ErrnoException).code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error;
    }
  });
  return router;
}

/** Shows a browser what went wrong as a page, with a way on; other programs get the problem itself. */
function pageProblems(site: Site): ErrorRequestHandler {
  return async (error: unknown, req, res, next) => {
    const problem = problemOf(error);
    if (res.headersSent || !req.accepts('html') || /^\/(live|new)\//.test(req.path)) {
      next(problem);
      return;
    }
    if (problem.status >= 500) site.deps.log.error({ err: error, path: req.path }, 'console page failed');
    const session = await knownSession(site, req);
    const link =
      session === null && problem.status !== 503
        ? { text: 'Sign in', href: '/sign-in' }
        : { text: 'Go to the overview', href: '/' };
    const { title, message, status } = problem;
    const view = { sections: [notice('bad', message, '', link)] };
    await sendPage(site, { req, res, session }, { title, view, status });
  };
}

/** Where the database can't be asked nobody is known. */
async function knownSession(site: Site, req: Request): Promise<Session | null> {
  return site.sessions.find(req).catch(() => null);
}

function problemOf(error: unknown): Problem {
  if (error instanceof Problem) return error;
  if (error instanceof CursorError) return badRequest(error.message);
  if (isDataError(error)) return badRequest('A value that was given is none we could hold.');
  if (isPassing(error))
    return new Problem(503, 'Not available', 'The database can not be asked now. Try again in a moment.');
  const status = typeof error === 'object' && error !== null && 'status' in error ? Number(error.status) : 500;
  if (status >= 400 && status < 500) return new Problem(status, 'Bad request', 'The request was not understood.');
  const why = 'The log of this process says why. Nothing is known to be lost by it; try again.';
  return new Problem(500, 'Something failed here', why);
}

/** More are not counted. */
const MOST = 100;

/** Of each list how many rows are newer than the one that `cursor` marks: `{count}`, at most 100. */
function newsRoutes(site: Site): Router {
  const router = Router();
  for (const page of site.pages) {
    const { list } = page;
    if (list === undefined || page.live === true) continue;
    router.get(`/new${page.path}`, async (req, res) => {
      const session = await signedIn(site, req);
      checkRole(page, session);
      const { cursor: above, ...asked } = pageRequest(req, page, session.actor);
      const { cursor: _above, ...slice } = asked.slice;
      const { rows } = await list.rows(site.deps, { ...asked, slice: { ...slice, above, take: MOST } });
      res.json({ count: rows.length });
    });
  }
  return router;
}

const MOST_ROWS = 50_000;
const AT_ONCE = 500;

/** Of each list a file with the rows that its filters leave, as the page shows them to this person. */
function csvRoutes(site: Site): Router {
  const router = Router();
  for (const page of site.pages) {
    const { list } = page;
    if (list === undefined) continue;
    router.get(`/csv${page.path}`, async (req, res) => {
      const session = await signedIn(site, req);
      checkRole(page, session);
      const lines = linesOf(site, list.file ?? list.rows, pageRequest(req, page, session.actor));
      // What is refused is answered before anything is sent.
      const first = await lines.next();
      const name = page.title.toLowerCase().replaceAll(' ', '-');
      res.set({
        'Content-Type': 'text/csv; charset=utf-8',
        'Content-Disposition': `attachment; filename="${name}.csv"`,
      });
      res.write(first.value ?? '');
      await pipeline(Readable.from(lines), res).catch((error: NodeJS.ErrnoException) => {
        // Whoever asked went away: nobody reads the rest.
        if (error.code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error;
      });
    });
  }
  return router;
}

async function* linesOf(
  { deps }: Site,
  rowsOf: NonNullable<Page['list']>['rows'],
  asked: PageRequest,
): AsyncGenerator<string> {
  let cursor: string | null | undefined;
  for (let rows = 0; cursor !== null && rows < MOST_ROWS; ) {
    const slice = { ...asked.slice, take: AT_ONCE, ...(cursor === undefined ? {} : { cursor }) };
    const table = tableFor(asked.actor, await rowsOf(deps, { ...asked, slice }));
    if (cursor === undefined) yield csvLine(table.columns.map(({ label }) => ({ is: 'text', text: label })));
    yield table.rows.map(csvLine).join('');
    rows += table.rows.length;
    cursor = table.nextCursor ?? null;
  }
}
