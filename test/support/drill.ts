import { setTimeout as delay } from 'node:timers/promises';
import { isAll, isLong } from './sizes.js';

export { isAll, isLong };

/** For a whole drill: a machine that does ten other things needs this, and nobody waits for it otherwise. */
export const DRILL_MS = isLong ? 45 * 60_000 : 240_000;

/** For one step of it. */
export const STEP_MS = isLong ? 15 * 60_000 : 120_000;

/** Polls until the condition holds; fails with what was waited for, and with what the condition last said or threw. */
export async function until(
  what: string,
  holds: () => unknown,
  { timeoutMs = STEP_MS, intervalMs = 50 }: { timeoutMs?: number; intervalMs?: number } = {},
): Promise<void> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    const outcome = await attempt(holds);
    if (outcome === true) return;
    if (performance.now() > deadline) {
      throw new Error(`not in ${timeoutMs / 1000} s: ${what}; last: ${describe(outcome)}`);
    }
    await delay(intervalMs);
  }
}

/** The one line in which a drill prints its numbers. */
export function report(drill: string, numbers: Record<string, number | string>): void {
  const parts = Object.entries(numbers).map(([name, value]) => `${name} ${value}`);
  process.stderr.write(`${drill}: ${parts.join(' · ')}\n`);
}

async function attempt(holds: () => unknown): Promise<unknown> {
  try {
    return await holds();
  } catch (error) {
    return error;
  }
}

function describe(outcome: unknown): string {
  return outcome instanceof Error ? outcome.message : (JSON.stringify(outcome) ?? String(outcome));
}
