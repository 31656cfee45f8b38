import type { JsonTable } from '../json-table/json-table.js';

/** The member of a signed envelope that says who made it, beside `event`, `timestamp` and `data`. */
export const MARK_FIELD = 'tallyhook';
/** Its value in the events of `tallyhook trigger`. */
export const TRIGGER_MARK = 'trigger';

/**
 * `trigger` where the envelope says that it is a test of the way to the receiver, whoever sent it: such an event is kept and
 * shown, and nothing follows from it. Null: it is a report.
 */
export function markOf(envelope: JsonTable): typeof TRIGGER_MARK | null {
  const part = envelope.member(0, MARK_FIELD, 'string');
  return part !== null && envelope.textOf(part) === TRIGGER_MARK ? TRIGGER_MARK : null;
}
