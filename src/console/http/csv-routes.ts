import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type Request, Router } from 'express';
import type { Page } from '../page.js';
import { csvLine } from '../view/csv.js';
import { pageFor } from '../view/personal.js';
import { PICK, type TableSection } from '../view/sections.js';
import { pageRequest } from './page-request.js';
import { checkRole, type Site, signedIn } from './page-router.js';
import type { Session } from './session.js';

const MOST_ROWS = 50_000;
const AT_ONCE = 500;

/** Of each list a file with the rows that its filters leave, as the page shows them to this person. */
export function csvRoutes(site: Site): Router {
  const router = Router();
  for (const page of site.pages) {
    if (page.list !== true) continue;
    router.get(`/csv${page.path}`, async (req, res) => {
      const session = await signedIn(site, req);
      checkRole(page, session);
      const lines = linesOf(site, page, req, session);
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

async function* linesOf(site: Site, page: Page, req: Request, { actor }: Session): AsyncGenerator<string> {
  const asked = pageRequest(req, page, actor);
  let cursor: string | null | undefined;
  for (let rows = 0; cursor !== null && rows < MOST_ROWS; ) {
    const slice = { ...asked.slice, take: AT_ONCE, ...(cursor === undefined ? {} : { cursor }) };
    const view = await page.load(site.deps, { ...asked, slice });
    const table = view === null ? undefined : pageFor(actor, view).sections.find(isList);
    if (table === undefined) return;
    const isKept = (_: unknown, column: number): boolean => table.columns[column]?.label !== PICK;
    if (cursor === undefined)
      yield csvLine(table.columns.filter(isKept).map(({ label }) => ({ is: 'text', text: label })));
    yield table.rows.map((row) => csvLine(row.filter(isKept))).join('');
    rows += table.rows.length;
    cursor = table.nextCursor ?? null;
  }
}

function isList(section: { is: string }): section is TableSection {
  return section.is === 'table' && 'nextCursor' in section;
}
