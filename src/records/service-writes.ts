import type { Knex } from 'knex';
import type { CallLog, KeyLimits, KeyOutcome, NotedCall, OpenCallNote } from '../domain/own-calls.js';
import { keyText } from './database/database-text.js';
import { raw, rowsOf, type Sql, sql } from './database/statements.js';

type Known<O extends string> = NotedCall<O> & { object_id: string | null; age: number };

const QUERY_MS = 10_000;
const AGE = raw('greatest(0, extract(epoch FROM now() - begun_at) * 1000)::float8 AS age');
const secs = (ms: number) => sql`make_interval(secs => ${ms / 1_000})`;
const isThis = ({ operation, key }: NotedCall<string>) => sql`operation = ${operation} AND key = ${key}`;
/** What was done stays done: of two calls under one key the other may end later, and otherwise. */
const NOT_OVER = raw(`status NOT IN ('done', 'lost')`);

/** The promises of service-api/key-store.ts. Ages are those of the database's clock. */
export function createServiceWriteLog<O extends string>(db: Knex): CallLog<O> {
  const query = <Row = Known<O>>() => rowsOf<Row>(db, QUERY_MS);
  return {
    async begin(write, limits) {
      const [row] = await query<{ age: number; fresh: boolean }>()`${begun(write, limits)}`;
      if (row) return { ok: true, again: !row.fresh, age: row.age };
      const [known] = await query()`SELECT *, ${AGE} FROM service_writes WHERE ${isThis(write)}`;
      const objectId = known?.object_id ?? null;
      return { ok: false, reason: known?.hash === write.hash ? 'expired' : 'other_request', objectId };
    },
    async end(write, outcome, objectId) {
      await query()`UPDATE service_writes SET object_id = coalesce(${objectId}, object_id),
        ${outcome === 'unknown' ? stillOpen(write) : ended(outcome, objectId)}
        WHERE ${isThis(write)} AND ${outcome === 'done' ? raw('true') : NOT_OVER}`;
    },
    async claim<P extends O>(operations: readonly P[], { leaseMs, withinMs }: KeyLimits) {
      const [row] = await query<Known<P>>()`
        UPDATE service_writes SET leased_until = now() + ${secs(leaseMs)}
        WHERE (operation, key) = (
          SELECT operation, key FROM service_writes
          WHERE operation = ANY(${operations}) AND status = 'open' AND leased_until <= now()
            AND begun_at >= now() - ${secs(withinMs)}
          ORDER BY leased_until LIMIT 1 FOR UPDATE SKIP LOCKED)
        RETURNING *, ${AGE}`;
      return row === undefined ? null : toWrite(row);
    },
    async giveUp<P extends O>(operations: readonly P[], { withinMs }: KeyLimits) {
      const rows = await query<Known<P>>()`
        WITH given_up AS (
          UPDATE service_writes SET
            status = CASE WHEN object_id IS NULL THEN 'lost' ELSE 'done' END,
            ended_at = now()
          WHERE operation = ANY(${operations}) AND status = 'open' AND leased_until <= now()
            AND begun_at < now() - ${secs(withinMs)}
          RETURNING *)
        SELECT *, ${AGE} FROM given_up WHERE status = 'lost'`;
      return rows.map(toWrite);
    },
    async rivals({ operation, key, hash }, objectIds) {
      const rows = await query()`
        SELECT object_id FROM service_writes
        WHERE operation = ${operation} AND key <> ${key}
          AND (object_id = ANY(${objectIds}) OR (hash = ${hash} AND status = 'open' AND object_id IS NULL))`;
      const made = rows.flatMap(({ object_id }) => object_id ?? []);
      return { made, open: rows.length - made.length };
    },
  };
}

function toWrite<P extends string>({ operation, key, hash, request, age }: Known<P>): OpenCallNote<P> {
  return { operation, key, hash, request, age };
}

/** Returns nothing where the key stands for something else, or was first used too long ago. */
function begun({ operation, key, hash, request, links }: NotedCall<string>, { leaseMs, withinMs }: KeyLimits): Sql {
  const about = sql`${keyText(links?.paymentIntentId)}, ${keyText(links?.merchantReference)}, ${keyText(links?.accountId)}`;
  return sql`
    INSERT INTO service_writes AS known
      (operation, key, hash, request, payment_intent_id, merchant_reference, account_id, leased_until)
    VALUES (${operation}, ${key}, ${hash}, ${request}, ${about}, now() + ${secs(leaseMs)})
    ON CONFLICT (operation, key) DO UPDATE SET
      hash = excluded.hash,
      request = CASE WHEN known.status <> 'done' THEN excluded.request END,
      payment_intent_id = excluded.payment_intent_id,
      merchant_reference = excluded.merchant_reference,
      account_id = excluded.account_id,
      status = CASE WHEN known.status = 'done' THEN 'done' ELSE 'open' END,
      ended_at = CASE WHEN known.status = 'done' THEN known.ended_at END,
      leased_until = excluded.leased_until,
      begun_at = CASE WHEN known.status IN ('refused', 'unsent') THEN now() ELSE known.begun_at END
    WHERE known.status IN ('refused', 'unsent')
       OR (known.hash = excluded.hash AND known.begun_at >= now() - ${secs(withinMs)})
    RETURNING *, begun_at = now() AS fresh, ${AGE}`;
}

function ended(outcome: KeyOutcome, objectId: string | null): Sql {
  return sql`
    status = CASE WHEN coalesce(${objectId}, object_id) IS NULL THEN ${outcome} ELSE 'done' END,
    request = CASE WHEN ${outcome} = 'lost' AND object_id IS NULL THEN request END,
    ended_at = now()`;
}

/** The lease ends: whoever settles calls of unknown outcome may take it. */
function stillOpen({ request }: NotedCall<string>): Sql {
  return sql`status = 'open', request = coalesce(request, ${request}), leased_until = now(), ended_at = NULL`;
}

/** How many calls ended so that nobody knows what came of them, or whose outcome is unknown for longer than a call takes. */
export async function countUnsettledWrites(db: Knex): Promise<{ lost: number; open: number }> {
  const rows = await rowsOf<{ lost: number; open: number }>(db)`
    SELECT count(*) FILTER (WHERE status = 'lost')::int AS lost,
           count(*) FILTER (WHERE status = 'open' AND leased_until < now())::int AS open
    FROM service_writes WHERE status IN ('open', 'lost')`;
  return rows[0] ?? { lost: 0, open: 0 };
}

/** Of each operation how many calls ended so that nobody knows what came of them. */
export async function lostCalls(db: Knex): Promise<{ operation: string; count: number }[]> {
  return rowsOf<{ operation: string; count: number }>(db)`
    SELECT operation, count(*)::int AS count FROM service_writes WHERE status = 'lost' GROUP BY operation ORDER BY operation`;
}
