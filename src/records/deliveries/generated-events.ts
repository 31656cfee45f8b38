import type { Knex } from 'knex';
import type { ShownState, WatchedEndpoint } from '../../domain/deliveries/generated-events.js';
import { objectFromJsonText } from '../../domain/json.js';
import { instantMs } from '../database/database-text.js';
import { columnOf, firstOf, rowsOf, tableOf, valueOf } from '../database/statements.js';
import { readEndpoint } from './listed-endpoints.js';

/** `shownAt`: ms of our clock. */
export interface ShownPayment extends ShownState {
  id: string;
  status: string;
}

/** The states whose event the service generates, by the event's type (contract `events.generated`). */
export type Generated = Readonly<Record<string, readonly string[]>>;

export interface Stretch {
  /** The last change of the stretch that is old enough; null: none is. */
  last: string | null;
  /** More may follow at once. */
  isFull: boolean;
  payments: ShownPayment[];
}

/** So many changes are looked through at once. */
const STRETCH = 5_000;

/** The newest change: what came before it is never compared. */
export async function newestChange(db: Knex): Promise<string> {
  return valueOf<string>(db)`SELECT coalesce(max(seq), 0)::text AS seq FROM changes`;
}

/** Payments that a list was the first to show in such a state, by the order of the changes, up to the first that is too young. */
export async function paymentsShown(
  db: Knex,
  { after, until, generated }: { after: string; until: Date; generated: Generated },
): Promise<Stretch> {
  const states = Object.entries(generated).flatMap(([type, some]) => some.map((status) => ({ type, status })));
  const bound = await firstOf<{ last: string | null; full: boolean }>(db)`
    WITH stretch AS (SELECT seq, changed_at FROM changes WHERE seq > ${after}::bigint ORDER BY seq LIMIT ${STRETCH})
    SELECT coalesce((SELECT min(seq) - 1 FROM stretch WHERE changed_at >= ${until}::timestamptz), max(seq)) AS last, count(*) = ${STRETCH} AS full FROM stretch`;
  const last = bound?.last ?? null;
  const payments = await rowsOf<
    Omit<ShownPayment, 'createdAt' | 'shownAt'> & { createdAt: Date | null; shownAt: Date }
  >(db)`
    SELECT DISTINCT ON (id, type) id, payment.status, type AS "eventType", created_at AS "createdAt",
           changed_at AS "shownAt"
    FROM changes JOIN payment_intents AS payment ON id = entity_id
    JOIN ${tableOf('state', states, { type: 'text', status: 'text' })} ON state.status = payment.status
    WHERE seq > ${after}::bigint AND seq <= ${last}::bigint AND entity_kind = 'payment_intent' AND field IN ('*', 'status')
      AND source_type = 'poll' AND verified AND NOT doubted AND absent_since IS NULL
    ORDER BY id, type, seq`;
  const times = ({ createdAt, shownAt, ...payment }: (typeof payments)[number]): ShownPayment => {
    return { ...payment, createdAt: createdAt?.getTime() ?? null, shownAt: shownAt.getTime() };
  };
  return { last, isFull: bound?.full === true, payments: payments.map(times) };
}

/** Those of which a delivery of that type is known, as `<payment> <type>`. */
export async function deliveredAmong(
  db: Knex,
  payments: readonly Pick<ShownPayment, 'id' | 'eventType'>[],
): Promise<Set<string>> {
  const ids = payments.map(({ id }) => id);
  const found = await columnOf<string>(db)`
    SELECT DISTINCT payment_intent_id || ' ' || event_type AS key FROM deliveries
    WHERE payment_intent_id = ANY (${ids}::text[]) AND event_type IS NOT NULL`;
  return new Set(found);
}

/** By type, when the newest delivery was made that names no payment; ms of the service's clock. */
export async function newestUnnamed(db: Knex, types: readonly string[]): Promise<Map<string, number>> {
  const rows = await rowsOf<{ type: string; at: Date }>(db)`
    SELECT type, at FROM unnest(${types}::text[]) AS type CROSS JOIN LATERAL (
      SELECT coalesce(created_at, first_seen_at) AS at FROM deliveries
      WHERE event_type = type AND payment_intent_id IS NULL ORDER BY created_at DESC NULLS FIRST LIMIT 1) AS newest`;
  return new Map(rows.map(({ type, at }) => [type, at.getTime()]));
}

/** The endpoints that the service lists, with when each was seen to change last. */
export async function watchedEndpoints(db: Knex): Promise<WatchedEndpoint[]> {
  const rows = await rowsOf<{ id: string; shown: string; changedAt: Date | null }>(db)`
    SELECT id, shown, (SELECT max(coalesce(service_time, changed_at)) FROM changes
      WHERE entity_kind = 'endpoint' AND entity_id = id AND field <> '*') AS "changedAt"
    FROM endpoints WHERE absent_since IS NULL`;
  return rows.map(({ id, shown, changedAt }) => {
    const fields = objectFromJsonText(shown);
    return {
      ...readEndpoint(id, fields),
      createdAt: instantMs(fields['createdAt']),
      changedAt: changedAt?.getTime() ?? null,
    };
  });
}

/** Payments of the open breaks whose event is here after all, or which are in another state now. A break's cause begins with the type. */
export async function generatedSince(db: Knex, generated: Generated): Promise<string[]> {
  return columnOf<string>(db)`
    SELECT entity_id AS id FROM (
      SELECT entity_id, split_part(cause, ' ', 1) AS type FROM breaks
      WHERE kind = 'event_never_generated' AND status IN ('open', 'acknowledged')) AS open
    LEFT JOIN payment_intents AS payment ON payment.id = entity_id
    WHERE payment.status IS NULL OR payment.absent_since IS NOT NULL
      OR NOT coalesce((${JSON.stringify(generated)}::jsonb -> type) @> to_jsonb(payment.status), false)
      OR EXISTS (SELECT FROM deliveries WHERE payment_intent_id = entity_id AND event_type = type)`;
}

/** The history leaves events out, or a secret leaked: what it lacks proves nothing. */
export async function isHistoryDoubted(db: Knex): Promise<boolean> {
  return valueOf<boolean>(db)`
    SELECT EXISTS (SELECT FROM breaks WHERE kind = 'history_differs' AND status IN ('open', 'acknowledged')) AS yes`;
}
