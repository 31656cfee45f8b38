import type { Knex } from 'knex';
import type { PayoutInHand } from '../../domain/breaks/payouts.js';
import { states } from '../../domain/family/states.js';
import { objectFromJsonText } from '../../domain/json.js';
import type { RecordKind } from '../../domain/records.js';
import { columnOf, milliseconds, raw, rowsOf, type Sql, sql, valueOf } from '../database/statements.js';
import { recordTables } from '../record-columns.js';

/** Where a record stands in its list of the service. `createdAt` in ms; null: nothing that we hold says it. */
export interface RecordPlace {
  id: string;
  createdAt: number | null;
  /** The service showed it at its last poll. */
  listed: boolean;
}

export interface OpenRecord extends RecordPlace {
  /** It waits for the customer or the chain: minutes to hours, not for a decision that may take weeks. */
  active: boolean;
  /** A dispute that the filter `irregular` does not list, polled since that was last read whole. */
  rests: boolean;
}

/** The service listed it at its last poll. */
const LISTED = raw("(absent_since IS NULL AND coalesce(poll_hash, '') <> '')");
/** A record that the service never listed was reported before it was made, by more than clocks differ: its time shows no place. */
const REPORTED_TOO_EARLY = raw("(created_at > observed_at + interval '10 minutes')");
/** Milliseconds, rounded down, as the rows of a page are compared. */
const CREATED_AT = sql`CASE WHEN ${LISTED} OR NOT ${REPORTED_TOO_EARLY}
  THEN ${raw(milliseconds('created_at'))} END AS "createdAt"`;

/** The kinds that the service lists newest first, by cursor (specification 4). */
export type ListedKind = Extract<RecordKind, 'payment_intent' | 'invoice' | 'payout'>;

const MOVES = "status NOT IN ('completed', 'expired', 'cancelled')";
const LISTING = "FROM filter_listings WHERE record_kind = 'payment_intent' AND status = 'irregular'";
const RESTS = `NOT ${MOVES} AND poll_from >= (SELECT to_ms ${LISTING}) AND id NOT IN (SELECT unnest(ids) ${LISTING})`;

/** SQL: what may still change by itself, and what of it does so within hours. A state that is not listed is no end. */
const lives: Readonly<Record<ListedKind, { open: string; active: string; rests: string }>> = {
  payment_intent: {
    open: `(${MOVES} OR irregular_status = 'pending_decision')`,
    active: `status IN (${states.payment_intent.active.map((state) => `'${state}'`).join(', ')})`,
    rests: `((${RESTS}) IS TRUE)`,
  },
  invoice: { open: "status NOT IN ('paid', 'expired', 'cancelled')", active: 'false', rests: 'false' },
  payout: { open: "status NOT IN ('confirmed', 'failed')", active: 'true', rests: 'false' },
};

/** Every record that the service listed and that may still change by itself; those that were read longest ago first. */
export async function openRecords(db: Knex, kind: ListedKind): Promise<OpenRecord[]> {
  const { open, active, rests } = lives[kind];
  return rowsOf<OpenRecord>(db)`
    SELECT id, ${CREATED_AT}, true AS listed, ${raw(active)} AS active, ${raw(rests)} AS rests
    FROM ${tableOfKind(kind)} WHERE absent_since IS NULL AND ${raw(open)} AND coalesce(poll_hash, '') <> ''
    ORDER BY poll_from`;
}

/** Records that something asked to be read, due or not, the longest waiting first. */
export async function requestedPlaces(db: Knex, kind: ListedKind, limit: number): Promise<RecordPlace[]> {
  return rowsOf<RecordPlace>(db)`
    SELECT mark.id, ${CREATED_AT}, coalesce(${LISTED}, false) AS listed
    FROM reading_marks AS mark LEFT JOIN ${tableOfKind(kind)} AS record ON record.id = mark.id
    WHERE mark.kind = ${kind} ORDER BY mark.next_at, mark.id LIMIT ${limit}`;
}

const NEWEST_FIRST = raw('ORDER BY created_at DESC, id DESC');

