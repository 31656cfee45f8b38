import type { Knex } from 'knex';
import { createLog } from '../../../src/log.js';
import {
  applyRetention,
  type RetentionOptions,
  type RetentionReport,
} from '../../../src/records/retention/apply-retention.js';
import type { RetentionDays } from '../../../src/records/retention/delete-rows.js';

const days: RetentionDays = { body: 90, keys: 400, personal: 400 };
export const log = createLog('silent');

/** Retention as it will be run in so many days. */
export function pruneIn(db: Knex, inDays: number, options: RetentionOptions = {}): Promise<RetentionReport> {
  const now = () => new Date(Date.now() + inDays * 86_400_000);
  return applyRetention({ db, log, now, days }, { pauseMs: 0, ...options });
}

/** Makes the rows arrive so many days ago. */
export async function age(db: Knex, ids: readonly string[], daysAgo: number): Promise<void> {
  const at = new Date(Date.now() - daysAgo * 86_400_000);
  await db('inbox')
    .whereIn('id', [...ids])
    .update({ received_at: at, last_arrival_at: at });
}
