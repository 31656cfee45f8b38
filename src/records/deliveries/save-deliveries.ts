import type { Knex } from 'knex';
import { arrayText, booleanArray, floatArray, textArray } from '../database/array-parameter.js';
import { PRUNED_DETAILS } from '../retention/delete-rows.js';
import type { ClassifiedDelivery } from './classify-deliveries.js';
import { mentionText } from './deliveries.js';

/** When the deliveries were read, ms of the service's clock, and in which run. */
interface ReadIn {
  from: number;
  ref: string;
}

const TEXTS = [
  'id',
  'endpoint_id',
  'endpoint_url',
  'event_type',
  'status',
  'event_key',
  'content_hash',
  'answered_id',
  'answered_error',
  'payload',
  'payload_hash',
  'details',
  'class',
  'reason',
  'inbox_id',
  'mentions',
  'poll_ref',
] as const;
const NUMBERS = [
  'http_status',
  'attempts',
  'last_attempt_at',
  'next_retry_at',
  'created_at',
  'event_timestamp',
  'judge_at',
  'poll_from',
] as const;
const FLAGS = ['ours', 'missed', 'open'] as const;
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
const COLUMNS = [...TEXTS, ...NUMBERS, ...FLAGS];
/** What a poll may change; that it was read once more is not worth a write. */
const SHOWN = COLUMNS.filter((name) => !['id', 'poll_from', 'poll_ref'].includes(name));

/** What was deleted by its age does not come back with a later poll. */
const KEPT: Readonly<Record<string, string>> = {
  details: `CASE WHEN known.details = '${PRUNED_DETAILS}' THEN known.details ELSE excluded.details END`,
  payload: `CASE WHEN known.details = '${PRUNED_DETAILS}' AND NOT excluded.open THEN NULL ELSE excluded.payload END`,
};
const newOf = (name: string) => KEPT[name] ?? `excluded.${name}`;

const SAVE = `
INSERT INTO deliveries AS known (${COLUMNS.join(', ')})
SELECT ${COLUMNS.map((name) => CASTS[name] ?? name).join(', ')}
FROM unnest(${[...TEXTS.map(() => '?::text[]'), ...NUMBERS.map(() => '?::float8[]'), ...FLAGS.map(() => '?::boolean[]')].join(', ')})
  AS new (${COLUMNS.join(', ')})
ORDER BY id
ON CONFLICT (id) DO UPDATE SET
  ${COLUMNS.filter((name) => name !== 'id')
    .map((name) => `${name} = ${newOf(name)}`)
    .join(', ')},
  class_since = CASE WHEN known.class = excluded.class THEN known.class_since ELSE now() END
WHERE (${SHOWN.map((name) => `known.${name}`).join(', ')})
  IS DISTINCT FROM (${SHOWN.map(newOf).join(', ')})
RETURNING xmax = 0 OR class_since = now() AS changed`;

/**
 * Writes what was classified and is not written already; what was only classified again keeps when it was read. Returns how many deliveries are new or of another class than before.
 */
export async function saveDeliveries(
  trx: Knex.Transaction,
  classified: readonly ClassifiedDelivery[],
  read: ReadIn,
): Promise<number> {
  if (classified.length === 0) return 0;
  const rows = [...new Map(classified.map((one) => [one.delivery.id, one])).values()].map((one) => valuesOf(one, read));
  const parameters = [
    ...TEXTS.map((name) => textArray(rows.map((row) => row[name]))),
    ...NUMBERS.map((name) => floatArray(rows.map((row) => row[name]))),
    ...FLAGS.map((name) => booleanArray(rows.map((row) => row[name]))),
  ];
  const saved = await trx.raw<{ rows: { changed: boolean }[] }>(SAVE, parameters);
  return saved.rows.filter(({ changed }) => changed).length;
}

function valuesOf({ delivery, verdict, ours, inboxId, payload, reason, classifyAt }: ClassifiedDelivery, read: ReadIn) {
  const { from, run } = delivery.shownIn ?? { from: read.from, run: read.ref };
  return {
    id: delivery.id,
    endpoint_id: delivery.endpointId,
    endpoint_url: delivery.endpointUrl,
    event_type: delivery.eventType,
    status: delivery.status,
    event_key: delivery.event?.key ?? null,
    content_hash: delivery.event?.contentHash ?? null,
    answered_id: delivery.answeredId,
    answered_error: delivery.answeredError,
    payload,
    payload_hash: delivery.payloadHash,
    details: delivery.details,
    class: verdict.class,
    reason,
    inbox_id: inboxId,
    mentions: arrayText(delivery.mentions.map(mentionText)),
    http_status: delivery.httpStatus,
    attempts: delivery.attempts,
    last_attempt_at: delivery.lastAttemptAt,
    next_retry_at: delivery.nextRetryAt,
    created_at: delivery.createdAt,
    event_timestamp: delivery.event?.timestamp ?? null,
    judge_at: classifyAt,
    poll_from: Math.floor(from),
    poll_ref: run,
    ours,
    missed: verdict.missed,
    open: verdict.open,
  };
}
