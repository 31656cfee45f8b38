import type { Logger } from '../log.js';
import type { Metrics } from '../metrics.js';
import type { QueueState } from '../webhook/queue-backend.js';
import { within } from './within.js';

const STATES = ['waiting', 'active', 'delayed', 'failed'] as const;
/** A scrape is not held up by a queue that does not answer. */
const LONGEST_MS = 2_000;

/** Has the gauges of the queues ask them on every scrape; of one that can't be asked nothing is said. */
export function collectQueues(
  { metrics, log, now }: { metrics: Metrics; log: Logger; now: () => Date },
  queues: Readonly<Record<string, { state(): Promise<QueueState> }>>,
): void {
  const update = async (): Promise<void> => {
    for (const [queue, asked] of Object.entries(queues)) {
      const found = await within(LONGEST_MS, () => asked.state()).catch((error: unknown) => {
        log.debug({ err: error, queue }, 'queue not read');
        return null;
      });
      for (const name of STATES) {
        if (found === null) metrics.queueJobs.remove({ queue, state: name });
        else metrics.queueJobs.set({ queue, state: name }, found[name]);
      }
      if (found === null) metrics.queueOldest.remove({ queue });
      else metrics.queueOldest.set({ queue }, ageOf(found.oldestAt, now()));
    }
  };
  Object.assign(metrics.queueJobs, { collect: update });
}

function ageOf(at: number | null, now: Date): number {
  return at === null ? 0 : Math.max(0, (now.getTime() - at) / 1_000);
}
