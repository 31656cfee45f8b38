import { dueOf } from '../family/money.js';
import { isJsonObject, type Json, type JsonObject } from '../json.js';
import { compareAmounts, isAmount, subtractAmounts } from '../money.js';
import { objectsIn, textField } from '../records.js';
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
function datedBy(record: BookRecord, candidates: readonly (readonly [DatedBy, number | null])[]): Dated {
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

/** `irregularStatus` (3.2); null where there is no dispute, and none was. */
export function disputeOf({ fields }: BookRecord): string | null {
  const state = textField(fields, 'irregularStatus');
  return state === 'none' ? null : state;
}

/** When a payin came: one that came after the payment was completed did not come with its completion. */
export function payinDate(record: BookRecord, createdAt: number | null): Dated {
  const completed = momentInHistory(record.fields, ['completed']);
  const isLater = completed !== null && createdAt !== null && createdAt > completed;
  return datedBy(record, [
    ['status_history', isLater ? null : completed],
    ['created', createdAt],
  ]);
}

/** When the payment itself came: the last of its payins, or what names it where none is shown. */
export function paidDate(record: BookRecord, payins: readonly Dated[]): Dated {
  const { fields } = record;
  const last = payins.toSorted((a, b) => a.at - b.at).at(-1);
  if (last !== undefined) return last;
  return datedBy(record, [
    ['status_history', momentInHistory(fields, ['completed'])],
    ['updated', momentOf(fields?.['updatedAt'])],
    ['created', lastPayin(fields) ?? momentOf(fields?.['createdAt'])],
  ]);
}

/** When a payment came to differ from its payins. Only what never counted has its own times: a dispute takes back what counted. */
export function differenceDate(record: BookRecord, paid: Dated): Dated {
  const state = disputeOf(record);
  if (state === null) return disputeGone(record) ?? paid;
  if (state !== 'pending_decision' && state !== 'refunded') return stateDate(record, state);
  if (neverCounted(record)) return paid;
  // What is refunded was taken back when the dispute opened.
  const opened = seenBegin(record, 'pending_decision');
  return opened === null ? stateDate(record, state) : stateDate(record, 'pending_decision');
}

/** When what the service holds of a payment came to be what it is. */
export function heldDate(record: BookRecord): Dated {
  const state = disputeOf(record);
  if (state === null) return disputeGone(record) ?? paidDate(record, []);
  if (state !== 'pending_decision' || !neverCounted(record)) return stateDate(record, state);
  const concluded = momentInHistory(record.fields, ['completed', 'unmatched']);
  if (concluded === null) return stateDate(record, state);
  return { at: Math.max(concluded, lastPayin(record.fields) ?? concluded), by: 'status_history' };
}

/** What is in question was sent beside what was asked, and nothing shows that it ever counted: it was so from when it came. */
export function neverCounted({ fields, dispute }: BookRecord): boolean {
  if (fields === null) return false;
  const amount = (value: Json | undefined) => (isAmount(value) ? value : null);
  const [net, before] = [amount(fields['amountNetMerchant']), dispute?.netBefore ?? null];
  if (net !== null && isAmount(before) && compareAmounts(before, net) > 0) return false;
  const [received, rejected] = [amount(fields['totalAmountReceived']), amount(fields['amountRejected'])];
  const asked = dueOf(fields);
  if (received === null || rejected === null || asked === null) return false;
  if (compareAmounts(received, asked) > 0) return compareAmounts(rejected, subtractAmounts(received, asked)) <= 0;
  return compareAmounts(received, asked) < 0 && compareAmounts(rejected, received) === 0;
}

/** When a state of a dispute began: as the service says, else when it was first seen. */
function stateDate(record: BookRecord, state: string): Dated {
  return datedBy(record, [
    // While it is open, the decision is that of a dispute before it.
    ['decision', state === 'pending_decision' ? null : momentOf(record.fields?.['irregularActionAt'])],
    ['first_seen', seenBegin(record, state)],
    ['updated', momentOf(record.fields?.['updatedAt'])],
  ]);
}

function disputeGone(record: BookRecord): Dated | null {
  return seenBegin(record, 'none') === null ? null : stateDate(record, 'none');
}

const seenBegin = ({ dispute }: BookRecord, state: string): number | null => dispute?.begun.get(state) ?? null;

function lastPayin(fields: JsonObject | null): number | null {
  const times = objectsIn(fields, 'payins').flatMap((one) => momentOf(one['createdAt']) ?? []);
  return times.length === 0 ? null : Math.max(...times);
}
