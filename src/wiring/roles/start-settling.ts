import { setInterval } from 'node:timers/promises';
import type { Logger } from '../../log.js';
import type { MerchantClient } from '../../service-api/client.js';
import type { SettledWrite } from '../../service-api/open-writes.js';
import type { Closers } from '../closers.js';

const EVERY_MS = 20_000;

/**
 * Settles creating calls whose outcome a crash or a lost answer left unknown: at once, and for as long as the process lives. Of
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
    for (const settled of await client.settleWrites(signal)) logSettled(settled, log);
  } catch (error) {
    if (signal.aborted) throw error;
    log.warn({ err: error }, 'settling calls failed');
  }
}

/** What the operator reads of a call whose outcome was unknown. */
function logSettled({ operation, key, outcome, objectIds }: SettledWrite, log: Logger): void {
  const about = { operation, idempotencyKey: key, outcome, records: objectIds };
  if (outcome === 'lost') log.error(about, 'call lost');
  else if (outcome === 'absent') log.warn(about, 'call made nothing');
  else if (outcome === 'unknown') log.info(about, 'call outcome still unknown');
  else log.info(about, 'call settled');
}
