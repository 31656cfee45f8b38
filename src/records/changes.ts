import { createHmac } from 'node:crypto';
import type { Knex } from 'knex';
import { canonicalJson } from '../domain/canonical-json.js';
import { fromJsonText, type Json, type JsonObject, objectFromJsonText, ownField, toJsonText } from '../domain/json.js';
import { fieldOf } from '../domain/kinds/kinds.js';
import { MASK, replacePersonal } from '../domain/personal.js';
import type { EntityKind, EntityRef, RecordKind } from '../domain/records.js';
import { type Change, changeShape } from '../domain/views/proof-shapes.js';
import { verbatim } from './database/database-text.js';
import { given } from './database/paging.js';
import { prepared, rowOf, type Trx, tableOf, valueOf } from './database/statements.js';
import { type RowOf, viewOf } from './database/view-of.js';
import { personalKey } from './installation.js';
import type { MergedRecord } from './stored-record.js';

/** The field of the one change that brings a record into being: `to` is the whole record. */
export const WHOLE_RECORD = '*';
/** The field of a change of what only reports say of a record. */
export const REPORTED = 'reported';
/** The field of a change of whose refund a person says a payout is: `{paymentIntentId}`. */
export const ASSIGNED = 'assigned';

/** `from` and `to` are JSON text, null where the field was or is absent. Personal fields are digests already. */
export interface NewChange {
  entity: EntityRef;
  field: string;
  from: string | null;
  to: string | null;
  source: Change['source'];
  /** Milliseconds on the service's clock. */
  serviceTime: number | null;
}

interface ChangeRow extends RowOf<Omit<Change, 'entity' | 'from' | 'to' | 'source'>> {
  entity_kind: EntityKind;
  entity_id: string;
  from_value: string | null;
  to_value: string | null;
  source_type: Change['source']['type'];
  source_ref: string;
}

