import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Router } from 'express';
import type { Page, PageRequest } from '../page.js';
import { csvLine } from '../view/csv.js';
import { tableFor } from '../view/personal.js';
import { pageRequest } from './page-request.js';
import { checkRole, type Site, signedIn } from './page-router.js';

const MOST_ROWS = 50_000;
const AT_ONCE = 500;

/** Of each list a file with the rows that its filters leave, as the page shows them to this person. */
export function csvRoutes(site: Site): Router {
  const router = Router();
  for (const page of site.pages) {
    const { list } = page;
    if (list === undefined) continue;
    router.get(`/csv${page.path}`, async (req, res) => {
      const session = await signedIn(site, req);
      checkRole(page, session);
      const lines = linesOf(site, list.rows, pageRequest(req, page, session.actor));
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
