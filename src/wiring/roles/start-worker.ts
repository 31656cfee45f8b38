import { createWorker } from '../../webhook/worker.js';
import { releaseRules } from '../reconcile-settings.js';
import type { Runtime } from '../runtime.js';

export function startWorker(runtime: Runtime, adoptedAt: Date): void {
  const { db, now, metrics, queues, queuesInUse, closers, config, contract } = runtime;
  const worker = createWorker({
    ...queues,
    db,
    now,
    metrics,
    adoptedAt,
    ...releaseRules(config, contract),
    links: contract.links,
  });
  queuesInUse.push({ name: 'events', isOpen: () => worker.isOpen() });
  closers.add('worker', () => worker.close());
}
