import { setTimeout as delay } from 'node:timers/promises';
import { TimeoutStrategy, timeout } from 'cockatiel';
import type { Logger } from '../log.js';
import { openClient } from '../records/database/examine-database.js';
import { isRowId } from '../records/database/paging.js';
import { repeat, untilClosed } from '../records/database/repeat.js';
import { ANNOUNCED } from '../records/inbox/inbox.js';
import { logSeldom } from './log-seldom.js';

/** Among the advisory locks: whoever holds it listens. */
export const LISTENER: readonly number[] = [0x7448, 1];
/** A worker that stands still, or whose machine is gone, leaves it to another after so long. */
const IDLE_MS = 30_000;
const PULSE_MS = 5_000;

const inTime = timeout(PULSE_MS, TimeoutStrategy.Aggressive);

export interface HearDeps {
  /** Where sessions last: DATABASE_DIRECT_URL. */
  databaseUrl: string;
  log: Logger;
  /** How often a worker looks whether nobody listens, and the one that does whether its connection is there. */
  listenEveryMs?: number;
}

/**
 * Hears of events as soon as they are stored. Of all workers one listens at a time, so that no two take the same events; when it
 * is gone another does, and until then jobs speak of them.
 */
export function hearEvents(
  { databaseUrl, log, listenEveryMs = PULSE_MS }: HearDeps,
  onEvents: (ids: string[]) => void,
): { close(): Promise<void> } {
  const failed = logSeldom(log, 'events not heard');
  return untilClosed((signal) =>
    repeat({ signal, everyMs: listenEveryMs, failed }, () =>
      listen({ databaseUrl, everyMs: listenEveryMs, signal }, onEvents),
    ),
  );
}

/** Returns where another worker listens; throws when the connection is gone, or `signal` aborts. */
async function listen(
  { databaseUrl, everyMs, signal }: { databaseUrl: string; everyMs: number; signal: AbortSignal },
  onEvents: (ids: string[]) => void,
): Promise<void> {
  const client = await openClient(databaseUrl, { application_name: 'tallyhook events', query_timeout: PULSE_MS });
  try {
    const { rows } = await client.query('SELECT pg_try_advisory_lock($1, $2) AS held', [...LISTENER]);
    if (!rows[0]?.held) return;
    client.on('notification', ({ payload = '' }) => onEvents(payload.split(',').filter(isRowId)));
    await client.query(`SET idle_session_timeout = ${IDLE_MS}; LISTEN ${ANNOUNCED}`);
    for (;;) {
      await delay(everyMs, undefined, { signal });
      await client.query('SELECT 1');
    }
  } finally {
    await inTime.execute(() => client.end()).catch(() => {});
  }
}
