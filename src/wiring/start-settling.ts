import { setInterval } from 'node:timers/promises';
import type { Logger } from '../log.js';
import type { MerchantClient } from '../service-api/client.js';
import type { SettledWrite } from '../service-api/open-writes.js';
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
    for (const settled of await client.settleWrites(signal)) tell(settled, log);
  } catch (error) {
    if (signal.aborted) throw error;
    log.warn({ err: error }, 'calls in doubt could not be settled now');
  }
}

/** What the operator reads of a call in doubt. */
function tell({ operation, key, outcome, objectIds }: SettledWrite, log: Logger): void {
  if (operation === 'createInvoice') {
    tellOfInvoice({ operation, outcome, invoices: objectIds }, log);
    return;
  }
  const about = { operation, idempotencyKey: key, outcome, records: objectIds };
  if (outcome === 'lost') log.error(about, 'a call is in doubt and can’t be asked again: look for what it made');
  else log.info(about, 'a call in doubt was asked again');
}

function tellOfInvoice(
  about: Pick<SettledWrite, 'operation' | 'outcome'> & { invoices: readonly string[] },
  log: Logger,
): void {
  const { outcome } = about;
  if (outcome === 'done') log.info(about, 'an invoice whose answer was lost is in the list: it was made');
  else if (outcome === 'absent') {
    log.warn(about, 'an invoice whose answer was lost is not in the list: create it again if it is still wanted');
  } else if (outcome === 'lost') {
    log.error(about, 'whether an invoice was made is not known from the list: look before you create it again');
  } else log.info(about, 'an invoice whose answer was lost is still looked for');
}
