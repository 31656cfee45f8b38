import { createWorker } from '../webhook/worker.js';
import type { Runtime } from './runtime.js';

export function startWorker(runtime: Runtime, adoptedAt: Date): void {
  const { db, now, metrics, queues, closers, contract } = runtime;
  const worker = createWorker({
    ...queues,
    db,
    now,
    metrics,
    adoptedAt,
    kytWords: contract.kyt,
    links: contract.links,
  });
  closers.add('worker', () => worker.close());
}
