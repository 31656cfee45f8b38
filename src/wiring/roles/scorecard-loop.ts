import { setTimeout as delay } from 'node:timers/promises';
import { describeError } from '../../records/database/database-errors.js';
import { countMonth, monthsToCount } from '../../records/scorecard/scorecard.js';
import { countSettings } from '../reconcile-settings.js';
import type { Runtime } from '../runtime.js';

const EVERY_MS = 600_000;

/** Counts this month for the scorecard, and the one before while its last days may change, until the signal. Never throws. */
export async function scorecardLoop(
  { db, log, now, config }: Pick<Runtime, 'db' | 'log' | 'now' | 'config'>,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    const settings = { ...countSettings(config), signal };
    const at = now();
    try {
      for (const month of monthsToCount(at, settings.timeZone)) await countMonth(db, month, at, settings);
    } catch (error) {
      if (!signal.aborted) log.warn({ error: describeError(error) }, 'scorecard not counted');
    }
    await delay(EVERY_MS, undefined, { signal }).catch(() => {});
  }
}
