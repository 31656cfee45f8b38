import { keepCallbacks } from '../notify/keep-callbacks.js';
import { checkOutboundAddresses, outboundRules } from './outbound.js';
import type { Runtime } from './runtime.js';

/** What the leader of the schedulers tells the store and people, until the signal; it never throws after it began. */
export function createNotifying(runtime: Runtime, adoptedAt: Date): (signal: AbortSignal) => Promise<void> {
  const { config, db, log, now, metrics } = runtime;
  checkOutboundAddresses(config);
  const rules = outboundRules(config);
  const { STORE_CALLBACK_URL: url, STORE_CALLBACK_SECRET: secret } = config;
  return async (signal) => {
    if (url === undefined || secret === undefined) return;
    const keepDays = config.RETENTION_BODY_DAYS;
    await keepCallbacks({ db, log, now, metrics, rules, url, secret, adoptedAt, keepDays }, signal);
  };
}
