import { createConsoleApp } from '../console/server.js';
import { kinds } from '../reconcile/deps.js';
import { createCommandQueue } from '../webhook/command-queue.js';
import type { Listener } from './listen.js';
import { renderMetrics } from './render-metrics.js';
import type { Runtime } from './runtime.js';

/** The read API and pages. What they can't do by a record goes on the `commands` queue. */
export function startConsole(runtime: Runtime, front: Listener): void {
  const { db, log, ready, queues, closers, config } = runtime;
  const queue = createCommandQueue(queues);
  closers.add('command queue', () => queue.close());
  const app = createConsoleApp({
    db,
    log,
    ready,
    tokens: config.CONSOLE_TOKENS ?? [],
    metrics: () => renderMetrics(runtime),
    runKinds: kinds,
    commands: {
      replay: async (eventIds) => void (await queue.send('replay', { eventIds })),
      run: async (request) => void (await queue.send('run', request)),
    },
    secretsStatus: async () => ({ items: [] }),
  });
  front.serve(app);
}
