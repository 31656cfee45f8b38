import { type NextFunction, type Request, type Response, Router } from 'express';
import { mayDo } from '../../domain/console-roles.js';
import { capitalized } from '../../domain/in-words.js';
import type { Page, PageDeps } from '../page.js';
import { notHere, Problem, readInTime } from '../problem.js';
import { statusNow } from '../status.js';
import { pageFor } from '../view/personal.js';
import { notice, type PageView } from '../view/sections.js';
import { readCookie, zoneOf } from './cookies.js';
import { csrfToken } from './csrf.js';
import { type Flash, takeFlash } from './flash.js';
import { navigationOf } from './navigation.js';
import { filledField, pageRequest } from './page-request.js';
import { type Frame, renderPage, type Shell, type Theme } from './render.js';
import type { Session, Sessions } from './session.js';

export const THEME_COOKIE = 'tallyhook_theme';

/** A request of a browser and what is known of who sent it. */
export interface Visit {
  req: Request;
  res: Response;
  session: Session | null;
}

/** What all routes of the pages share. */
export interface Site {
  deps: PageDeps;
  sessions: Sessions;
  pages: readonly Page[];
  /** What was read of the whole holds no more. */
  changed: () => void;
}

/** For one page: all of it is of one state of the whole. */
export function atOnce(site: Site): Site {
  const known = site.deps.state();
  // Who needs it hears of the failure.
  known.catch(() => {});
  return { ...site, deps: { ...site.deps, state: () => known } };
}

/** Answers with a page in the console's frame. */
export async function sendPage(
  site: Site,
  visit: Visit,
  page: { title: string; view: PageView; status?: number; live?: string; hasList?: boolean; flash?: Flash },
): Promise<void> {
  const { res, session } = visit;
  const view = session === null ? page.view : pageFor(session.actor, page.view);
  const { live = null, hasList = false } = page;
  const own = await shellOf(site, visit, { title: view.title ?? page.title, live, hasList });
  const shell = { ...own, flash: page.flash ?? own.flash };
  const csrf = session === null ? '' : csrfToken(session);
  const html = renderPage(shell, view, { csrf, now: site.deps.now(), zone: shell.zone });
  res
    .status(page.status ?? 200)
    .type('html')
    .send(html);
}

/** @throws {Problem} 401 */
export async function signedIn({ sessions }: Pick<Site, 'sessions'>, req: Request): Promise<Session> {
  const session = await sessions.find(req);
  if (session === null) throw new Problem(401, 'Not signed in', 'Sign in first.');
  return session;
}

/** A GET route for each page. Without a session the way leads to the sign-in and back. */
export function pageRoutes(site: Site): Router {
  const router = Router();
  for (const page of site.pages) {
    const list = site.pages.find(({ path }) => page.path.startsWith(`${path}/:`));
    const up = list === undefined ? [] : [{ text: list.title, href: list.path }];
    router.get(page.path, async (req: Request, res: Response, next: NextFunction) => {
      const session = await site.sessions.find(req);
      if (session === null) {
        const back = req.originalUrl === '/' ? '' : `?next=${encodeURIComponent(req.originalUrl)}`;
        res.redirect(303, `/sign-in${back}`);
        return;
      }
      checkRole(page, session);
      const own = atOnce(site);
      const { view: loaded, status = 200 } = await loadPage(own, page, { req, session });
      if (loaded === null) {
        next(notHere('There is no such record here. References and ids count byte for byte.'));
        return;
      }
      const view = { ...loaded, crumbs: [...up, ...(loaded.crumbs ?? [])] };
      const isWhole = status === 200;
      const live = page.live && isWhole ? { live: `/live${req.originalUrl}` } : {};
      const hasList = view.sections.some((one) => one.is === 'table' && one.isMain);
      await sendPage(own, { req, res, session }, { title: page.title, view, status, hasList, ...live });
    });
  }
  return router;
}

