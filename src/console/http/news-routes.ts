import { Router } from 'express';
import { pageRequest } from './page-request.js';
import { checkRole, type Site, signedIn } from './page-router.js';

/** More are not counted. */
const MOST = 100;

/** Of each list how many rows are newer than the one that `cursor` marks: `{count}`, at most 100. */
export function newsRoutes(site: Site): Router {
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
