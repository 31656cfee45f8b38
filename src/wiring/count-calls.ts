import { outcomeOf } from '../domain/scorecard/call-outcomes.js';
import { addCallCounts, type CallCount } from '../records/scorecard/call-counts.js';
import { createWriteBehind } from '../webhook/batcher.js';
import { logSeldom } from '../webhook/log-seldom.js';
import type { Runtime } from './runtime.js';

const HOUR_MS = 3_600_000;

/** Counts attempts of calls by hour, operation and outcome, in memory; they are written once a second. Never waits. */
export function countCalls({
  db,
  log,
  now,
  closers,
}: Pick<Runtime, 'db' | 'log' | 'now'> & Partial<Pick<Runtime, 'closers'>>): {
  add(operation: string, status: number | 'no_answer'): void;
} {
  const failed = logSeldom(log, 'calls not counted');
  let counts = new Map<string, CallCount>();
  const addTo = (one: CallCount): void => {
    const key = `${one.hour.getTime()} ${one.operation} ${one.outcome}`;
    counts.set(key, { ...one, count: one.count + (counts.get(key)?.count ?? 0) });
  };
  const behind = createWriteBehind(async () => {
    const counted = [...counts.values()];
    if (counted.length === 0) return true;
    counts = new Map();
    try {
      await addCallCounts(db, counted);
      return true;
    } catch (error) {
      failed(error);
      for (const one of counted) addTo(one);
      return false;
    }
  });
  closers?.add('call counts', () => behind.close());
  return {
    add(operation, status) {
      const hour = new Date(Math.floor(now().getTime() / HOUR_MS) * HOUR_MS);
      addTo({ hour, operation, outcome: outcomeOf(status), count: 1 });
      behind.touch();
    },
  };
}
