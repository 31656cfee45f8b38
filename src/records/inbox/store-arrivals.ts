import type { Knex } from 'knex';
import { type Arrival, countRepeats, insertNew, type StoredArrival } from './inbox.js';

/**
 * Stores every arrival or throws; each answer belongs to the arrival at its place. Committed when it returns.
 * Storing the same again only counts it. Not for a transaction that locks inbox rows: it commits on its own.
 */
export async function storeArrivals(db: Knex, arrivals: readonly Arrival[]): Promise<StoredArrival[]> {
  if (arrivals.length === 0) return [];
  const stored = await insertNew(db, arrivals);
  const repeats = arrivals.filter((_, i) => stored[i] === null);
  const counted = await storeRepeats(db, repeats);
  let next = 0;
  return stored.map((answer) => answer ?? at(counted, next++));
}

/**
 * Counts arrivals whose key is there already. Under one event id there may stand another content: it is stored as a row
 * of its own, so that it is applied too, under the key `<key>#<contentHash>`; `duplicate` is true all the same.
 */
export async function storeRepeats(db: Knex, arrivals: readonly Arrival[]): Promise<StoredArrival[]> {
  if (arrivals.length === 0) return [];
  const rows = await countRepeats(db, arrivals);
  const others = arrivals.filter(({ key, contentHash }) => rows.get(key)?.content_hash !== contentHash);
  const variants = others.length === 0 ? [] : await storeVariants(db, others, rows);
  let next = 0;
  return arrivals.map(({ key, contentHash }) => {
    const row = rows.get(key);
    if (row?.content_hash !== contentHash) return at(variants, next++);
    return { id: row.id, duplicate: true, open: row.open };
  });
}

/** A variant's key holds its content, so a second round ends. A row that retention took meanwhile is stored afresh. */
async function storeVariants(
  db: Knex,
  arrivals: readonly Arrival[],
  rows: ReadonlyMap<string, unknown>,
): Promise<StoredArrival[]> {
  const stored = await storeArrivals(
    db,
    arrivals.map((arrival) => (rows.has(arrival.key) ? asVariant(arrival) : arrival)),
  );
  return stored.map((answer, i) => ({ ...answer, duplicate: answer.duplicate || rows.has(at(arrivals, i).key) }));
}

function asVariant(arrival: Arrival): Arrival {
  return { ...arrival, key: `${arrival.key}#${arrival.contentHash}` };
}

function at<T>(items: readonly T[], index: number): T {
  const item = items[index];
  if (item === undefined) throw new Error(`nothing at ${index} of ${items.length}`);
  return item;
}
