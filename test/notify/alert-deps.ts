import type { Knex } from 'knex';
import { createLog } from '../../src/log.js';
import { createMetrics } from '../../src/metrics.js';
import type { AlertDeps } from '../../src/notify/alert-loop.js';

/** With a queue that answers, and no channel. */
export function alertDeps(db: Knex, now: () => Date): AlertDeps & { timeoutMs: number } {
  return {
    db,
    now,
    log: createLog('silent'),
    metrics: createMetrics(),
    rules: { privateNetworks: false, loopback: true },
    timeoutMs: 4_000,
    channels: [],
    runEverySeconds: {},
    askQueue: async () => {},
    firstRetryMs: 1,
  };
}
