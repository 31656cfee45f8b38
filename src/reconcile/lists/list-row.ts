import type { JsonObject } from '../../domain/json.js';
import { ownText } from '../../domain/plain-text.js';
import { textField } from '../../domain/records.js';
import { momentOf } from '../../domain/service-time.js';
import type { ListedKind } from '../../records/runs/record-places.js';
import type { Kind } from '../deps.js';

/** Where a record stands in a list that is sorted by creation, newest first. `createdAt` in ms; null: not known. */
export interface Place {
  id: string;
  createdAt: number | null;
  /** The service showed it at its last poll; left out: not known. */
  listed?: boolean;
}

export interface ListRow extends Place {
  fields: JsonObject;
}

/** What of a page can be used. `flaw`: the page is not what a list answers, so it proves nothing. */
export interface ReadRows {
  rows: ListRow[];
  flaw: 'item_without_id' | 'duplicate_in_page' | 'out_of_order' | null;
}

/** Rows that were written at nearly the same moment may stand the wrong way round; more than this is another order. */
const DISORDER_MS = 600_000;

/** Each item with an id once, in the order of the page. An id may be kept after its page is gone. */
export function readRows(data: readonly JsonObject[]): ReadRows {
  const rows = new Map<string, ListRow>();
  let flaw: ReadRows['flaw'] = null;
  let oldest = Number.POSITIVE_INFINITY;
  for (const fields of data) {
    const id = textField(fields, 'id');
    if (id === null || id === '') {
      flaw = 'item_without_id';
      continue;
    }
    if (rows.has(id)) flaw ??= 'duplicate_in_page';
    const createdAt = momentOf(textField(fields, 'createdAt') ?? undefined);
    if (createdAt !== null && createdAt > oldest + DISORDER_MS) flaw ??= 'out_of_order';
    oldest = Math.min(oldest, createdAt ?? oldest);
    rows.set(id, { id: ownText(id), createdAt, fields });
  }
  return { rows: [...rows.values()], flaw };
}

/** Created in different milliseconds, for certain. Finer digits than a millisecond are not compared. */
export function isNewer(a: Place, b: Place): boolean {
  return a.createdAt !== null && b.createdAt !== null && a.createdAt > b.createdAt;
}

/** A list of the service that is paged by cursor, newest first (specification 4), and what makes it its own. */
export interface ListPlan {
  kind: Kind;
  record: ListedKind;
  operation: 'listPaymentIntents' | 'listInvoices' | 'listPayouts';
  /** Values of the status filter whose records are few and move within hours: read whole on each tick. */
  activeStates: readonly string[];
  /** Values whose records may stay for weeks: the older ones are read hourly. */
  waitingStates: readonly string[];
}
