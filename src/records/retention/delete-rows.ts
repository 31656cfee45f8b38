import { raw, rowOf, run, type Sql, sql, type Trx } from '../database/statements.js';

/** How long what is kept, in days. */
export interface RetentionDays {
  /** RETENTION_BODY_DAYS */
  body: number;
  /** RETENTION_KEY_DAYS */
  keys: number;
  /** RETENTION_PERSONAL_DAYS */
  personal: number;
}

export interface StepQuery {
  /** What is older goes. */
  cutoff: Date;
  /** Where the step before ended; null: the first one. */
  place: string | null;
  /** Rows read in one step, at most. */
  limit: number;
}

export interface Step {
  /** Rows that were pruned, deleted or masked. */
  done: number;
  /** Where the next step goes on; null: nothing is left. */
  next: string | null;
  /** Where the next pass may begin, if this one ends here; left out: at the start. */
  end?: string | null;
}

/** One part of retention: many small steps, each a transaction of its own, so that any of them may be the last. */
export interface RetentionTask {
  name: string;
  days: (days: RetentionDays) => number;
  step: (trx: Trx, query: StepQuery) => Promise<Step>;
}

const bodyDays = ({ body }: RetentionDays): number => body;
/** A key is never deleted before its body. */
const keyDays = ({ body, keys }: RetentionDays): number => Math.max(body, keys);

/** Stands where the details of a delivery were deleted: what a later poll shows again stays away. */
export const PRUNED_DETAILS = '';

const undecided = (kind: string, id: string): string => `EXISTS (SELECT FROM breaks
  WHERE entity_kind = '${kind}' AND entity_id = ${id} AND breaks.status IN ('open', 'acknowledged'))`;
const SETTLED = "request IS NOT NULL AND status IN ('done', 'refused', 'unsent')";

export const rowTasks: readonly RetentionTask[] = [
  // What the service said of deliveries that are final here, unless somebody still has to decide about one.
  rowTask(
    'deliveries',
    keyDays,
    'deliveries',
    'created_at',
    `NOT open AND NOT ${undecided('delivery', 'deliveries.id')}`,
  ),
  // Payloads that no event may be recovered from any more, and what else was shown of a delivery.
  rowTask(
    'delivery payloads',
    bodyDays,
    'deliveries',
    'created_at',
    `NOT open AND (details <> '${PRUNED_DETAILS}' OR payload IS NOT NULL)`,
    `details = '${PRUNED_DETAILS}', payload = NULL`,
  ),
  // Hours of money that nobody asked for since: no day that is compared has them.
  rowTask('money marks', bodyDays, 'money_marks', 'at'),
  // Which events the delivery history lacked.
  rowTask('report checks', keyDays, 'report_checks', 'received_at'),
  // The beginning of what was rejected; its hash and its reason stay.
  rowTask('rejected bodies', bodyDays, 'rejections', 'rejected_at', `first_bytes <> ''`, `first_bytes = ''`),
  rowTask('rejections', keyDays, 'rejections', 'rejected_at'),
  // What creating calls asked for, once it is settled what they made. The key stays for ever: it is what keeps an old payout
  // from being made twice.
  rowTask('requests', bodyDays, 'service_writes', 'coalesce(ended_at, begun_at)', SETTLED, 'request = NULL'),
  // Of calls of which nobody knows what they made: only what they asked for can show that.
  rowTask(
    'lost requests',
    ({ personal }) => personal,
    'service_writes',
    'coalesce(ended_at, begun_at)',
    `request IS NOT NULL AND status = 'lost'`,
    'request = NULL',
  ),
  rowTask('rejection counts', keyDays, 'rejection_counts', 'hour'),
  rowTask('call counts', keyDays, 'service_call_counts', 'hour'),
  // The first and the last match of a secret stay with the secret.
  rowTask('secret matches', keyDays, 'secret_matches', 'hour'),
  // What still fires stays, and so does what is still to be sent to a channel.
  rowTask('alerts', bodyDays, 'alerts', 'resolved_at'),
  rowTask(
    'alert notices',
    bodyDays,
    'alert_notices',
    'created_at',
    `status <> 'pending' AND NOT EXISTS (
      SELECT FROM alerts WHERE resolved_at IS NULL AND alert_notices.key = 'firing ' || alerts.id)`,
  ),
  // Their cookies have ended by themselves.
  rowTask('ended sessions', () => 0, 'ended_sessions', 'until'),
];