async function placesWhere(db: Knex, kind: ListedKind, condition: Sql): Promise<RecordPlace[]> {
  return rowsOf<RecordPlace>(db)`
    SELECT id, ${CREATED_AT}, ${LISTED} AS listed FROM ${tableOfKind(kind)} WHERE ${condition}`;
}

export async function placesOfRecords(
  db: Knex,
  kind: ListedKind,
  ids: readonly string[],
): Promise<Map<string, RecordPlace>> {
  if (ids.length === 0) return new Map();
  const rows = await placesWhere(db, kind, sql`id = ANY (${ids}::text[])`);
  return new Map(rows.map((row) => [row.id, row]));
}

/** The nearest listed records created at or after this millisecond, newest first. */
export async function recordsFrom(
  db: Knex,
  kind: ListedKind,
  createdAt: number,
  limit: number,
): Promise<RecordPlace[]> {
  const from = sql`created_at >= to_timestamp(${createdAt}::float8 / 1000)`;
  return (await placesWhere(db, kind, sql`${from} AND ${LISTED} ORDER BY created_at, id LIMIT ${limit}`)).reverse();
}

export interface Moments {
  /** Milliseconds, neither included. Infinite: no limit. */
  after: number;
  before: number;
}

/** Records created between two moments that are not among `except`; those that the service never listed by the second pair. */
export async function recordsBetween(
  db: Knex,
  kind: ListedKind,
  { listed, unlisted }: { listed: Moments; unlisted: Moments },
  except: readonly string[],
  limit: number,
): Promise<RecordPlace[]> {
  const within = ({ after, before }: Moments) =>
    sql`created_at < to_timestamp(${before}::float8 / 1000) AND created_at >= to_timestamp((${after}::float8 + 1) / 1000)`;
  return placesWhere(
    db,
    kind,
    sql`${within(listed)} AND (${LISTED} OR (NOT ${REPORTED_TOO_EARLY} AND ${within(unlisted)}))
      AND absent_since IS NULL AND id <> ALL (${except}::text[]) ${NEWEST_FIRST} LIMIT ${limit}`,
  );
}

/** Records that the service listed and that no poll begun at `since` (ms of the service's clock) or later has shown. */
export async function recordsNotSeenSince(
  db: Knex,
  kind: ListedKind,
  since: number,
  limit: number,
): Promise<RecordPlace[]> {
  const isOld = sql`${LISTED} AND poll_from < ${Math.floor(since)}`;
  return placesWhere(db, kind, sql`created_at IS NOT NULL AND ${isOld} ${NEWEST_FIRST} LIMIT ${limit}`);
}

/**
 * Records that only events spoke of, without saying when they were created, or with a time that can't be. `reportedTo`: ms,
 * the service's clock.
 */
export async function unplacedRecords(
  db: Knex,
  kind: ListedKind,
  limit: number,
): Promise<{ id: string; reportedTo: number }[]> {
  return rowsOf<{ id: string; reportedTo: number }>(db)`
    SELECT id, (ceil(extract(epoch from observed_at) * 1000) + 1000)::float8 AS "reportedTo" FROM (
      SELECT id, observed_at FROM ${tableOfKind(kind)}
      WHERE created_at IS NULL AND absent_since IS NULL AND coalesce(poll_hash, '') = ''
      UNION ALL
      SELECT record.id, observed_at FROM reading_marks AS mark JOIN ${tableOfKind(kind)} AS record ON record.id = mark.id
      WHERE mark.kind = ${kind} AND ${REPORTED_TOO_EARLY} AND absent_since IS NULL AND coalesce(poll_hash, '') = ''
    ) AS unplaced LIMIT ${limit}`;
}

export async function newestRecords(db: Knex, kind: ListedKind, limit: number): Promise<RecordPlace[]> {
  return placesWhere(db, kind, sql`created_at IS NOT NULL AND ${LISTED} ${NEWEST_FIRST} LIMIT ${limit}`);
}

export async function holdsListed(db: Knex, kind: ListedKind): Promise<boolean> {
  return valueOf<boolean>(db)`SELECT EXISTS (SELECT 1 FROM ${tableOfKind(kind)} WHERE ${LISTED}) AS found`;
}

