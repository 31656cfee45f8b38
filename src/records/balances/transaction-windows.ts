import type { Knex } from 'knex';

interface WindowRow {
  proof: string;
  from_ms: string;
  to_ms: string;
}

/** An interval of creation times, ms. */
interface TimeWindow {
  from: number;
  to: number;
}

/** The windows of the feed that were read whole, by how that was proven. */
export async function feedWindows(db: Knex, proof: string): Promise<TimeWindow[]> {
  const rows = await db<WindowRow>('feed_windows').where({ proof }).orderBy('from_ms');
  return rows.map((row) => ({ from: Number(row.from_ms), to: Number(row.to_ms) }));
}

/** Puts one window in the place of those that it absorbed. */
export async function replaceFeedWindows(
  trx: Knex.Transaction,
  proof: string,
  window: TimeWindow,
  absorbed: readonly TimeWindow[],
): Promise<void> {
  const starts = [window, ...absorbed].map(({ from }) => String(from));
  await trx('feed_windows').where({ proof }).whereIn('from_ms', starts).delete();
  await trx('feed_windows').insert({ proof, from_ms: window.from, to_ms: window.to });
}
