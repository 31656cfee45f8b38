import type { ReconcileDeps } from '../../reconcile/deps.js';
import { saveContext } from '../../reconcile/write-fenced.js';
import { logFailure, repeat, untilClosed } from '../../records/database/repeat.js';
import { holdOrders } from '../../records/orders/rederive-releases.js';
import { takeInCalls } from '../../records/saving/take-in-calls.js';
import type { ServiceClient } from '../../service-api/client.js';
import type { SettledWrite } from '../../service-api/key-store.js';
import type { Runtime } from '../runtime.js';

type OwnCallsDeps = ReconcileDeps & { client: Pick<ServiceClient, 'clock'> };

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
  await repeat({ signal, everyMs: EVERY_MS, failed: logFailure(deps.log, 'own calls not saved') }, async () => {
    await untilNoneIsLeft(signal, () => holdSome(deps));
    const isTimed = deps.client.clock() !== null || performance.now() - began > LONGEST_WAIT_MS;
    if (isTimed) await untilNoneIsLeft(signal, () => takeInSome(deps));
  });
}

async function untilNoneIsLeft(signal: AbortSignal, some: () => Promise<number>): Promise<void> {
  while (!signal.aborted && (await some()) === AT_ONCE);
}

function holdSome(deps: OwnCallsDeps): Promise<number> {
  return deps.db.transaction((trx) => holdOrders(trx, { limit: AT_ONCE, rules: saveContext(deps) }));
}

async function takeInSome(deps: OwnCallsDeps): Promise<number> {
  const about = { limit: AT_ONCE, serviceNow: deps.client.serviceNow(), context: saveContext(deps) };
  const taken = await deps.db.transaction((trx) => takeInCalls(trx, about));
  if (taken > 0) deps.log.info({ calls: taken }, 'own calls saved');
  return taken;
}

const SETTLE_EVERY_MS = 20_000;

/** What a crash or a lost answer left unknown, while the process lives. Of several processes each call has one. */
export function startSettling({ log, closers }: Pick<Runtime, 'log' | 'closers'>, client: ServiceClient): void {
  const failed = (error: unknown) => log.warn({ err: error }, 'settling calls failed');
  const settling = untilClosed((signal) =>
    repeat({ signal, everyMs: SETTLE_EVERY_MS, failed }, async () => {
      for (const settled of await client.settleWrites(signal)) logSettled(settled, log);
    }),
  );
  closers.add('settling', () => settling.close());
}

function logSettled({ operation, key, outcome, objectIds }: SettledWrite, log: Runtime['log']): void {
  const about = { operation, idempotencyKey: key, outcome, records: objectIds };
  if (outcome === 'lost') log.error(about, 'call lost');
  else if (outcome === 'absent') log.warn(about, 'call made nothing');
  else if (outcome === 'unknown') log.info(about, 'call outcome still unknown');
  else log.info(about, 'call settled');
}
