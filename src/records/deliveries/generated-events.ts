import type { Knex } from 'knex';
import type { ShownState, WatchedEndpoint } from '../../domain/deliveries/generated-events.js';
import { isJsonObject, objectFromJsonText } from '../../domain/json.js';
import { textField } from '../../domain/records.js';
import { feedHead, WHOLE_RECORD } from '../changes.js';
import { columnOf, raw, rowOf, rowsOf, type Sql } from '../database/statements.js';
import { storedEndpoint } from './listed-endpoints.js';

export interface ShownPayment extends ShownState {
  id: string;
  status: string;
  /** The change that says so. */
  seq: string;
}

/** By the type of an event, the states of a payment that it reports (contract `events.generated`). */
export type Generated = Readonly<Record<string, readonly string[]>>;

export interface Slice {
  /** The last change of the slice that is old enough; null: none is. */
  last: string | null;
  /** More may follow at once. */
  isFull: boolean;
  payments: ShownPayment[];
}

/** So many changes are looked through at once. */
const SLICE = 20_000;

export interface Moments {
  /** Changes before that have waited too long. Our clock. */
  since: Date;
  /** Changes from then on may still get their event. Our clock, and the same moment of the service's. */
  until: Date;
  shownUntil: Date;
}

/** Payments that a list was the first to show in such a state, and that are in it now, by the change that says so. */
export async function paymentsShown(
  db: Knex,
  { after, since, until, shownUntil, generated }: Moments & { after: string; generated: Generated },
): Promise<Slice> {
  // Asked before: a change that ends meanwhile is seen by the next statement alone.
  const settled = await feedHead(db);
  const { last, isFull } = await rowOf<{ last: string | null; isFull: boolean }>(db)`
    WITH slice AS MATERIALIZED (
      SELECT seq, changed_at >= ${until}
        OR (entity_kind = 'payment_intent' AND source_type = 'poll' AND service_time >= ${shownUntil}) AS young FROM changes
      WHERE seq > ${after}::bigint AND seq <= ${settled}::bigint ORDER BY seq LIMIT ${raw(SLICE)})
    SELECT coalesce(min(seq) FILTER (WHERE young) - 1, max(seq)) AS last,
           count(*) = ${raw(SLICE)} AS "isFull" FROM slice`;
  if (last === null || BigInt(last) <= BigInt(after)) return { last: null, isFull: false, payments: [] };
  const rows = await rowsOf<ShownRow>(db)`
    WITH shown AS MATERIALIZED (
      SELECT seq, entity_id, field, to_value, coalesce(service_time, changed_at) AS shown_at FROM changes
      WHERE seq > ${after}::bigint AND seq <= ${last}::bigint AND entity_kind = 'payment_intent'
        AND field IN (${WHOLE_RECORD}, 'status') AND source_type = 'poll' AND changed_at >= ${since})
    SELECT seq, id, status, field, to_value AS "toValue", created_at AS "createdAt", shown_at AS "shownAt"
    FROM shown JOIN payment_intents ON id = entity_id
    WHERE status = ANY (${Object.values(generated).flat()}::text[]) AND verified AND NOT doubted AND absent_since IS NULL
    ORDER BY seq`;
  return { last, isFull, payments: rows.flatMap((row) => shownIn(row, generated)) };
}

interface ShownRow {
  seq: string;
  id: string;
  status: string;
  field: string;
  toValue: string | null;
  createdAt: Date | null;
  shownAt: Date;
}

/** A change that says something else than what the payment shows now is of another state. */
function shownIn({ field, toValue, createdAt, shownAt, ...payment }: ShownRow, generated: Generated): ShownPayment[] {
  const { status } = payment;
  const said = field === WHOLE_RECORD ? statusIn(toValue) : toValue;
  if (said !== (field === WHOLE_RECORD ? status : JSON.stringify(status))) return [];
  const types = Object.entries(generated).filter(([, states]) => states.includes(status));
  const times = { createdAt: createdAt?.getTime() ?? null, shownAt: shownAt.getTime() };
  return types.map(([eventType]) => ({ ...payment, ...times, eventType }));
}

function statusIn(record: string | null): string | null {
  const fields = record === null ? null : objectFromJsonText(record);
  return isJsonObject(fields) ? textField(fields, 'status') : null;
}

type Asked = Pick<ShownPayment, 'id' | 'eventType'>;

export const generatedKey = ({ id, eventType }: Asked): string => `${id} ${eventType}`;

/** Those of which a delivery of that type is known (`generatedKey`). */
export async function deliveredAmong(db: Knex, payments: readonly Asked[]): Promise<Set<string>> {
  if (payments.length === 0) return new Set();
  const rows = await rowsOf<Asked>(db)`
    SELECT DISTINCT payment_intent_id AS id, event_type AS "eventType" FROM deliveries
    WHERE payment_intent_id = ANY (${[...new Set(payments.map(({ id }) => id))]}::text[])
      AND event_type = ANY (${[...new Set(payments.map(({ eventType }) => eventType))]}::text[])`;
  return new Set(rows.map(generatedKey));
}