/**
 * Rows whose `time` is older: deleted, or changed by `set`. They no longer fit the condition once they were dealt with: each step
 * takes the next ones.
 */
function rowTask(
  name: string,
  days: RetentionTask['days'],
  table: string,
  time: string,
  condition = 'true',
  set?: string,
): RetentionTask {
  const change = raw(set === undefined ? `DELETE FROM ${table}` : `UPDATE ${table} SET ${set}`);
  const step = async (trx: Trx, { cutoff, limit }: StepQuery): Promise<Step> => {
    const done = await run(trx)`${change} WHERE ctid = ANY (ARRAY(
      SELECT ctid FROM ${raw(table)} WHERE ${raw(time)} < CAST(${cutoff} AS timestamptz) AND ${raw(condition)}
      LIMIT ${limit} FOR UPDATE SKIP LOCKED))`;
    return { done, next: done < limit ? null : '' };
  };
  return { name, days, step };
}

interface Scanned {
  done: number;
  last: string | null;
  /** How many of those read are old enough. */
  aged: number;
  /** The id before the first that is not; null: there is none. */
  before_young: string | null;
}

/** Deals with those of the next events that are old enough, fit the condition and that nobody works on. */
function scanEvents(trx: Trx, { cutoff, place, limit }: StepQuery, condition: Sql, change: string) {
  return rowOf<Scanned>(trx)`
    WITH scanned AS MATERIALIZED (
      SELECT id, received_at < CAST(${cutoff} AS timestamptz) AS aged FROM inbox
      WHERE id > CAST(${place ?? '0'} AS bigint) ORDER BY id LIMIT ${limit}
    ), locked AS MATERIALIZED (
      SELECT id FROM inbox
      WHERE id IN (SELECT id FROM scanned WHERE aged) AND status IN ('applied', 'unhandled') AND ${condition}
      ORDER BY id FOR UPDATE SKIP LOCKED
    ), done AS (${raw(change)} locked WHERE inbox.id = locked.id RETURNING inbox.id)
    SELECT (SELECT CAST(count(*) AS integer) FROM done) AS done, max(id) AS last,
           CAST(count(*) FILTER (WHERE aged) AS integer) AS aged, min(id) FILTER (WHERE NOT aged) - 1 AS before_young
    FROM scanned`;
}

/**
 * Bodies of events that are applied, or that are nothing to apply. One that waits, failed or is dead is all that is left
 * of what it says: it stays. Rows were numbered as they came, so a pass ends where all are young, and the next begins
 * before the first young one. Whoever works on a row is not waited for.
 */
export const pruneBodies: RetentionTask = {
  name: 'bodies',
  days: bodyDays,
  step: async (trx, query) => {
    const { done, last, aged, before_young } = await scanEvents(
      trx,
      query,
      raw('body IS NOT NULL'),
      'UPDATE inbox SET body = NULL FROM',
    );
    return { done, next: last !== null && aged > 0 ? last : null, end: before_young ?? last ?? query.place };
  },
};

/**
 * Whole events, with the key that a duplicate is known by, once nothing has arrived under it for so long. Events that are
 * not applied stay, and so does what an open delivery is paired with or an open break is about.
 */
export const deleteKeys: RetentionTask = {
  name: 'keys',
  days: keyDays,
  step: async (trx, query) => {
    const isOver = sql`last_arrival_at < CAST(${query.cutoff} AS timestamptz)
      AND NOT EXISTS (SELECT FROM deliveries WHERE deliveries.inbox_id = inbox.id AND open)
      AND NOT ${raw(undecided('event', 'CAST(inbox.id AS text)'))}`;
    const { done, last, aged } = await scanEvents(trx, query, isOver, 'DELETE FROM inbox USING');
    await run(trx)`
      DELETE FROM event_records WHERE inbox_id > CAST(${query.place ?? '0'} AS bigint) AND inbox_id <= CAST(${last} AS bigint)
        AND NOT EXISTS (SELECT FROM inbox WHERE inbox.id = inbox_id)`;
    return { done, next: last !== null && aged > 0 ? last : null };
  },
};
