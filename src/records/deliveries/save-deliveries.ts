import { arrayText } from '../database/array-parameter.js';
import { columnOf, raw, type Trx, tableOf } from '../database/statements.js';
import { PRUNED_DETAILS } from '../retention/delete-rows.js';
import type { ClassifiedDelivery } from './classify-deliveries.js';
import { mentionText } from './deliveries.js';

/** With when it was read. */
type Saved = ClassifiedDelivery & { from: number; run: string };

const columns = {
  id: ['text', ({ delivery }: Saved) => delivery.id],
  endpoint_id: ['text', ({ delivery }: Saved) => delivery.endpointId],
  endpoint_url: ['text', ({ delivery }: Saved) => delivery.endpointUrl],
  event_type: ['text', ({ delivery }: Saved) => delivery.eventType],
  status: ['text', ({ delivery }: Saved) => delivery.status],
  event_key: ['text', ({ delivery }: Saved) => delivery.event?.key ?? null],
  content_hash: ['text', ({ delivery }: Saved) => delivery.event?.contentHash ?? null],
  answered_id: ['text', ({ delivery }: Saved) => delivery.answeredId],
  answered_error: ['text', ({ delivery }: Saved) => delivery.answeredError],
  payload: 'text',
  payload_hash: ['text', ({ delivery }: Saved) => delivery.payloadHash],
  details: ['text', ({ delivery }: Saved) => delivery.details],
  class: ['text', ({ verdict }: Saved) => verdict.class],
  reason: 'text',
  inbox_id: ['text', ({ inboxId }: Saved) => inboxId],
  payment_intent_id: ['text', ({ delivery }: Saved) => delivery.paymentIntentId],
  mentions: ['text', ({ delivery }: Saved) => arrayText(delivery.mentions.map(mentionText))],
  poll_ref: ['text', ({ run }: Saved) => run],
  http_status: ['float8', ({ delivery }: Saved) => delivery.httpStatus],
  attempts: ['float8', ({ delivery }: Saved) => delivery.attempts],
  last_attempt_at: ['float8', ({ delivery }: Saved) => delivery.lastAttemptAt],
  next_retry_at: ['float8', ({ delivery }: Saved) => delivery.nextRetryAt],
  created_at: ['float8', ({ delivery }: Saved) => delivery.createdAt],
  event_timestamp: ['float8', ({ delivery }: Saved) => delivery.event?.timestamp ?? null],
  judge_at: ['float8', ({ classifyAt }: Saved) => classifyAt],
  poll_from: ['float8', ({ from }: Saved) => Math.floor(from)],
  ours: 'boolean',
  missed: ['boolean', ({ verdict }: Saved) => verdict.missed],
  open: ['boolean', ({ verdict }: Saved) => verdict.open],
} as const;

const CASTS: Readonly<Record<string, string>> = {
  inbox_id: 'inbox_id::bigint',
  mentions: 'mentions::text[]',
  http_status: 'http_status::integer',
  attempts: 'attempts::integer',
  last_attempt_at: 'to_timestamp(last_attempt_at / 1000)',
  next_retry_at: 'to_timestamp(next_retry_at / 1000)',
  created_at: 'to_timestamp(created_at / 1000)',
  judge_at: 'to_timestamp(judge_at / 1000)',
  poll_from: 'poll_from::bigint',
};
const COLUMNS = Object.keys(columns);
/** What a poll may change; that it was read once more is not worth a write. */
const SHOWN = COLUMNS.filter((name) => !['id', 'poll_from', 'poll_ref'].includes(name));

/** What was deleted by its age does not come back with a later poll. */
const KEPT: Readonly<Record<string, string>> = {
  details: `CASE WHEN known.details = '${PRUNED_DETAILS}' THEN known.details ELSE excluded.details END`,
  payload: `CASE WHEN known.details = '${PRUNED_DETAILS}' AND NOT excluded.open THEN NULL ELSE excluded.payload END`,
};
const newOf = (name: string) => KEPT[name] ?? `excluded.${name}`;

const listOf = (names: readonly string[], read: (name: string) => string) => raw(names.map(read).join(', '));
const NAMES = listOf(COLUMNS, (name) => name);
const CAST = listOf(COLUMNS, (name) => CASTS[name] ?? name);
const CHANGES = listOf(COLUMNS.slice(1), (name) => `${name} = ${newOf(name)}`);
const BEFORE = listOf(SHOWN, (name) => `known.${name}`);
const AFTER = listOf(SHOWN, newOf);

/**
 * Writes what was classified and is not written already; what was only classified again keeps when it was read. `read`: when,
 * ms of the service's clock, and in which run. Returns how many deliveries are new or of another class than before.
 */
export async function saveDeliveries(
  trx: Trx,
  classified: readonly ClassifiedDelivery[],
  read: { from: number; ref: string },
): Promise<number> {
  if (classified.length === 0) return 0;
  const rows = [...new Map(classified.map((one) => [one.delivery.id, one])).values()].map((one): Saved => {
    return { ...one, ...(one.delivery.shownIn ?? { from: read.from, run: read.ref }) };
  });
  const saved = await columnOf<boolean>(trx)`
    INSERT INTO deliveries AS known (${NAMES})
    SELECT ${CAST} FROM ${tableOf('new', rows, columns)} ORDER BY id
    ON CONFLICT (id) DO UPDATE SET ${CHANGES},
      class_since = CASE WHEN known.class = excluded.class THEN known.class_since ELSE now() END
    WHERE (${BEFORE}) IS DISTINCT FROM (${AFTER})
    RETURNING xmax = 0 OR class_since = now() AS changed`;
  return saved.filter((changed) => changed).length;
}
