import { setTimeout as delay } from 'node:timers/promises';
import type { Knex } from 'knex';
import type { Logger } from '../log.js';
import { describeError } from '../records/database/database-errors.js';
import { noteServiceClock } from '../records/service-clock.js';
import type { MerchantClient } from '../service-api/client.js';

const EVERY_MS = 5_000;
/** So long an answer that tells the service's time is waited for before our own clock is taken. */
const LONGEST_WAIT_MS = 30_000;

interface ServiceClockDeps {
  db: Knex;
  log: Logger;
  client: Pick<MerchantClient, 'clock' | 'earliestNow'>;
}

/** Notes the service's clock for processes that don't call the service, until the signal. Never throws. */
export async function serviceClockLoop({ db, log, client }: ServiceClockDeps, signal: AbortSignal): Promise<void> {
  const began = performance.now();
  while (!signal.aborted) {
    const isMeasured = client.clock() !== null;
    if (isMeasured || performance.now() - began > LONGEST_WAIT_MS) {
      await noteServiceClock(db, { earliest: client.earliestNow(), isMeasured }).catch((error: unknown) => {
        if (!signal.aborted) log.warn({ error: describeError(error) }, 'service clock not saved');
      });
    }
    await delay(isMeasured ? EVERY_MS : 1_000, undefined, { signal }).catch(() => {});
  }
}
