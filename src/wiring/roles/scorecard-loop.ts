import { setTimeout as delay } from 'node:timers/promises';
import { dayIn } from '../../domain/books/posting-month.js';
import { describeError } from '../../records/database/database-errors.js';
import { countMonth } from '../../records/scorecard/scorecard.js';
import { countSettings } from '../reconcile-settings.js';
import type { Runtime } from '../runtime.js';

const EVERY_MS = 600_000;
const SETTLED_MS = 5 * 86_400_000;

/** Counts this month for the scorecard, and the one before while its last days may change, until the signal. Never throws. */
export async function scorecardLoop(
  { db, log, now, config }: Pick<Runtime, 'db' | 'log' | 'now' | 'config'>,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    const settings = { ...countSettings(config), signal };
    const monthAt = (at: number) => dayIn(settings.timeZone, at).slice(0, 7);
    const at = now();
    try {
      for (const month of new Set([monthAt(at.getTime() - SETTLED_MS), monthAt(at.getTime())]))
        await countMonth(db, month, at, settings);
    } catch (error) {
      if (!signal.aborted) log.warn({ error: describeError(error) }, 'scorecard not counted');
    }
    await delay(EVERY_MS, undefined, { signal }).catch(() => {});
  }
}