/** A page; where filters can't be read, its form as it was filled in, with what is wrong with each. */
async function loadPage(
  { deps }: Site,
  page: Page,
  { req, session: { actor } }: { req: Request; session: Session },
): Promise<{ view: PageView | null; status?: number }> {
  const wrong = new Map<string, string>();
  for (;;) {
    try {
      const view = await readInTime(() => page.load(deps, pageRequest(req, page, actor, [...wrong.keys()])));
      return wrong.size === 0 || view === null ? { view } : { view: formAgain(view, req.query, wrong), status: 400 };
    } catch (error) {
      const field = error instanceof Problem && error.status === 400 ? error.extra['parameter'] : null;
      if (typeof field !== 'string' || wrong.has(field) || page.list === undefined) throw error;
      wrong.set(field, (error as Problem).message);
    }
  }
}

/** Nothing is shown below it: rows that a filter was to leave out would be taken for what was asked for. */
function formAgain(
  { title, intro, sections }: PageView,
  given: Request['query'],
  wrong: Map<string, string>,
): PageView {
  const form = sections.flatMap((section) => (section.is === 'filters' ? [section] : []));
  const labels = new Map(form.flatMap(({ fields }) => fields.map(({ name, label }) => [name, label] as const)));
  const saidOf = (name: string) => (wrong.get(name) ?? '').replace(`${name} `, '');
  const filled = form.map((section) => ({
    ...section,
    active: true,
    csv: null,
    fields: section.fields.map((field) => {
      const error = wrong.has(field.name) ? capitalized(saidOf(field.name)) : undefined;
      return filledField(field, given, error);
    }),
  }));
  const sentences = [...wrong.keys()].map((name) => `${labels.get(name) ?? name} ${saidOf(name)}`);
  const why = notice('bad', sentences.join(' '), 'Nothing was looked for.');
  return {
    ...(title === undefined ? {} : { title }),
    ...(intro === undefined ? {} : { intro }),
    sections: [why, ...filled],
  };
}

/** @throws {Problem} 403 */
export function checkRole(page: Page, { actor }: Session): void {
  if (page.roles === undefined || mayDo(actor, page.roles)) return;
  const needed = [...page.roles, 'admin'].join(' or ');
  const why = `This page needs the role ${needed}; you are signed in with the role ${actor.role}.`;
  throw new Problem(403, 'Not allowed', why);
}

export async function shellOf(
  site: Site,
  visit: Visit,
  page: { title: string; live: string | null; hasList: boolean },
): Promise<Shell> {
  const { req, res, session } = visit;
  return {
    title: page.title,
    path: req.path,
    theme: themeOf(req),
    zone: zoneOf(req),
    flash: session === null ? null : takeFlash(req, res, session),
    environment: environmentOf(site.deps.serviceBaseUrl),
    frame: session === null ? null : await frameOf(site, { req, session, ...page }),
  };
}

const pagesInUse = ({ pages, deps }: Site) => pages.filter((page) => page.inUse?.(deps) ?? true);

async function frameOf(
  site: Site,
  { req, session, live, hasList }: { req: Request; session: Session; live: string | null; hasList: boolean },
): Promise<Frame> {
  const { actor } = session;
  const { deps } = atOnce(site);
  const known = await deps.state().catch(() => null);
  return {
    actor,
    navigation: navigationOf(pagesInUse(site), { actor, path: req.path, known }),
    status: await statusNow(deps.state),
    csrf: csrfToken(session),
    url: req.method === 'GET' ? req.originalUrl : '/',
    live,
    hasList,
  };
}

function themeOf(req: Request): Theme {
  const given = readCookie(req, THEME_COOKIE);
  return given === 'light' || given === 'dark' ? given : 'system';
}

const HERE = /^(localhost|127\.|\[::1\])/;
/** As a word of its own: `latest.example` is none. */
const NAMED_TEST = /(^|[.-])(sandbox|staging|test(net|ing)?)\d*([.-]|$)/i;

/** A test system must never be taken for the real one, nor the other way round. */
function environmentOf(serviceBaseUrl: string): Shell['environment'] {
  const { host, hostname } = new URL(serviceBaseUrl);
  const isTest = HERE.test(hostname) || NAMED_TEST.test(hostname);
  return { name: host, isTest };
}
