import type { Knex } from 'knex';
import { keyDays } from './delete-keys.js';
import type { RetentionDays, RetentionTask, Step, StepQuery } from './retention-task.js';

/** What the service said of deliveries that are final here, unless somebody still has to decide about one. */
const deleteDeliveries = deletion('deliveries', keyDays, {
  table: 'deliveries',
  old: `created_at < CAST(:cutoff AS timestamptz) AND NOT open
    AND NOT EXISTS (SELECT FROM breaks WHERE entity_kind = 'delivery' AND entity_id = deliveries.id
                    AND breaks.status IN ('open', 'acknowledged'))`,
});

/** Stands where the details of a delivery were deleted: what a later poll shows again stays away. */
export const PRUNED_DETAILS = '';

/** Payloads that no event may be recovered from any more, and what else was shown of a delivery. */
const pruneDeliveries = deletion('delivery payloads', ({ body }) => body, {
  table: 'deliveries',
  old: `created_at < CAST(:cutoff AS timestamptz) AND NOT open AND (details <> '${PRUNED_DETAILS}' OR payload IS NOT NULL)`,
  set: `details = '${PRUNED_DETAILS}', payload = NULL`,
});

/** Which events the delivery history lacked. */
const deleteReportChecks = deletion('report checks', keyDays, {
  table: 'report_checks',
  old: 'received_at < CAST(:cutoff AS timestamptz)',
});

/** The beginning of what was rejected; its hash and its reason stay. */
const pruneRejections = deletion('rejected bodies', ({ body }) => body, {
  table: 'rejections',
  old: `rejected_at < CAST(:cutoff AS timestamptz) AND first_bytes <> ''`,
  set: `first_bytes = ''`,
});

const deleteRejections = deletion('rejections', keyDays, {
  table: 'rejections',
  old: 'rejected_at < CAST(:cutoff AS timestamptz)',
});

/**
 * What creating calls asked for, once it is settled what they made. The key stays for ever: it is what keeps an old
 * payout from being made twice.
 */
const pruneRequests = deletion('requests', ({ body }) => body, {
  table: 'service_writes',
  old: `request IS NOT NULL AND status IN ('done', 'refused', 'unsent') AND coalesce(ended_at, begun_at) < CAST(:cutoff AS timestamptz)`,
  set: 'request = NULL',
});

/** Of calls of which nobody knows what they made: only what they asked for can show that. */
const pruneLostRequests = deletion('lost requests', ({ personal }) => personal, {
  table: 'service_writes',
  old: `request IS NOT NULL AND status = 'lost' AND coalesce(ended_at, begun_at) < CAST(:cutoff AS timestamptz)`,
  set: 'request = NULL',
});

const deleteRejectionCounts = deletion('rejection counts', keyDays, {
  table: 'rejection_counts',
  old: 'hour < CAST(:cutoff AS timestamptz)',
});

/** The first and the last match of a secret stay with the secret. */
const deleteSecretMatches = deletion('secret matches', keyDays, {
  table: 'secret_matches',
  old: 'hour < CAST(:cutoff AS timestamptz)',
});

/** What still fires stays, and so does what is still to be sent to a channel. */
const deleteAlerts = deletion('alerts', ({ body }) => body, {
  table: 'alerts',
  old: 'resolved_at < CAST(:cutoff AS timestamptz)',
});

const deleteAlertNotices = deletion('alert notices', ({ body }) => body, {
  table: 'alert_notices',
  old: `status <> 'pending' AND created_at < CAST(:cutoff AS timestamptz)
    AND NOT EXISTS (SELECT FROM alerts WHERE resolved_at IS NULL AND alert_notices.key = 'firing ' || alerts.id)`,
});

/** Their cookies have ended by themselves. */
const deleteEndedSessions = deletion('ended sessions', () => 0, {
  table: 'ended_sessions',
  old: 'until < CAST(:cutoff AS timestamptz)',
});

export const rowTasks: readonly RetentionTask[] = [
  deleteDeliveries,
  pruneDeliveries,
  deleteReportChecks,
  pruneRejections,
  deleteRejections,
  pruneRequests,
  pruneLostRequests,
  deleteRejectionCounts,
  deleteSecretMatches,
  deleteAlerts,
  deleteAlertNotices,
  deleteEndedSessions,
];

/** Rows that no longer fit the condition once they were dealt with: each step takes the next ones. */
function deletion(
  name: string,
  days: (days: RetentionDays) => number,
  { table, old, set }: { table: string; old: string; set?: string },
): RetentionTask {
  const change = set === undefined ? `DELETE FROM ${table}` : `UPDATE ${table} SET ${set}`;
  const sql = `${change} WHERE ctid = ANY (ARRAY(
    SELECT ctid FROM ${table} WHERE ${old} LIMIT :limit FOR UPDATE SKIP LOCKED))`;
  const step = async (trx: Knex.Transaction, { cutoff, limit }: StepQuery): Promise<Step> => {
    const { rowCount } = await trx.raw<{ rowCount: number }>(sql, { cutoff, limit });
    return { done: rowCount, next: rowCount < limit ? null : '' };
  };
  return { name, days, step };
}