export async function countListed(db: Knex, kind: ListedKind): Promise<number> {
  return valueOf<number>(db)`SELECT count(*)::float8 FROM ${tableOfKind(kind)} WHERE ${LISTED}`;
}

const tableOfKind = (kind: RecordKind) => raw(recordTables[kind]);

/** Records of a kind, few of them, that the service listed when it was last asked. */
export async function listedIds(db: Knex, kind: RecordKind): Promise<string[]> {
  return columnOf<string>(db)`SELECT id FROM ${tableOfKind(kind)} WHERE ${LISTED} ORDER BY id`;
}

/** Of these sub-wallets, the ones that were read as closed: the service may archive them. */
export async function closedAccounts(db: Knex, ids: readonly string[]): Promise<Set<string>> {
  return new Set(
    await columnOf<string>(db)`
    SELECT id FROM accounts WHERE id = ANY (${ids}::text[]) AND status = 'closed'`,
  );
}

/** Of these sub-wallets, the ones whose newest transaction is one of these types (stored lower or upper case). */
export async function accountsEndingIn(
  db: Knex,
  ids: readonly string[],
  types: readonly string[],
): Promise<Set<string>> {
  return new Set(
    await columnOf<string>(db)`
    SELECT asked.account_id FROM unnest(${ids}::text[]) AS asked (account_id)
    CROSS JOIN LATERAL (SELECT type FROM transactions WHERE transactions.account_id = asked.account_id
      AND absent_since IS NULL ORDER BY created_at DESC LIMIT 1) AS newest
    WHERE lower(newest.type) = ANY (${types}::text[])`,
  );
}

type Row = Omit<PayoutInHand, 'fields' | 'observedBy'> & { shown: string; type: string; ref: string };

/** The predicate of the index payouts_in_hand, word for word. */
const OPEN = "absent_since IS NULL AND (status IS NULL OR status NOT IN ('confirmed', 'failed'))";
const COLUMNS = raw(`id, shown, coalesce(poll_hash, '') <> '' AS listed, ${milliseconds('created_at')} AS "createdAt",
  ${milliseconds('updated_at')} AS "updatedAt", ${milliseconds('first_seen_at')} AS "firstSeenAt", ${milliseconds('observed_at')} AS "observedAt",
  observed_by_type AS type, observed_by_ref AS ref`);
/** An array, so that the few that breaks name are looked up by their ids. */
const followed = (after: string) => sql`ARRAY(SELECT entity_id FROM breaks WHERE entity_kind = 'payout'
  AND kind IN ('payout_stuck', 'payout_untracked') AND status IN ('open', 'acknowledged') AND entity_id > ${after})`;

/**
 * Payouts that may still move, and those that a break says so of; by id, beyond `after`. Absent ones are left out, and those that
 * only reports name: nobody knows that there is one.
 */
export async function payoutsInHand(db: Knex, after: string, limit: number): Promise<PayoutInHand[]> {
  const rows = await rowsOf<Row>(db)`
    (SELECT ${COLUMNS} FROM payouts WHERE ${raw(OPEN)} AND known AND id > ${after} ORDER BY id LIMIT ${limit})
    UNION ALL
    (SELECT ${COLUMNS} FROM payouts WHERE id = ANY (${followed(after)})
       AND absent_since IS NULL AND status IN ('confirmed', 'failed') ORDER BY id LIMIT ${limit})
    ORDER BY id LIMIT ${limit}`;
  return rows.map(({ shown, type, ref, ...row }) => {
    return { ...row, fields: objectFromJsonText(shown), observedBy: { type, ref } };
  });
}

/** `known`: the list, our own call or the delivery history has shown them; `reported`: webhooks alone, of the last days. */
export type PayoutsBy = 'known' | 'reported';

const BY: Record<PayoutsBy, string> = {
  known: 'known',
  reported: "NOT known AND first_seen_at > now() - interval '3 days'",
};

export async function openPayoutIds(
  db: Knex,
  after: string,
  { by, limit }: { by: PayoutsBy; limit: number },
): Promise<string[]> {
  return columnOf<string>(db)`
    SELECT id FROM payouts WHERE ${raw(OPEN)} AND ${raw(BY[by])} AND id > ${after} ORDER BY id LIMIT ${limit}`;
}
