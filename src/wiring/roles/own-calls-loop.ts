import { setTimeout as delay } from 'node:timers/promises';
import type { Knex } from 'knex';
import { type ReleaseRules, rulesOf } from '../../domain/orders/order-facts.js';
import type { Logger } from '../../log.js';
import { describeError } from '../../records/database/database-errors.js';
import { holdOrders } from '../../records/orders/rederive-releases.js';
import { takeInCalls } from '../../records/saving/take-in-calls.js';
import type { MerchantClient } from '../../service-api/client.js';

interface OwnCallsDeps extends ReleaseRules {
  db: Knex;
  log: Logger;
  now: () => Date;
  client: Pick<MerchantClient, 'clock' | 'serviceNow'>;
  adoptedAt: Date;
}

const EVERY_MS = 2_000;
const AT_ONCE = 50;
/** How long it waits for an answer that shows the service's time. */
const LONGEST_WAIT_MS = 30_000;

/**
 * Until the signal: holds the orders of refunds that were begun by any process on the database, lets go of those that are
 * settled, and takes in what creating calls made of which nobody took in the answer. Never throws. For the leader of the
 * schedulers, though two would do no harm.
 */
export async function ownCallsLoop(deps: OwnCallsDeps, signal: AbortSignal): Promise<void> {
  const began = performance.now();
  while (!signal.aborted) {
    try {
      await untilNoneIsLeft(signal, () => holdSome(deps));
      const isTimed = deps.client.clock() !== null || performance.now() - began > LONGEST_WAIT_MS;
      if (isTimed) await untilNoneIsLeft(signal, () => takeInSome(deps));
    } catch (error) {
      if (signal.aborted) return;
      deps.log.warn({ error: describeError(error) }, 'own calls not saved');
    }
    await delay(EVERY_MS, undefined, { signal }).catch(() => {});
  }
}

async function untilNoneIsLeft(signal: AbortSignal, some: () => Promise<number>): Promise<void> {
  while (!signal.aborted && (await some()) === AT_ONCE);
}

function holdSome({ db, ...deps }: OwnCallsDeps): Promise<number> {
  return db.transaction((trx) => holdOrders(trx, { limit: AT_ONCE, rules: contextOf(deps) }));
}

async function takeInSome({ db, log, client, ...deps }: OwnCallsDeps): Promise<number> {
  const context = contextOf(deps);
  const taken = await db.transaction((trx) =>
    takeInCalls(trx, { limit: AT_ONCE, serviceNow: client.serviceNow(), context }),
  );
  if (taken > 0) log.info({ calls: taken }, 'own calls saved');
  return taken;
}

function contextOf({ now, adoptedAt, ...rules }: Pick<OwnCallsDeps, 'now' | 'adoptedAt' | keyof ReleaseRules>) {
  return { now: now(), adoptedAt, ...rulesOf(rules) };
}