/** Whether two JSON texts are of one value, whatever the order of its keys. To whoever reads, a field that is not there is null. */
function isSameValue(from: string | null, to: string | null): boolean {
  const [before, after] = [from ?? 'null', to ?? 'null'];
  if (before === after) return true;
  if (before.length !== after.length || !/^[{[]/.test(before)) return false;
  return canonicalJson(fromJsonText(before)) === canonicalJson(fromJsonText(after));
}

/** Appends to the history, in the order given. */
export async function appendChanges(trx: Trx, changes: NewChange[]): Promise<void> {
  if (changes.length === 0) return;
  const { text, values } = tableOf('new', changes, {
    kind: ['text', ({ entity }) => entity.kind],
    id: ['text', ({ entity }) => entity.id],
    field: 'text',
    from_value: ['text', ({ from }) => verbatim(from)],
    to_value: ['text', ({ to }) => verbatim(to)],
    type: ['text', ({ source }) => source.type],
    ref: ['text', ({ source }) => source.ref],
    time: ['float8', ({ serviceTime }) => serviceTime],
  });
  await prepared(
    trx,
    'insert changes',
    `INSERT INTO changes (entity_kind, entity_id, field, from_value, to_value, source_type, source_ref, service_time)
     SELECT kind, id, field, from_value, to_value, type, ref, to_timestamp(time / 1000.0) FROM ${text}`,
    values as Buffer[],
  );
}

export interface FeedQuery {
  after: string;
  take: number;
  /** Of one kind alone; or of one order alone, by its reference. */
  kind?: EntityKind | undefined;
  reference?: string | undefined;
  /** What `feedHead` answered; left out: it is asked. */
  head?: string;
}

export interface FeedPage {
  items: Change[];
  /** Where to go on; null: nothing is new, up to the head. */
  nextCursor: string | null;
  head: string;
}

/** A filter passes over as many rows at most in one page. */
const MOST_PASSED = 10_000n;

/**
 * The feed: changes after a place, oldest first. A reader that goes on from the last `seq` it was given misses nothing
 * and never meets a lower one: rows are held back while a transaction that may still add a lower one is open. Rows that
 * change nothing, as of earlier versions and of what a person said again, keep their place and are passed over.
 * Takes the pool, not a transaction, whose older snapshot could hide rows below that bound.
 */
export async function readChanges(db: Knex, query: FeedQuery): Promise<FeedPage> {
  const { after, take, kind, reference, head = await feedHead(db) } = query;
  const furthest = kind === undefined || reference !== undefined ? null : String(BigInt(after) + MOST_PASSED);
  const upTo = furthest !== null && BigInt(furthest) < BigInt(head) ? furthest : head;
  const about = given(
    { entity_kind: reference === undefined ? kind : 'order', entity_id: reference },
    'entity_kind',
    'entity_id',
  );
  const rows = await db<ChangeRow>('changes')
    .where('seq', '>', after)
    .where('seq', '<=', upTo)
    .where(about)
    .orderBy('seq')
    .limit(take);
  const items = rows.filter(isChange).map(changeOf);
  const isFiltered = Object.keys(about).length > 0;
  const passed = rows.length < take ? upTo : (rows.at(-1)?.seq ?? upTo);
  if (items.length === 0 && rows.length > 0 && !isFiltered) return readChanges(db, { ...query, head, after: passed });
  return { items, nextCursor: BigInt(passed) > BigInt(after) ? passed : null, head };
}

/** Every change up to here is there to be read, and none will come that is not behind it. */
export const feedHead = async (db: Knex): Promise<string> => valueOf<string>(db)`SELECT changes_settled_up_to() AS seq`;

export interface FeedOrigin {
  /**
   * Names the history: another one once the database was restored, moved or failed over, where what was read may be lost and its
   * numbers are given again; null where the database does not say.
   */
  epoch: string | null;
  /** No number was given beyond. */
  issued: string;
  /** As `feedHead`. */
  head: string;
}

/** Which history it is, and how far it goes. */
export async function feedOrigin(db: Knex): Promise<FeedOrigin> {
  return rowOf<FeedOrigin>(db)`
    SELECT coalesce(pg_sequence_last_value('changes_seq_seq'), 0) AS issued, changes_settled_up_to() AS head,
      CASE WHEN has_function_privilege('pg_control_system()', 'execute') AND has_function_privilege('pg_control_checkpoint()', 'execute')
        THEN (SELECT left(md5(concat_ws('/', system_identifier, timeline_id, pg_database.oid)), 16)
              FROM pg_control_system(), pg_control_checkpoint(), pg_database WHERE datname = current_database()) END AS epoch`;
}

/** The history of one record or order, oldest first; with `newest` no more than so many, the newest. */
export async function changesOf(db: Knex, entity: EntityRef, newest?: number): Promise<Change[]> {
  const all = db<ChangeRow>('changes').where({ entity_kind: entity.kind, entity_id: entity.id });
  const rows = newest === undefined ? await all.orderBy('seq') : await all.orderBy('seq', 'desc').limit(newest);
  return (newest === undefined ? rows : rows.reverse()).filter(isChange).map(changeOf);
}

const isChange = ({ from_value, to_value }: ChangeRow): boolean => !isSameValue(from_value, to_value);

function changeOf(row: ChangeRow): Change {
  return viewOf(changeShape, row, {
    entity: { kind: row.entity_kind, id: row.entity_id },
    from: row.from_value === null ? null : fromJsonText(row.from_value),
    to: row.to_value === null ? null : fromJsonText(row.to_value),
    source: { type: row.source_type, ref: row.source_ref },
  });
}

/** One change per field that is shown with another value; one for the whole of a record that was not known before. */
export function recordChanges(record: MergedRecord, redact: Redact): NewChange[] {
  const { kind, id, before, shown, absentSince, cause } = record;
  const textOf = (fields: JsonObject, name: string) => fieldText(fields, name, (value) => redact(kind, name, value));
  const change = (field: string, from: string | null, to: string | null): NewChange => ({
    entity: { kind, id },
    field,
    from,
    to,
    source: cause.source,
    serviceTime: cause.at,
  });
  const saidBefore = before?.reported ?? null;
  const said =
    saidBefore === record.reported
      ? []
      : [change(REPORTED, digested(kind, saidBefore, redact), digested(kind, record.reported, redact))];
  if (before === null) return [change(WHOLE_RECORD, null, wholeText(record, redact)), ...said];
  const changes = record.changedFields.map((name) =>
    change(name, textOf(before.fields, name), textOf(shown.fields, name)),
  );
  if (before.verified !== shown.verified) changes.push(change('verified', `${before.verified}`, `${shown.verified}`));
  const wasAbsent = before.absentSince !== null;
  const isAbsent = absentSince !== null;
  if (wasAbsent !== isAbsent) changes.push(change('absent', `${wasAbsent}`, `${isAbsent}`));
  const news = [...changes, ...said].filter(({ from, to }) => !isSameValue(from, to));
  return news.length > 0 ? news : changes.filter((one) => isNoneNow(kind, one)).slice(0, 1);
}

/** A known field that was not shown and now is none, or the other way: no news to whoever reads, but what moved may follow from it. */
function isNoneNow(kind: RecordKind, { field, from, to }: NewChange): boolean {
  return (from === null) !== (to === null) && fieldOf(kind, field) !== undefined;
}

function digested(kind: MergedRecord['kind'], reported: string | null, redact: Redact): string | null {
  return reported === null ? null : toJsonText(redact(kind, '', objectFromJsonText(reported)));
}

/** All that is shown, and whether it is verified. Mostly there is nothing personal in it, and its text is known already. */
function wholeText({ kind, text, shown: { fields, verified } }: MergedRecord, redact: Redact): string {
  const redacted = redact(kind, '', fields) as JsonObject;
  if (redacted !== fields || text === '{}' || Object.hasOwn(fields, 'verified'))
    return toJsonText({ ...redacted, verified });
  return `${text.slice(0, -1)},"verified":${verified}}`;
}

function fieldText(fields: JsonObject, name: string, redacted: (value: Json) => Json): string | null {
  const value: Json | undefined = ownField(fields, name);
  return value === undefined ? null : toJsonText(redacted(value));
}

/** Stands a digest in for every personal value (domain/personal.ts) inside the value of the field `name`. */
type Redact = (kind: RecordKind, name: string, value: Json) => Json;

export async function readRedaction(db: Knex): Promise<Redact> {
  const key = await personalKey(db);
  return (kind, name, value) => replacePersonal(kind, name, value, (personal) => digest(key, personal));
}

/** What begins what stands in for a personal value. */
export const DIGEST = 'hmac-sha256:';

/** What is masked says nothing, and must be shown as masked. */
function digest(key: Buffer, value: Json): string {
  if (value === MASK) return MASK;
  return `${DIGEST}${createHmac('sha256', key).update(toJsonText(value)).digest('hex')}`;
}
