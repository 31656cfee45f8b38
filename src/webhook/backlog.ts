import type { Knex } from 'knex';
import type { Metrics } from '../metrics.js';
import { type Backlog, inboxBacklog } from '../records/inbox/inbox-work.js';

const FRESH_MS = 1_000;

/** Has the gauges of the backlog ask the inbox on every scrape; while it can't be asked they keep their values. */
export function collectBacklog(
  { eventBacklog, eventBacklogOldest }: Pick<Metrics, 'eventBacklog' | 'eventBacklogOldest'>,
  db: Knex,
): void {
  const ask = askSeldom(() => inboxBacklog(db).catch(() => null));
  Object.assign(eventBacklog, {
    async collect() {
      const backlog = await ask();
      for (const state of ['received', 'failed', 'dead'] as const) {
        if (backlog) eventBacklog.set({ state }, backlog[state]);
      }
    },
  });
  Object.assign(eventBacklogOldest, {
    async collect() {
      const backlog = await ask();
      if (backlog) eventBacklogOldest.set(backlog.oldestSeconds);
    },
  });
}

/** One question for all that ask within a second. */
function askSeldom(ask: () => Promise<Backlog | null>): () => Promise<Backlog | null> {
  let answer = Promise.resolve<Backlog | null>(null);
  let staleAt = 0;
  return () => {
    if (performance.now() >= staleAt) {
      answer = ask();
      staleAt = performance.now() + FRESH_MS;
    }
    return answer;
  };
}
