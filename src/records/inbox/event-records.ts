import type { Knex } from 'knex';
import { familyKinds, namedIn, referenceOf } from '../../domain/family/links.js';
import type { Observation } from '../../domain/observation.js';
import { textArray } from '../database/array-parameter.js';
import { usableId } from '../database/database-text.js';
import type { Filters } from '../database/paging.js';
import { prepared, rowsOf } from '../database/statements.js';

/** An event, by its row in the inbox, and what it says. */
interface Speaking {
  id: string;
  observations: readonly Observation[];
}

interface Named {
  kind: string;
  id: string;
}

/** Keeps which orders, payments, payins, invoices and payouts each event names; what is kept already stays. */
export async function saveEventRecords(db: Knex, events: readonly Speaking[]): Promise<void> {
  const rows = events.flatMap(({ id: event, observations }) => {
    const named = observations.flatMap(namedBy).filter(({ id }) => usableId(id) !== null);
    return [...new Map(named.map((one) => [`${one.kind} ${one.id}`, { ...one, event }])).values()];
  });
  if (rows.length === 0) return;
  await prepared(
    db,
    'insert event records',
    `INSERT INTO event_records (entity_kind, entity_id, inbox_id)
     SELECT * FROM unnest(?::text[], ?::text[], ?::bigint[]) ON CONFLICT DO NOTHING`,
    [textArray(rows.map(({ kind }) => kind)), textArray(rows.map(({ id }) => id)), rows.map(({ event }) => event)],
  );
}

function namedBy(observation: Observation): Named[] {
  const { id } = observation;
  const kind = familyKinds.find((known) => known === observation.kind);
  if (kind === undefined) return [];
  if (!('fields' in observation)) return [{ kind, id }];
  const { fields } = observation;
  const reference = referenceOf(fields);
  return [
    { kind, id },
    ...namedIn(kind, fields, 'payment_intent').map((payment) => ({ kind: 'payment_intent', id: payment })),
    ...(reference === null ? [] : [{ kind: 'order', id: reference }]),
  ];
}

export type RecordFilters = Filters<'paymentIntentId' | 'reference'>;

/** Leaves events that name the payment, and those that name the order or one of its records. */
export async function narrowToRecords(db: Knex, query: Knex.QueryBuilder, asked: RecordFilters): Promise<void> {
  const { paymentIntentId, reference } = asked;
  if (paymentIntentId !== undefined) narrow(query, [{ kind: 'payment_intent', id: paymentIntentId }]);
  if (reference !== undefined) narrow(query, [{ kind: 'order', id: reference }, ...(await recordsOf(db, reference))]);
}

/** An array, so that the few are found first: walking the list for them would read all of it. */
function narrow(query: Knex.QueryBuilder, named: readonly Named[]): void {
  void query.whereRaw(
    `id = ANY (ARRAY(SELECT inbox_id FROM event_records
       JOIN unnest(?::text[], ?::text[]) AS named (kind, id) ON entity_kind = named.kind AND entity_id = named.id))`,
    [textArray(named.map(({ kind }) => kind)), textArray(named.map(({ id }) => id))],
  );
}

/** Those of its page: its own, and the payments that reports alone call paid for it. */
function recordsOf(db: Knex, reference: string): Promise<Named[]> {
  return rowsOf<Named>(db)`
    WITH asked AS MATERIALIZED (SELECT * FROM orders WHERE reference = ${reference})
    SELECT 'payment_intent' AS kind, unnest(payment_intents) AS id FROM asked
    UNION SELECT 'invoice', unnest(invoices) FROM asked
    UNION SELECT 'payout', unnest(refunds) FROM asked
    UNION SELECT kind, id FROM family_links
      WHERE kind = 'payin' AND payment_intent_id = ANY (ARRAY(SELECT unnest(payment_intents) FROM asked))
    UNION SELECT 'payment_intent', id FROM payment_intents
      WHERE reported_reference = ${reference} AND reported_paid AND NOT known AND absent_since IS NULL`;
}
