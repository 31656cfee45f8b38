import { setInterval } from 'node:timers/promises';
import type { Logger } from '../log.js';
import type { MerchantClient } from '../service-api/client.js';
import type { Closers } from './closers.js';

const EVERY_MS = 20_000;

/**
 * Settles creating calls that a crash or a lost answer left in doubt: at once, and for as long as the process lives. Of
 * several processes each call has one.
 */
export function startSettling({
  client,
  log,
  closers,
}: {
  client: MerchantClient;
  log: Logger;
  closers: Closers;
}): void {
  const stop = new AbortController();
  const work = settleUntil(stop.signal, { client, log });
  closers.add('settling', async () => {
    stop.abort();
    await work;
  });
}

async function settleUntil(
  signal: AbortSignal,
  { client, log }: { client: MerchantClient; log: Logger },
): Promise<void> {
  try {
    await settleOnce(signal, { client, log });
    for await (const _ of setInterval(EVERY_MS, undefined, { signal })) await settleOnce(signal, { client, log });
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

async function settleOnce(
  signal: AbortSignal,
  { client, log }: { client: MerchantClient; log: Logger },
): Promise<void> {
  try {
    for (const { operation, key, outcome } of await client.settleWrites(signal)) {
      const about = { operation, idempotencyKey: key, outcome };
      if (outcome === 'lost')
        log.error(about, 'a call is in doubt for too long to be asked again: look for what it made');
      else log.info(about, 'a call in doubt was asked again');
    }
  } catch (error) {
    if (signal.aborted) throw error;
    log.warn({ err: error }, 'calls in doubt could not be settled now');
  }
}
