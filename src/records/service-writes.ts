import type { Knex } from 'knex';
import type { CallLinks } from '../domain/own-calls.js';
import { keyText } from './database/database-text.js';
import { rowsOf } from './database/statements.js';

interface Write<O extends string> {
  operation: O;
  key: string;
  hash: string;
  request: string | null;
  links?: CallLinks;
}

interface Limits {
  leaseMs: number;
  withinMs: number;
}

type Begun =
  | { ok: true; again: boolean; age: number }
  | { ok: false; reason: 'expired' | 'other_request'; objectId: string | null };

type Outcome = 'done' | 'refused' | 'unsent' | 'unknown' | 'lost';

/** Where creating calls to the service are written down before they are sent; all processes on the database share it. */
export interface ServiceWriteLog<O extends string> {
  begin(write: Write<O>, limits: Limits): Promise<Begun>;
  end(write: Write<O>, outcome: Outcome, objectId: string | null): Promise<void>;
  claim<P extends O>(operations: readonly P[], limits: Limits): Promise<(Write<P> & { age: number }) | null>;
  giveUp<P extends O>(operations: readonly P[], limits: Limits): Promise<Write<P>[]>;
  rivals(write: Write<O>, objectIds: readonly string[]): Promise<{ made: string[]; open: number }>;
}

interface Row {
  operation: string;
  key: string;
  hash: string;
  request: string | null;
  object_id: string | null;
  age: number;
  fresh: boolean;
}

const QUERY_MS = 10_000;
const AGE = 'greatest(0, extract(epoch FROM now() - begun_at) * 1000)::float8 AS age';

/** The promises of service-api/key-store.ts. Ages are those of the database's clock. */
export function createServiceWriteLog<O extends string>(db: Knex): ServiceWriteLog<O> {
  const query = async (sql: string, bindings: Bindings) =>
    (await db.raw<{ rows: Row[] }>(sql, bindings as Record<string, string>).timeout(QUERY_MS)).rows;
  return {
    async begin(write, limits) {
      const [row] = await query(BEGIN, { ...bindingsOf(write), ...linksIn(write), ...inSeconds(limits) });
      if (row) return { ok: true, again: !row.fresh, age: row.age };
      const [known] = await query(`SELECT *, ${AGE} FROM service_writes ${THIS}`, bindingsOf(write));
      const objectId = known?.object_id ?? null;
      return { ok: false, reason: known?.hash === write.hash ? 'expired' : 'other_request', objectId };
    },
    async end(write, outcome, objectId) {
      const given = { ...bindingsOf(write), outcome, objectId };
      await query(outcome === 'unknown' ? OUTCOME_UNKNOWN : END, given);
    },
    async claim<P extends O>(operations: readonly P[], limits: Limits) {
      const [row] = await query(CLAIM, { ...inSeconds(limits), operations });
      return row === undefined ? null : toWrite<P>(row);
    },
    giveUp: async <P extends O>(operations: readonly P[], limits: Limits) =>
      (await query(GIVE_UP, { ...inSeconds(limits), operations })).map((row) => toWrite<P>(row)),
    async rivals(write, objectIds) {
      const rows = await query(RIVALS, { ...bindingsOf(write), ids: objectIds });
      const made = rows.flatMap(({ object_id }) => (object_id === null ? [] : [object_id]));
      return { made, open: rows.filter(({ object_id }) => object_id === null).length };
    },
  };
}

type Bindings = Readonly<Record<string, string | number | null | readonly string[]>>;

function toWrite<P extends string>({ operation, key, hash, request, age }: Row): Write<P> & { age: number } {
  return {
    operation: operation as P,
    key,
    hash,
    request,
    age,
  };
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

const THIS = 'WHERE operation = :operation AND key = :key';

/** Returns nothing where the key stands for something else, or was first used too long ago. */
const BEGIN = `
  INSERT INTO service_writes AS known
    (operation, key, hash, request, payment_intent_id, merchant_reference, account_id, leased_until)
  VALUES (:operation, :key, :hash, :request, :paymentIntent, :reference, :account, now() + make_interval(secs => :lease))
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
     OR (known.hash = excluded.hash AND known.begun_at >= now() - make_interval(secs => :within))
  RETURNING *, begun_at = now() AS fresh, ${AGE}`;

/** What was done stays done: of two calls under one key the other may end later, and otherwise. */
const NOT_OVER = `status NOT IN ('done', 'lost')`;

const END = `
  UPDATE service_writes SET
    status = CASE WHEN coalesce(:objectId, object_id) IS NULL THEN :outcome ELSE 'done' END,
    request = CASE WHEN :outcome = 'lost' AND object_id IS NULL THEN request END,
    object_id = coalesce(:objectId, object_id),
    ended_at = now()
  ${THIS} AND (:outcome = 'done' OR ${NOT_OVER})`;

/** The lease ends: whoever settles calls of unknown outcome may take it. */
const OUTCOME_UNKNOWN = `
  UPDATE service_writes SET
    status = 'open',
    request = coalesce(request, :request),
    object_id = coalesce(:objectId, object_id),
    leased_until = now(),
    ended_at = NULL
  ${THIS} AND ${NOT_OVER}`;

const CLAIM = `
  UPDATE service_writes SET leased_until = now() + make_interval(secs => :lease)
  WHERE (operation, key) = (
    SELECT operation, key FROM service_writes
    WHERE operation = ANY(:operations) AND status = 'open' AND leased_until <= now() AND begun_at >= now() - make_interval(secs => :within)
    ORDER BY leased_until LIMIT 1 FOR UPDATE SKIP LOCKED)
  RETURNING *, ${AGE}`;

const GIVE_UP = `
  WITH given_up AS (
    UPDATE service_writes SET
      status = CASE WHEN object_id IS NULL THEN 'lost' ELSE 'done' END,
      ended_at = now()
    WHERE operation = ANY(:operations) AND status = 'open' AND leased_until <= now()
      AND begun_at < now() - make_interval(secs => :within)
    RETURNING *)
  SELECT *, ${AGE} FROM given_up WHERE status = 'lost'`;

const RIVALS = `
  SELECT *, ${AGE} FROM service_writes
  WHERE operation = :operation AND key <> :key
    AND (object_id = ANY(:ids) OR (hash = :hash AND status = 'open' AND object_id IS NULL))`;

function bindingsOf({ operation, key, hash, request }: Write<string>) {
  return {
    operation,
    key,
    hash,
    request,
  };
}

function linksIn({ links }: Write<string>) {
  return {
    paymentIntent: keyText(links?.paymentIntentId),
    reference: keyText(links?.merchantReference),
    account: keyText(links?.accountId),
  };
}

function inSeconds({ leaseMs, withinMs }: Limits): { lease: number; within: number } {
  return { lease: leaseMs / 1_000, within: withinMs / 1_000 };
}
