import { createTask } from 'node-cron';
import { cronVariable } from '../config/cron-variables.js';
import type { Config } from '../config.js';
import { CRON_OFF, runKinds } from '../domain/run-kinds.js';
import type { Runtime } from './runtime.js';

export function cronsOf(config: Config): Record<string, string> {
  return Object.fromEntries(runKinds.map((kind) => [kind, config[cronVariable(kind)]]));
}

/** How far apart the runs of each kind are at most; a kind that is off is left out. */
export function runEverySeconds(config: Config): Record<string, number> {
  const on = Object.entries(cronsOf(config)).filter(([, cron]) => cron !== CRON_OFF);
  return Object.fromEntries(on.map(([kind, cron]) => [kind, longestGap(cron)]));
}

/** Shows in the metrics how old a proof of each kind may become; also where no scheduler runs, so that its silence is noticed. */
export function showIntervals({ config, metrics }: Pick<Runtime, 'config' | 'metrics'>): void {
  for (const [kind, seconds] of Object.entries(runEverySeconds(config)))
    metrics.reconcileInterval.set({ kind }, seconds);
}

const NEXT_RUNS = 20;

function longestGap(cron: string): number {
  const task = createTask(cron, () => {});
  const times = task.getNextRuns(NEXT_RUNS).map((at) => at.getTime());
  void task.destroy();
  const gaps = times.slice(1).map((at, index) => (at - (times[index] ?? at)) / 1_000);
  return Math.max(...gaps, 0);
}
