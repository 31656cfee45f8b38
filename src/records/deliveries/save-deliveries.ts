import type { Knex } from 'knex';
import { snakeCase } from '../../domain/records.js';
import { arrayText } from '../database/array-parameter.js';
import { columnOf, raw, tableOf } from '../database/statements.js';
import { PRUNED_DETAILS } from '../retention/delete-rows.js';
import type { ClassifiedDelivery } from './classify-deliveries.js';
import { mentionText } from './deliveries.js';

/** When the deliveries were read, ms of the service's clock, and in which run. */
interface ReadIn {
  from: number;
  run: string;
}

type Saved = ReturnType<typeof savedRow>;

/** A row of the table, flat; times are in ms. */
function savedRow({ delivery, verdict, classifyAt, ...classified }: ClassifiedDelivery, read: ReadIn) {
  const { event, mentions, shownIn, ...shown } = delivery;
  const { from, run } = shownIn ?? read;
  return {
    ...shown,
    ...classified,
    ...verdict,
    eventKey: event?.key ?? null,
    contentHash: event?.contentHash ?? null,
    eventTimestamp: event?.timestamp ?? null,
    mentions: arrayText(mentions.map(mentionText)),
    judgeAt: classifyAt,
    pollFrom: Math.floor(from),
    pollRef: run,
  };
}

const TIMES = ['lastAttemptAt', 'nextRetryAt', 'createdAt', 'judgeAt'] as const satisfies (keyof Saved)[];
/** What is written, by the type in which it is sent. */
const fields = {
  text: [
    ...(['id', 'endpointId', 'endpointUrl', 'eventType', 'status', 'eventKey', 'contentHash', 'answeredId'] as const),
    ...(['answeredError', 'payload', 'payloadHash', 'details', 'class', 'reason', 'mentions', 'pollRef'] as const),
  ],
  integer: ['httpStatus', 'attempts'],
  bigint: ['inboxId', 'pollFrom'],
  float8: [...TIMES, 'eventTimestamp'],
  boolean: ['ours', 'missed', 'open'],
} as const satisfies Record<string, readonly (keyof Saved)[]>;

const columns = Object.fromEntries(
  Object.entries(fields).flatMap(([type, names]) =>
    names.map((name) => [snakeCase(name), [type as keyof typeof fields, (row: Saved) => row[name]] as const]),
  ),
);
const COLUMNS = Object.keys(columns);
const CASTS: Readonly<Record<string, string>> = {
  mentions: 'mentions::text[]',
  ...Object.fromEntries(TIMES.map(snakeCase).map((name) => [name, `to_timestamp(${name} / 1000)`])),
};
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
 * Writes what was classified and is not written already; what was only classified again keeps when it was read. Returns how many deliveries are new or of another class than before.
 */
export async function saveDeliveries(
  trx: Knex.Transaction,
  classified: readonly ClassifiedDelivery[],
  read: ReadIn,
): Promise<number> {
  if (classified.length === 0) return 0;
  const rows = [...new Map(classified.map((one) => [one.delivery.id, savedRow(one, read)])).values()];
  const saved = await columnOf<boolean>(trx)`
    INSERT INTO deliveries AS known (${NAMES})
    SELECT ${CAST} FROM ${tableOf('new', rows, columns)} ORDER BY id
    ON CONFLICT (id) DO UPDATE SET ${CHANGES},
      class_since = CASE WHEN known.class = excluded.class THEN known.class_since ELSE now() END
    WHERE (${BEFORE}) IS DISTINCT FROM (${AFTER})
    RETURNING xmax = 0 OR class_since = now() AS changed`;
  return saved.filter((changed) => changed).length;
}
