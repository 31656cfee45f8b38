import { isJsonObject, type JsonObject } from '../../domain/json.js';
import type { Related } from '../../domain/kinds/kinds.js';
import type { RecordView } from '../../domain/views/record-shape.js';
import { getRecord, listRecords } from '../../records/rows.js';
import type { PageRequest } from '../page.js';
import type { PageDeps } from '../page-deps.js';
import type { Section } from '../view/sections.js';
import { columnsOf, rowOf, unreadRow } from './record-rows.js';
import { type Sheet, sheetOf } from './sheet.js';

const MOST = 20;

/** A table for each sort of record that the record is linked with. */
export async function relatedTables(
  { db }: PageDeps,
  { related }: Sheet,
  { record, req }: { record: RecordView; req: PageRequest },
): Promise<Section[]> {
  const sections: Section[] = [];
  for (const one of related) {
    const sheet = sheetOf(one.kind);
    if (sheet !== null) sections.push(await tableOf({ db }, sheet, { one, record, req }));
  }
  return sections;
}

async function tableOf(
  { db }: Pick<PageDeps, 'db'>,
  sheet: Sheet,
  { one, record, req }: { one: Related; record: RecordView; req: PageRequest },
): Promise<Section> {
  const named = namedIds(record, one.named);
  const found = new Map<string, RecordView>();
  for (const id of named) {
    const read = await getRecord(db, sheet.kind, id);
    if (read !== null) found.set(id, read);
  }
  const filters = one.by === undefined ? null : { [one.by]: record.id };
  const naming = filters === null ? null : await listRecords(db, sheet.kind, { filters, take: MOST });
  for (const item of naming?.items ?? []) found.set(item.id, item);
  const columns = columnsOf(sheet, false);
  const unread = named.filter((id) => !found.has(id));
  return {
    is: 'table',
    caption: one.title,
    showCaption: true,
    columns,
    rows: [
      ...[...found.values()].map((item) => rowOf(sheet, item, { req, orders: null })),
      ...unread.map((id) => unreadRow(sheet, id, columns.length)),
    ],
    empty: { title: `${one.title}: none`, text: one.none },
    ...(naming?.nextCursor && filters ? { next: `${sheet.path}?${new URLSearchParams(filters).toString()}` } : {}),
  };
}

/** Of the summaries of payins their ids; of any other field its text. */
function namedIds(fields: JsonObject, name: string | undefined): string[] {
  const value = name === undefined ? null : (fields[name] ?? null);
  if (typeof value === 'string') return value === '' ? [] : [value];
  const ids = (Array.isArray(value) ? value : []).map((item) => (isJsonObject(item) ? item['id'] : null));
  return [...new Set(ids.filter((id) => typeof id === 'string'))].slice(0, MOST);
}
