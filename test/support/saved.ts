import { isDeepStrictEqual } from 'node:util';
import type { Observation } from '../../src/domain/observation.js';
import type { OrderState } from '../../src/records/order-row.js';
import { deriveOrders } from '../../src/records/orders/derive-orders.js';
import { type SaveResult, saveObservations } from '../../src/records/saving/save-observations.js';
import type { SaveContext } from '../../src/records/stored-record.js';
import type { TestDatabase } from './database.js';
import { until } from './drill.js';
import { readPaid } from './observations.js';

export const context: SaveContext = {
  now: new Date('2026-03-01T01:00:00Z'),
  adoptedAt: new Date('2026-01-01T00:00:00Z'),
};

export function save(
  { db }: TestDatabase,
  observations: Observation[],
  overrides: Partial<SaveContext> = {},
): Promise<SaveResult> {
  return db.transaction((trx) => saveObservations(trx, observations, { ...context, ...overrides }));
}

/** A payment that the service's list shows as paid in full, and its payin; its order is `order-` and its id. */
export async function savePaid(database: TestDatabase, payment: string): Promise<void> {
  await save(database, readPaid(payment));
}

/** Saves the second while the transaction of the first is still open: neither can see the rows of the other. */
export async function saveOverlapping(
  database: TestDatabase,
  first: Observation[],
  second: Observation[],
): Promise<void> {
  const { db } = database;
  const open = await db.transaction();
  await saveObservations(open, first, context);
  let ended = false;
  const saving = save(database, second).finally(() => {
    ended = true;
  });
  const isWaiting = () =>
    db('pg_stat_activity').whereRaw("datname = current_database() AND wait_event_type = 'Lock'").first();
  await until('the second has ended, or waits', async () => ended || (await isWaiting()) !== undefined, {
    intervalMs: 2,
  });
  await open.commit();
  await saving;
}

/** All that the tables say, without the times that depend on when it was saved and by how many steps. */
export async function everything({ db }: TestDatabase) {
  const records = async (table: string) => {
    const rows = await db(table).orderBy('id');
    return rows.map(({ first_seen_at: _first, absent_since, poll, claims, shown, ...row }) => ({
      ...row,
      absent: absent_since !== null,
      poll: JSON.parse(poll ?? 'null'),
      claims: JSON.parse(claims),
      shown: JSON.parse(shown),
    }));
  };
  const orders = await db('orders').orderBy('reference');
  // What has passed is read again where it was asked for: that hangs on what came first.
  const marks = await db('reading_marks').whereNot({ lane: 'recheck' }).orderBy(['kind', 'id']);
  const breaks = await db('breaks').whereIn('status', ['open', 'acknowledged']).orderBy(['kind', 'entity_id']);
  return {
    intents: await records('payment_intents'),
    payins: await records('payins'),
    invoices: await records('invoices'),
    payouts: await records('payouts'),
    orders: orders.map(({ created_at: _created, updated_at: _updated, release_proven_at: _proven, ...row }) => row),
    marks: marks.map(({ kind, id }) => ({ kind, id })),
    breaks: breaks.map(({ kind, entity_kind, entity_id, severity }) => ({ kind, entity_kind, entity_id, severity })),
  };
}

/** Orders that are other than their records, as they stand now, say; that they were proven again later, by records that stayed the same, needs no word. */
export async function staleOrders({ db }: TestDatabase): Promise<unknown[]> {
  const orders: { reference: string }[] = await db('orders').select('reference');
  const touched = orders.map(({ reference }) => ({ reference, since: null }));
  const derived = await db.transaction((trx) => deriveOrders(trx, touched, [], context));
  return derived.flatMap(({ changed, before, after }) => {
    const [stood, now] = [before, after].map((row) => row?.release_proven_at?.getTime() ?? 0) as [number, number];
    const differs = Object.entries(after).some(
      ([name, value]) => name !== 'release_proven_at' && !isDeepStrictEqual(value, before?.[name as keyof OrderState]),
    );
    return changed && (differs || stood === 0 || stood > now) ? [{ before, after }] : [];
  });
}
