import type { Knex } from 'knex';
import type { Sandbox } from '../../src/sandbox/start-sandbox.js';
import { loggedDeliveries, wasAcknowledged } from './deliveries.js';
import { isLong, until } from './drill.js';
import type { Load } from './load.js';

export interface Progress {
  /** Rows of the inbox. */
  stored: number;
  applied: number;
}

export async function progress(db: Knex): Promise<Progress> {
  const { rows } = await db.raw<{ rows: [Progress] }>(
    `SELECT count(*)::int AS stored, (count(*) FILTER (WHERE status = 'applied'))::int AS applied FROM inbox`,
  );
  return rows[0];
}

/** Waits until the service has no delivery left to try and every event in the inbox is done with. */
export async function settle(
  { db, sandbox }: { db: Knex; sandbox: Sandbox },
  limit: { timeoutMs?: number } = {},
): Promise<void> {
  await until(
    'every delivery has ended',
    async () => {
      await sandbox.control.deliveriesIdle();
      const pending = (await loggedDeliveries(sandbox)).filter(({ status }) => status === 'pending');
      return pending.length === 0 || `${pending.length} pending`;
    },
    { intervalMs: isLong ? 5_000 : 500, ...limit },
  );
  await until(
    'every event is applied',
    async () => {
      const { stored, applied } = await progress(db);
      return applied === stored || `${applied} of ${stored}`;
    },
    limit,
  );
}

/** What is wrong after a drill; every list empty where nothing is. */
export interface Faulty {
  /** Answered 200, and not in the inbox with the content that was sent. */
  lost: string[];
  /** In the inbox, and not `applied`. */
  unapplied: string[];
  /** Changes that happened twice, or that do not continue the one before. */
  repeated: string[];
  /** Payments of which neither is shown nor reported that they are in the state that the service shows. */
  differing: string[];
}

/** Holds inbox, changes and records against what the service knows. To be asked once everything settled. */
export async function reckon({ db, sandbox, load }: { db: Knex; sandbox: Sandbox; load: Load }): Promise<Faulty> {
  return {
    lost: few(await lostDeliveries(db, sandbox)),
    unapplied: few(await db('inbox').whereNot({ status: 'applied' }).pluck('id')),
    repeated: few(await repeatedChanges(db)),
    differing: few(await differingPayments(db, sandbox, load)),
  };
}

/** As many as a person reads. */
function few(found: string[]): string[] {
  return found.length > 5 ? [...found.slice(0, 5), `… ${found.length} in all`] : found;
}

/** Answered 200, and not in the inbox with the content that was sent; the time of a retry may be newer than that stored. */
export async function lostDeliveries(db: Knex, sandbox: Sandbox): Promise<string[]> {
  const acknowledged = (await loggedDeliveries(sandbox)).filter(wasAcknowledged);
  const rows: { id: string; body: Buffer }[] = await db('inbox').select('id', 'body');
  const bodies = new Map(rows.map(({ id, body }) => [id, contentOf(JSON.parse(body.toString('utf8')))]));
  return acknowledged
    .filter(({ inboxId, payload }) => bodies.get(inboxId ?? '') !== contentOf(payload))
    .map(({ id, eventType }) => `${eventType} ${id}`);
}

const contentOf = (envelope: object): string => JSON.stringify({ ...envelope, timestamp: 0 });

/** States of a payment that stand equally far on: none of them releases anything. */
const ENDED = ['"unmatched"', '"expired"', '"cancelled"'];

/**
 * Each change begins where the one before it ended, and a state is left and entered once, but for this: events name whole
 * seconds, and a retry may name its own: of two of one second, or of two that stand equally far on, one is shown until a reading
 * says which of them it was. An order is derived from several records that are heard of one after the other: of its states
 * only "paid", which releases, is entered once. Fields in another order are no change. What is otherwise is shown with its story.
 */
export async function repeatedChanges(db: Knex): Promise<string[]> {
  const { rows } = await db.raw<{ rows: { what: string; story: string }[] }>(
    `WITH steps AS (
       SELECT seq, entity_kind, entity_kind || ' ' || entity_id || ' ' || field AS what, from_value, to_value, field, source_type, source_ref,
              service_time, changed_at,
              lag(to_value) OVER history AS before,
              lag(from_value) OVER history AS before_that,
              entity_kind = 'order' AND field IN ('paymentIntents', 'invoices', 'refunds') AS is_list,
              row_number() OVER history AS place,
              row_number() OVER (PARTITION BY entity_kind, entity_id, field, to_value ORDER BY seq) AS entered,
              source_type = 'poll' AND lag(source_type) OVER history IN ('webhook', 'delivery_history')
                AND (lag(service_time) OVER history < lag(service_time, 2) OVER history + interval '2 seconds'
                  OR (from_value = ANY (?) AND to_value = ANY (?))) AS corrects
       FROM changes WINDOW history AS (PARTITION BY entity_kind, entity_id, field ORDER BY seq)
     )
     SELECT what, string_agg(concat_ws(' ', seq, from_value, '→', to_value, 'by', source_type, source_ref, 'of', service_time, 'at',
                                       changed_at), '; ' ORDER BY seq) AS story
     FROM steps GROUP BY what
     HAVING bool_or((place > 1 AND NOT is_list AND before::jsonb IS DISTINCT FROM from_value::jsonb)
       OR (place > 1 AND is_list AND (before, before_that) IS NOT DISTINCT FROM (to_value, from_value))
       OR (field IN ('*', 'status') AND entered > 1 AND corrects IS NOT TRUE AND (entity_kind <> 'order' OR to_value = '"paid"')))`,
    [ENDED, ENDED],
  );
  return rows.map(({ what, story }) => `${what}: ${story}`);
}

/** Of each payment the newest that is known: what a poll showed, or what a webhook reported since. */
async function differingPayments(db: Knex, { control }: Sandbox, { payments }: Load): Promise<string[]> {
  const { rows } = await db.raw<{ rows: { id: string; status: string; irregular_status: string }[] }>(
    `SELECT id, coalesce(reported::jsonb ->> 'status', status) AS status,
       coalesce(reported::jsonb ->> 'irregularStatus', irregular_status) AS irregular_status FROM payment_intents`,
  );
  const ours = new Map(rows.map((row) => [row.id, `${row.status}/${row.irregular_status}`]));
  return [...payments.keys()].flatMap((id) => {
    const record = control.paymentIntent(id);
    const theirs = `${String(record?.['status'])}/${String(record?.['irregularStatus'])}`;
    return ours.get(id) === theirs ? [] : [`${id}: ours ${ours.get(id)}, theirs ${theirs}`];
  });
}

/** Orders that are not what their customers made of them. After every payment was read. */
export function differingOrders(db: Knex, { payments }: Load): Promise<string[]> {
  return differingStatuses(
    db,
    [...payments.values()].map(({ reference, order }) => [reference, order]),
  );
}

/** The same for references and what their orders have to be. */
export async function differingStatuses(db: Knex, expected: (readonly [string, string])[]): Promise<string[]> {
  const orders: { reference: string; status: string }[] = await db('orders').select('reference', 'status');
  const ours = new Map(orders.map(({ reference, status }) => [reference, status]));
  return expected
    .filter(([reference, status]) => ours.get(reference) !== status)
    .map(([reference, status]) => `${reference}: ours ${ours.get(reference)}, true ${status}`);
}
