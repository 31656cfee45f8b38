import { setTimeout as delay } from 'node:timers/promises';
import type { Knex } from 'knex';
import type { Logger } from '../log.js';
import { giveSign, type LivingPart } from '../records/alerts/signs-of-life.js';
import { describeError } from '../records/database/database-errors.js';

const EVERY_MS = 15_000;

/** Lets the leader know that these parts are at work, several times a minute until the signal. Never throws. */
export async function giveSigns(
  { db, log }: { db: Knex; log: Logger },
  parts: readonly LivingPart[],
  signal: AbortSignal,
): Promise<void> {
  if (parts.length === 0) return;
  while (!signal.aborted) {
    await giveSign(db, parts).catch((error: unknown) =>
      log.debug({ error: describeError(error) }, 'no sign of life could be given; it is tried again'),
    );
    await delay(EVERY_MS, undefined, { signal, ref: false }).catch(() => {});
  }
}
