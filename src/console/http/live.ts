import { setTimeout as delay } from 'node:timers/promises';
import { type Request, type Response, Router } from 'express';
import type { Page } from '../page.js';
import { Problem } from '../problem.js';
import { statusNow } from '../status.js';
import { pageFor } from '../view/personal.js';
import { zoneOf } from './cookies.js';
import { csrfToken } from './csrf.js';
import { navigationOf } from './navigation.js';
import { pageRequest } from './page-request.js';
import { atOnce, checkRole, type Site, signedIn } from './page-router.js';
import { renderSection, renderStatus, renderWaiting } from './render.js';

export interface LiveSettings {
  /** Aborted when the process is asked to stop. */
  signal: AbortSignal;
  everyMs?: number;
}

const EVERY_MS = 4_000;
const MOST_STREAMS = 24;
/** Then the browser connects anew, to whichever process is there. */
const LONGEST_MS = 10 * 60_000;

/**
 * The news of pages that are `live`, as server-sent events: sections that look other than before, and the line about the
 * whole. Streams beyond a bound are asked to come back later; one whose session ended is closed.
 */
export function liveRoutes(site: Site, settings: LiveSettings): Router {
  const router = Router();
  let streams = 0;
  for (const page of site.pages) {
    if (!page.live) continue;
    router.get(`/live${page.path}`, async (req, res) => {
      const session = await signedIn(site, req);
      checkRole(page, session);
      if (streams >= MOST_STREAMS) throw new Problem(503, 'Unavailable', 'Too many pages are live; load them anew.');
      streams += 1;
      await stream(site, page, { req, res, settings }).finally(() => {
        streams -= 1;
      });
    });
  }
  return router;
}

async function stream(
  site: Site,
  page: Page,
  { req, res, settings }: { req: Request; res: Response; settings: LiveSettings },
): Promise<void> {
  const gone = new AbortController();
  res.on('close', () => gone.abort());
  const end = AbortSignal.any([gone.signal, settings.signal, AbortSignal.timeout(LONGEST_MS)]);
  res.set({ 'Content-Type': 'text/event-stream', 'X-Accel-Buffering': 'no' });
  res.write('retry: 5000\n\n');
  const shown = new Map<string, string>();
  while (!end.aborted && !res.writableNeedDrain) {
    const news = await newsOf(site, page, req, shown).catch((error: unknown) => {
      site.deps.log.debug({ err: error }, 'live page not refreshed');
      return null;
    });
    if (news === 'signed out') break;
    res.write(
      news === null || Object.keys(news).length === 0 ? ': nothing new\n\n' : `data: ${JSON.stringify(news)}\n\n`,
    );
    await delay(settings.everyMs ?? EVERY_MS, undefined, { signal: end }).catch(() => {});
  }
  res.end();
}

/** The parts that changed, by their place in the page. */
async function newsOf(
  site: Site,
  page: Page,
  req: Request,
  shown: Map<string, string>,
): Promise<Record<string, string> | 'signed out'> {
  const session = await site.sessions.find(req);
  if (session === null) return 'signed out';
  const { deps } = atOnce(site);
  const drawn = { csrf: csrfToken(session), now: deps.now(), zone: zoneOf(req) };
  const view = await page.load(deps, pageRequest(req, page, session.actor));
  const shownView = view === null ? null : pageFor(session.actor, view);
  const parts = (shownView?.sections ?? []).map(
    (section, index) => [`section-${index}`, renderSection(section, drawn)] as const,
  );
  const known = await deps.state().catch(() => null);
  const links = navigationOf(site.pages, { actor: session.actor, path: page.path, known }).flatMap(
    ({ links }) => links,
  );
  const counts = links.flatMap(({ href, waiting }) =>
    waiting === undefined ? [] : [[`waiting-${href}`, renderWaiting(waiting)] as const],
  );
  const news: Record<string, string> = {};
  for (const [name, html] of [
    ...parts,
    ...counts,
    ['status', renderStatus(await statusNow(deps.state), drawn.zone)] as const,
  ]) {
    if (shown.get(name) !== html) news[name] = html;
    shown.set(name, html);
  }
  return news;
}
