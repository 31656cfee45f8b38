import type { SaidRefund } from '../domain/family/said.js';
import { type JsonObject, objectFromJsonText, ownField } from '../domain/json.js';
import type { Shown } from '../domain/merge.js';
import type { ObservationSource, SourceType } from '../domain/observation.js';
import type { ReleaseRules } from '../domain/orders/order-facts.js';
import { MENTION, type Poll, type RecordState, stateFromText } from '../domain/record-state.js';
import type { RecordKind } from '../domain/records.js';
import { momentOf } from '../domain/service-time.js';

/** What decides whether a poll changes anything; cheap to read. */
export interface StoredHead {
  id: string;
  poll_hash: string | null;
  settled: boolean;
  /** What identifies a person was struck out by the record's age: whatever comes later is masked before it is compared. */
  masked: boolean;
}

export interface StoredRow extends StoredHead {
  poll: string | null;
  poll_from: string | null;
  poll_to: string | null;
  poll_by: SourceType | null;
  poll_ref: string | null;
  claims: string;
  shown: string;
  reported: string | null;
  verified: boolean;
  known: boolean;
  doubted: boolean;
  own_call: string | null;
  absent_since: Date | null;
}

/** A record as it stands in the database. */
export interface StoredRecord {
  state: RecordState;
  fields: JsonObject;
  /** The JSON text of `fields`. */
  text: string;
  /** The JSON text of what only reports say; null: nothing. */
  reported: string | null;
  verified: boolean;
  doubted: boolean;
  known: boolean;
  ownCall: string | null;
  /** Milliseconds of the service's clock. */
  absentSince: number | null;
}

/** A record after observations of it were taken in; what is to be written of it, and what follows from it. */
export interface MergedRecord {
  kind: RecordKind;
  id: string;
  /** Null: nothing was known of the record. */
  before: StoredRecord | null;
  state: RecordState;
  shown: Shown;
  /** The JSON text of `shown.fields`. */
  text: string;
  /** The JSON text of `shown.reported`. */
  reported: string | null;
  absentSince: number | null;
  /** Names of the fields that are shown with another value than before; all that there are, of a new record. */
  changedFields: string[];
  /** What is shown or reported, `verified`, or absence is other than before. */
  changed: boolean;
  /** Of a payout: what reports alone say that it gives back (`saidRefunds`). */
  said: readonly SaidRefund[];
  /** The newest of the observations that were taken in now: what changed, changed by it. `at`: ms of the service's clock. */
  cause: { source: ObservationSource; at: number };
}

export function storedRecord(row: StoredRow): StoredRecord {
  const fields = objectFromJsonText(row.shown);
  const state = stateFromText({ poll: row.poll, claims: row.claims });
  return {
    state: { poll: storedPoll(row, state.poll, fields), claims: state.claims },
    fields,
    text: row.shown,
    reported: row.reported,
    verified: row.verified,
    doubted: row.doubted,
    known: row.known,
    ownCall: row.own_call,
    absentSince: row.absent_since?.getTime() ?? null,
  };
}

function storedPoll(row: StoredRow, written: Poll | null, shown: JsonObject): Poll | null {
  const { poll_hash: hash, poll_by: by, poll_ref: ref } = row;
  if (hash === null || by === null || ref === null) return written;
  const content = written ?? { fields: shown, before: null };
  return { ...content, from: Number(row.poll_from), to: Number(row.poll_to), hash, by, ref };
}

export interface SaveContext extends ReleaseRules {
  now: Date;
  /** Records older than this are history: kept, but never a break. */
  adoptedAt: Date;
  /** The account shows results of its screening: a payin without one is read until it has one. Left out: no. */
  showsKyt?: boolean;
  /** The label of the secret that signed each webhook, by its inbox row; left out: not known. */
  secrets?: ReadonlyMap<string, string>;
}

/** Older than adoption, and no event has spoken of it since. */
export function isHistory({ shown, state }: MergedRecord, { adoptedAt }: SaveContext): boolean {
  const created = momentOf(ownField(shown.fields, 'createdAt'));
  if (created === null || created >= adoptedAt.getTime()) return false;
  return !state.claims.some((statement) => statement.state !== MENTION && statement.to >= adoptedAt.getTime());
}
