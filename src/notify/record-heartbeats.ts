import { setTimeout as delay } from 'node:timers/promises';
import type { Knex } from 'knex';
import type { Logger } from '../log.js';
import { recordSettings, type SharedSettings } from '../records/alerts/process-settings.js';
import { describeError } from '../records/database/database-errors.js';
import { type LivingPart, NO_SECRET, recordHeartbeat } from '../records/process-heartbeats.js';

const EVERY_MS = 15_000;

interface Heartbeats {
  /** Whose silence is an alert. */
  parts: readonly LivingPart[];
  /** All of this process. */
  roles: readonly string[];
  settings: SharedSettings;
  /** Of a receiver: those that it accepts now. */
  secrets?: { current(): readonly unknown[] } | undefined;
}

/** Lets the leader know what is at work, and with which settings, several times a minute until the signal. Never throws. */
export async function recordHeartbeats(
  { db, log }: { db: Knex; log: Logger },
  { parts, roles, settings, secrets }: Heartbeats,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    const noSecret = secrets?.current().length === 0 ? ([NO_SECRET] as const) : [];
    const heartbeats = [recordHeartbeat(db, [...parts, ...noSecret]), recordSettings(db, roles, settings)];
    await Promise.all(heartbeats).catch((error: unknown) =>
      log.debug({ error: describeError(error) }, 'process heartbeat not saved'),
    );
    await delay(EVERY_MS, undefined, { signal, ref: false }).catch(() => {});
  }
}
