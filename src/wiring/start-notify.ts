import { alertLoop } from '../notify/alert-loop.js';
import { keepCallbacks } from '../notify/keep-callbacks.js';
import { createQueueProducer } from '../webhook/queue-producer.js';
import { channelsOf } from './alert-settings.js';
import { runEverySeconds } from './crons.js';
import { checkOutboundAddresses, outboundRules } from './outbound.js';
import type { Runtime } from './runtime.js';

/**
 * What the leader of the schedulers tells the store and people, until the signal; it never throws after it began.
 * @throws {ConfigError} for an address that could never be called
 */
export function createNotifying(runtime: Runtime, adoptedAt: Date): (signal: AbortSignal) => Promise<void> {
  const { config, db, log, now, metrics, queues, closers } = runtime;
  checkOutboundAddresses(config);
  const rules = outboundRules(config);
  const shared = { db, log, now, metrics, rules };
  const alerts = {
    ...shared,
    channels: channelsOf(config, now),
    runEverySeconds: runEverySeconds(config),
    askQueue: queueOf({ queues, closers }),
    heartbeatUrl: config.ALERT_HEARTBEAT_URL,
  };
  const { STORE_CALLBACK_URL: url, STORE_CALLBACK_SECRET: secret } = config;
  const keepDays = config.RETENTION_BODY_DAYS;
  return async (signal) => {
    const tellStore = async () => {
      if (url === undefined || secret === undefined) return;
      await keepCallbacks({ ...shared, url, secret, adoptedAt, keepDays }, signal);
    };
    await Promise.all([alertLoop(alerts, signal), tellStore()]);
  };
}

/** A queue in the database is as well as that. */
function queueOf({ queues, closers }: Pick<Runtime, 'queues' | 'closers'>): () => Promise<unknown> {
  if (queues.redisUrl === undefined) return async () => {};
  const queue = createQueueProducer('events', queues);
  closers.add('queue of alerts', () => queue.close());
  return () => queue.state();
}
