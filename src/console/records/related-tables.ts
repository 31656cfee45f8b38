import type { Knex } from 'knex';
import type { Actor } from '../../domain/console-roles.js';
import { isJsonObject, type JsonObject } from '../../domain/json.js';
import type { RecordKind, Related } from '../../domain/kinds/kinds.js';
import type { RecordView } from '../../domain/views/record-shape.js';
import { getRecord, listRecords } from '../../records/rows.js';
import type { PageDeps } from '../page.js';
import { entityHref } from '../view/links.js';
import { type Column, type Section, table, withQuery } from '../view/sections.js';
import { id, none } from '../view/values.js';
import { columnsOf } from './record-rows.js';
import { type Sheet, sheetOf } from './sheet.js';

const MOST = 20;

/** A table for each sort of record that the record is linked with. */
export async function relatedTables(
  { db }: PageDeps,
  { related }: Sheet,
  { record, actor }: { record: RecordView; actor: Actor },
): Promise<Section[]> {
  const sections: Section[] = [];
  for (const one of related) {
    const sheet = sheetOf(one.kind);
    if (sheet !== null) sections.push(await tableOf(db, sheet, { one, record, actor }));
  }
  return sections;
}

async function tableOf(
  db: Knex,
  sheet: Sheet,
  { one, record, actor }: { one: Related; record: RecordView; actor: Actor },
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
  const rows = [...found.values(), ...named.filter((id) => !found.has(id))];
  const more = naming?.nextCursor && filters ? { next: withQuery(sheet.path, filters) } : {};
  const columns = columnsOf(sheet, actor, null).map((column, place) => orUnread(sheet.kind, column, place));
  return { ...table(rows, { caption: one.title, columns, empty: [`${one.title}: none`, one.none] }), ...more };
}

/** The same column where some are named alone, by their id, and were not read yet. */
function orUnread(
  kind: RecordKind,
  [label, cell, how]: Column<RecordView>,
  place: number,
): Column<RecordView | string> {
  const unread = (own: string) =>
    place === 0 ? id(own, entityHref(kind, own)) : none(place === 1 ? 'not read yet' : undefined);
  return [label, (row) => (typeof row === 'string' ? unread(row) : cell(row)), how];
}

/** Of the summaries of payins their ids; of any other field its text. */
function namedIds(fields: JsonObject, name: string | undefined): string[] {
  const value = name === undefined ? null : (fields[name] ?? null);
  if (typeof value === 'string') return value === '' ? [] : [value];
  const ids = (Array.isArray(value) ? value : []).map((item) => (isJsonObject(item) ? item['id'] : null));
  return [...new Set(ids.filter((id) => typeof id === 'string'))].slice(0, MOST);
}
