import type { RecordKind } from '../../domain/records.js';
import type { RecordView } from '../../domain/views/record-shape.js';
import { orderedKinds, relatedOrders } from '../../records/family/shown-records.js';
import { getRecord, listRecords, recordFilters } from '../../records/rows.js';
import type { Page, PageRequest } from '../page.js';
import type { PageDeps } from '../page-deps.js';
import { paging } from '../view/links.js';
import { listedStates } from '../view/record-words.js';
import type { Section, TableSection } from '../view/sections.js';
import { fieldLabel } from './field-value.js';
import { columnsOf, rowOf } from './record-rows.js';
import type { Sheet } from './sheet.js';

/** All records of a kind, newest first. */
export function listPage(sheet: Sheet): Page {
  const { kind, path, title, group, intro } = sheet;
  return {
    path,
    title,
    ...(group === undefined ? {} : { group }),
    filters: ['id', ...filterNames(kind)],
    load: async (deps, req) => {
      const { items, nextCursor } = await recordsFor(deps, sheet, req);
      const orders = await ordersFor(deps, sheet, items);
      const table: TableSection = {
        is: 'table',
        caption: `${title}, newest first`,
        columns: columnsOf(sheet),
        rows: items.map((record) => rowOf(sheet, record, { req, orders })),
        empty:
          Object.keys(req.filters).length > 0
            ? { title: `No ${sheet.one} fits`, text: 'Each field counts as a whole, upper and lower case too.' }
            : { title: `No ${title.toLowerCase()} yet`, text: sheet.empty },
        ...paging(req, nextCursor),
      };
      return { intro, sections: [filtersOf(sheet, req), table] };
    },
  };
}

async function recordsFor(
  { db }: PageDeps,
  { kind }: Sheet,
  req: PageRequest,
): Promise<{ items: RecordView[]; nextCursor: string | null }> {
  const { id, ...filters } = req.filters;
  if (id === undefined) return listRecords(db, kind, { filters, cursor: req.cursor });
  const found = await getRecord(db, kind, id);
  return { items: found === null ? [] : [found], nextCursor: null };
}

/** The orders of records of a page, by record; null where records of the kind have none. */
export async function ordersFor(
  { db }: Pick<PageDeps, 'db'>,
  { kind }: Sheet,
  items: readonly RecordView[],
): Promise<ReadonlyMap<string, string[]> | null> {
  const ordered = orderedKinds.find((known) => known === kind);
  if (ordered === undefined) return null;
  return relatedOrders(
    db,
    ordered,
    items.map(({ id }) => id),
  );
}

/** Those of the read API, but for what identifies a person: who may not see it could find it by trying. */
function filterNames(kind: RecordKind): string[] {
  return recordFilters(kind).filter((name) => !(kind === 'account' && name === 'label'));
}

function filtersOf(sheet: Sheet, req: PageRequest): Section {
  const known = filterNames(sheet.kind).filter((name) => sheet.filters.includes(name) || name in req.filters);
  return {
    is: 'filters',
    path: req.path,
    active: Object.keys(req.filters).length > 0,
    fields: [
      { name: 'id', label: 'ID', value: req.filters['id'] ?? '', hint: 'the whole of it' },
      ...known.map((name) => {
        const options = listedStates(sheet.kind, name);
        const value = req.filters[name] ?? '';
        return { name, label: fieldLabel(sheet.kind, name), value, ...(options.length > 0 ? { options } : {}) };
      }),
    ],
  };
}
