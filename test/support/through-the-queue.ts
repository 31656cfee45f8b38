import type { Knex } from 'knex';
import { until } from './drill.js';
import type { Load } from './load.js';
import { progress } from './reckoning.js';

/** Less than the sweep of the inbox waits: an event this quick came through the queue. */
const QUICK_MS = 1_900;

/** Recovery is proven by an event that is applied sooner than the sweep would find it. */
export async function throughTheQueue(what: string, { db, load }: { db: Knex; load: Load }): Promise<void> {
  await until(`an event goes through the queue after: ${what}`, async () => {
    load.send(1);
    await until('it is applied', () => isApplied({ db, load }), { intervalMs: 5 });
    const { rows } = await db.raw<{ rows: [{ ms: number }] }>(
      'SELECT extract(epoch FROM max(applied_at) - max(received_at))::float8 * 1000 AS ms FROM inbox',
    );
    return rows[0].ms < QUICK_MS || `${rows[0].ms} ms`;
  });
}

/** Whether every event that was made is. */
export async function isApplied({ db, load }: { db: Knex; load: Load }): Promise<true | string> {
  const { stored, applied } = await progress(db);
  return (stored === load.events() && applied === stored) || `${applied} of ${stored} of ${load.events()}`;
}
