import type { Knex } from 'knex';
import { isOver } from '../../domain/state/state.js';
import { backSince, serviceOutage } from '../gauges.js';
import { processHeartbeats } from '../process-heartbeats.js';

interface Row {
  name: string;
  seen_at: Date;
  resolved_at: Date | null;
}

/** Which alerts nobody sees any more, and end within minutes. */
export async function overNow(db: Knex, now = new Date()): Promise<(row: Row) => boolean> {
  const parts = await processHeartbeats(db);
  const back = await backSince(db, now, await serviceOutage(db, now));
  return ({ name, seen_at: seenAt, resolved_at: resolvedAt }) =>
    resolvedAt === null && isOver({ name, seenAt }, { parts, serviceBack: back }, now);
}
