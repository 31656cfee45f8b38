import { setTimeout as delay } from 'node:timers/promises';
import type { Knex } from 'knex';
import type { Logger } from '../log.js';
import { recordSettings, type SharedSettings } from '../records/alerts/process-settings.js';
import { describeError } from '../records/database/database-errors.js';
import { type LivingPart, notesOf, recordHeartbeat } from '../records/process-heartbeats.js';

const EVERY_MS = 15_000;

interface Heartbeats {
  /** Whose silence is an alert. */
  parts: readonly LivingPart[];
  /** All of this process. */
  roles: readonly string[];
  settings: SharedSettings;
  /** Of a receiver: those that it accepts now, and whether it has them from a file. */
  secrets?: { current(): readonly unknown[] } | undefined;
  fromFile?: boolean;
}

/** Lets the leader know what is at work, and with which settings, several times a minute until the signal. Never throws. */
export async function recordHeartbeats(
  { db, log }: { db: Knex; log: Logger },
  { parts, roles, settings, secrets, fromFile = false }: Heartbeats,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    const own = secrets && notesOf({ accepted: secrets.current().length, fromFile });
    const heartbeats = [recordHeartbeat(db, [...parts, ...(own ?? [])]), recordSettings(db, roles, settings)];
    await Promise.all(heartbeats).catch((error: unknown) =>
      log.debug({ error: describeError(error) }, 'process heartbeat not saved'),
    );
    await delay(EVERY_MS, undefined, { signal, ref: false }).catch(() => {});
  }
}
