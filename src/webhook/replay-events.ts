import type { Knex } from 'knex';
import { reviveEvents } from '../records/inbox/inbox-work.js';
import type { EventQueue } from './queue.js';

/**
 * Has events applied once more, whatever became of them: failed, dead, unhandled by an older version, or applied, which
 * changes nothing. Returns the ids of those that exist.
 */
export async function replayEvents(
  deps: { db: Knex; queue: Pick<EventQueue, 'replay'> },
  ids: string[],
): Promise<string[]> {
  const revived = await reviveEvents(deps.db, ids);
  if (revived.length > 0) deps.queue.replay(revived);
  return revived;
}
