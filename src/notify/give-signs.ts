import { setTimeout as delay } from 'node:timers/promises';
import type { Knex } from 'knex';
import type { Logger } from '../log.js';
import { giveSettings, type SharedSettings } from '../records/alerts/setting-signs.js';
import { giveSign, type LivingPart, NO_SECRET } from '../records/alerts/signs-of-life.js';
import { describeError } from '../records/database/database-errors.js';

const EVERY_MS = 15_000;

interface Signs {
  /** Whose silence is an alert. */
  parts: readonly LivingPart[];
  /** All of this process. */
  roles: readonly string[];
  settings: SharedSettings;
  /** Of a receiver: those that it accepts now. */
  secrets?: { current(): readonly unknown[] } | undefined;
}

/** Lets the leader know what is at work, and with which settings, several times a minute until the signal. Never throws. */
export async function giveSigns(
  { db, log }: { db: Knex; log: Logger },
  { parts, roles, settings, secrets }: Signs,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    const noSecret = secrets?.current().length === 0 ? ([NO_SECRET] as const) : [];
    const signs = [giveSign(db, [...parts, ...noSecret]), giveSettings(db, roles, settings)];
    await Promise.all(signs).catch((error: unknown) =>
      log.debug({ error: describeError(error) }, 'process heartbeat not saved'),
    );
    await delay(EVERY_MS, undefined, { signal, ref: false }).catch(() => {});
  }
}
