import { isJsonObject, type Json, type JsonObject } from '../json.js';
import { textField } from '../records.js';
import type { BookRecord, Dated, DatedBy, Moved } from './entry.js';

const ISO = /^\d{4}-\d\d-\d\d([T ]\d\d:\d\d(:\d\d(?:[.,]\d+)?)?)?(Z|[+-]\d\d:?\d\d)?$/i;
/** Names that an entry of a history, whose fields the specification does not show (2.1, 2.2), may have. */
const STATE_NAMES = ['status', 'to', 'state', 'toStatus', 'newStatus'];
const TIME_NAMES = ['timestamp', 'at', 'createdAt', 'time', 'date', 'changedAt'];

/** Within these the day has a year of 1 to 9999 in every zone: others have no month, and the database can't read them. */
const EARLIEST = Date.parse('0001-01-02T00:00:00Z');
const LATEST = Date.parse('9999-12-31T00:00:00Z');

/** Milliseconds of a timestamp of the service (ISO 8601; one without a zone is UTC); null for anything else. */
export function momentOf(value: Json | undefined): number | null {
  if (typeof value !== 'string') return null;
  const match = ISO.exec(value);
  if (match === null) return null;
  const zoned = match[3] !== undefined || match[1] === undefined;
  const time = Date.parse(zoned ? value.replace(',', '.') : `${value.replace(',', '.')}Z`);
  return time >= EARLIEST && time <= LATEST ? time : null;
}

/** When the history first names one of these states, as far as it can be read. */
export function momentInHistory(fields: JsonObject | null, states: readonly string[]): number | null {
  const history = fields?.['statusHistory'];
  if (!Array.isArray(history)) return null;
  for (const entry of history) {
    if (!isJsonObject(entry)) continue;
    const [state] = STATE_NAMES.flatMap((name) => textField(entry, name) ?? []);
    const [time] = TIME_NAMES.flatMap((name) => momentOf(entry[name]) ?? []);
    if (time !== undefined && states.some((one) => one === state)) return time;
  }
  return null;
}

/** The first of these moments that the service shows, or else when we first saw the record. */
export function datedBy(record: BookRecord, candidates: readonly (readonly [DatedBy, number | null])[]): Dated {
  for (const [by, at] of candidates) {
    if (at !== null) return { at, by };
  }
  return { at: record.firstSeenAt, by: 'first_seen' };
}

/** When an effect began: as the contract's table says, else as the record's history, its own times, or ours do. */
export function datedAs(record: BookRecord, moved: Pick<Moved, 'at'>, states: readonly string[]): Dated {
  const { fields } = record;
  const field = (name: string) => momentOf(fields?.[name]);
  const isCreated = moved.at !== null && moved.at === textField(fields, 'createdAt');
  return datedBy(record, [
    [isCreated ? 'created' : 'status_history', momentOf(moved.at ?? undefined)],
    ['status_history', momentInHistory(fields, states)],
    ['updated', field('updatedAt')],
    ['created', field('createdAt')],
  ]);
}
