import { fieldOf, type RecordKind } from '../../domain/kinds/kinds.js';
import { isHidden } from '../../domain/personal.js';
import type { RecordView } from '../../domain/views/record-shape.js';
import type { Page as PageOf } from '../../records/database/paging.js';
import { orderedKinds, relatedOrders } from '../../records/family/shown-records.js';
import { getRecord, listRecords, recordFilters } from '../../records/rows.js';
import type { Page, PageDeps, PageRequest } from '../page.js';
import { fieldLabel } from '../view/field-value.js';
import { listedStates } from '../view/record-words.js';
import { type Filter, filters, listTable } from '../view/sections.js';
import { columnsOf, isDated, type OrdersOf } from './record-rows.js';
import type { Sheet } from './sheet.js';

/** All records of a kind, newest first. */
export function listPage(sheet: Sheet): Page {
  const { kind, path, title, group, intro } = sheet;
  const rows = async (deps: PageDeps, req: PageRequest) => {
    const page = await recordsFor(deps, sheet, req);
    const orders = await ordersFor(deps, sheet, page.items);
    return listTable(req, page, {
      caption: `${title}, newest first`,
      columns: columnsOf(sheet, req.actor, orders),
      unfit: [`No ${sheet.one} fits`, 'Each field counts as a whole, upper and lower case too.'],
      empty: [`No ${title.toLowerCase()} yet`, sheet.empty],
    });
  };
  const states = filterNames(kind).map((name) => [name, { options: listedStates(kind, name) }] as const);
  const changes = Object.fromEntries(states.filter(([, { options }]) => options.length > 0));
  return {
    path,
    title,
    group,
    list: isDated(kind) ? { rows } : { rows, days: 'none' },
    filters: [
      { name: 'id', label: 'ID', hint: 'the whole of it' },
      ...filterNames(kind).map((name) => filterOf(sheet, name)),
    ],
    load: async (deps, req) => ({ intro, sections: [filters(req, { changes }), await rows(deps, req)] }),
  };
}

async function recordsFor({ db }: PageDeps, { kind }: Sheet, req: PageRequest): Promise<PageOf<RecordView>> {
  const { id, ...filters } = req.filters;
  if (id === undefined) return listRecords(db, kind, { filters, ...req.slice });
  const found = await getRecord(db, kind, id);
  return { items: found === null ? [] : [found], nextCursor: null };
}

/** The orders of records of a page, by record; null where records of the kind have none. */
export async function ordersFor(
  { db }: Pick<PageDeps, 'db'>,
  { kind }: Sheet,
  items: readonly RecordView[],
): Promise<OrdersOf> {
  const ordered = orderedKinds.find((known) => known === kind);
  if (ordered === undefined) return null;
  const ids = items.map(({ id }) => id);
  return relatedOrders(db, ordered, ids);
}

/** Those of the read API, but for what identifies a person: who may not see it could find it by trying. */
const filterNames = (kind: RecordKind): string[] => recordFilters(kind).filter((name) => !isHidden(kind, name));

/** Others of the read API are named by links alone. */
function filterOf({ kind, filters: offered }: Sheet, name: string): Filter {
  const example = fieldOf(kind, name)?.example;
  return {
    name,
    label: fieldLabel(kind, name),
    ...(typeof example === 'string' && listedStates(kind, name).length === 0 ? { hint: example } : {}),
    ...(offered.includes(name) ? {} : { onlyNamed: true }),
  };
}