/** More events that the history lacks than these, and each may be any. */
const MOST_CAME = 500;

/** Those of which an event may have come that the history lacks: one of that type that holds the payment's id. */
export async function cameAmong(db: Knex, payments: readonly Asked[]): Promise<Set<string>> {
  if (payments.length === 0) return new Set();
  const came = await rowsOf<{ eventType: string; body: Buffer | null }>(db)`
    SELECT event_type AS "eventType", body FROM (
      SELECT inbox_id FROM report_checks WHERE state <> 'matched' ORDER BY inbox_id DESC LIMIT ${raw(MOST_CAME)}) AS lacking
    JOIN inbox ON inbox.id = inbox_id WHERE event_type = ANY (${[...new Set(payments.map(({ eventType }) => eventType))]}::text[])`;
  const isAny = came.length === MOST_CAME;
  const texts = came.map(({ eventType, body }) => ({ eventType, text: body?.toString('utf8') ?? null }));
  const mayBe = ({ id, eventType }: Asked) =>
    isAny || texts.some((one) => one.eventType === eventType && (one.text === null || one.text.includes(id)));
  return new Set(payments.filter(mayBe).map(generatedKey));
}

export interface OfTypes {
  /** By type, when the newest delivery was made that names no payment; ms of the service's clock. */
  unnamed: ReadonlyMap<string, number>;
  /** Types of which an event came, or was delivered, at any time. */
  usual: ReadonlySet<string>;
}

export async function knownOfTypes(db: Knex, types: readonly string[]): Promise<OfTypes> {
  const newestOf = (which: string): Sql =>
    raw(`(SELECT created_at FROM deliveries
    WHERE payment_intent_id IS NULL AND created_at IS NOT NULL AND ${which} ORDER BY created_at DESC LIMIT 1)`);
  const rows = await rowsOf<{ type: string; newest: Date | null; usual: string | null }>(db)`
    SELECT type, (SELECT id FROM inbox WHERE event_type = type AND mark IS NULL ORDER BY id DESC LIMIT 1) AS usual,
      greatest(${newestOf('event_type = type')}, ${newestOf('event_type IS NULL')},
        (SELECT max(first_seen_at) FROM deliveries
         WHERE payment_intent_id IS NULL AND created_at IS NULL AND (event_type = type OR event_type IS NULL))) AS newest
    FROM unnest(${types}::text[]) AS type`;
  return {
    unnamed: new Map(rows.flatMap(({ type, newest }) => (newest === null ? [] : [[type, newest.getTime()]]))),
    usual: new Set(rows.flatMap(({ type, usual }) => (usual === null ? [] : [type]))),
  };
}

/** The endpoints that the service lists, with since when each is as it is. */
export async function watchedEndpoints(db: Knex): Promise<WatchedEndpoint[]> {
  const rows = await rowsOf<{ id: string; shown: string; sameSince: Date | null }>(db)`
    SELECT id, shown, (SELECT max(greatest(service_time, changed_at)) FROM changes
      WHERE entity_kind = 'endpoint' AND entity_id = endpoints.id) AS "sameSince"
    FROM endpoints WHERE absent_since IS NULL`;
  return rows.map(({ id, shown, sameSince }) => {
    return { ...storedEndpoint(id, shown), sameSince: sameSince?.getTime() ?? null };
  });
}

export interface OpenNever extends Asked {
  /** What the payment shows now; null: it is not there any more. */
  status: string | null;
}

/** Payments of the open breaks, of each the type of the event that it lacks. */
export async function openNever(db: Knex, { after, limit }: { after: string; limit: number }): Promise<OpenNever[]> {
  const rows = await rowsOf<{ id: string; evidence: string; status: string | null }>(db)`
    SELECT entity_id AS id, evidence, CASE WHEN absent_since IS NULL THEN payment_intents.status END AS status
    FROM breaks LEFT JOIN payment_intents ON payment_intents.id = entity_id
    WHERE kind = 'event_never_generated' AND entity_kind = 'payment_intent' AND entity_id > ${after}
      AND breaks.status IN ('open', 'acknowledged')
    ORDER BY entity_id LIMIT ${limit}`;
  return rows.map(({ evidence, ...row }) => {
    const ours = objectFromJsonText(evidence)['ours'];
    return { ...row, eventType: (isJsonObject(ours) ? textField(ours, 'eventType') : null) ?? '' };
  });
}

/** The history leaves events out, or a secret leaked: what it lacks proves nothing. */
export async function isHistoryDoubted(db: Knex): Promise<boolean> {
  const open = await columnOf<string>(db)`
    SELECT id FROM breaks WHERE kind = 'history_differs' AND status IN ('open', 'acknowledged') LIMIT 1`;
  return open.length > 0;
}
