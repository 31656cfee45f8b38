import { isJsonObject, type JsonObject } from '../json.js';
import { textField } from '../records.js';
import { momentOf } from '../service-time.js';
import type { BookRecord, Dated, DatedBy, Moved } from './entry.js';

/** Names that an entry of a history, whose fields the specification does not show (2.1, 2.2), may have. */
const STATE_NAMES = ['status', 'to', 'state', 'toStatus', 'newStatus'];
const TIME_NAMES = ['timestamp', 'at', 'createdAt', 'time', 'date', 'changedAt'];

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
