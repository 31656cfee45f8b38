import { boundedTimestamp, deliveredEvent } from '../../domain/deliveries/delivery-payload.js';
import type { ClassifiedDelivery, ClassifyRules } from '../../records/deliveries/classify-deliveries.js';
import { deliveriesById, markRecovered } from '../../records/deliveries/deliveries.js';
import type { Wanted } from '../../records/deliveries/list-deliveries.js';
import type { Delivery } from '../../records/deliveries/read-delivery.js';
import { type Arrival, storeArrivals } from '../../records/inbox/inbox.js';
import type { RunContext } from '../deps.js';
import { writeFenced } from '../write-fenced.js';
import { saveClassified } from './save-classified.js';

const AT_ONCE = 50;

/** As if they had arrived, of any age; the workers apply them. A payload that is here already counts once more. */
export async function recoverDeliveries(
  run: RunContext,
  classified: readonly ClassifiedDelivery[],
  rules: ClassifyRules,
): Promise<number> {
  const wanted = classified.filter((one) => isToRecover(one, run.options.wanted)).map(({ delivery }) => delivery);
  if (run.fence.dryRun) return wanted.length;
  for (let at = 0; at < wanted.length; at += AT_ONCE) {
    run.signal?.throwIfAborted();
    await recover(run, wanted.slice(at, at + AT_ONCE), rules);
  }
  return wanted.length;
}

/** It is due, or a person wants it here. */
export function isToRecover(one: ClassifiedDelivery, wanted: Wanted | undefined): boolean {
  return one.verdict.recover || (canRecover(one) && isWanted(one.delivery, wanted));
}

/** It is not here, and a person may have it here before its time: that it comes once more then changes nothing. */
function canRecover({ delivery, verdict, inboxId }: ClassifiedDelivery): boolean {
  return verdict.open && inboxId === null && delivery.payload !== null;
}

function isWanted({ id, createdAt }: Delivery, wanted: Wanted | undefined): boolean {
  if (wanted === undefined) return false;
  const { ids, range } = wanted;
  const isInRange = range !== null && createdAt !== null && createdAt >= range.from && createdAt <= range.to;
  return isInRange || ids.includes(id);
}

async function recover(run: RunContext, deliveries: readonly Delivery[], rules: ClassifyRules): Promise<void> {
  const { deps } = run;
  const writer = { ...deps, ...run };
  // The inbox commits on its own: whoever was taken for dead stops here.
  await writeFenced(writer, async () => {});
  const { eventIdPointer } = deps.settings;
  const arrivals = deliveries.flatMap((delivery) => arrivalOf(delivery, eventIdPointer, rules.now) ?? []);
  await storeArrivals(deps.db, [
    ...new Map(arrivals.map((arrival) => [`${arrival.key} ${arrival.contentHash}`, arrival])).values(),
  ]);
  const ids = deliveries.map(({ id }) => id);
  await writeFenced(writer, (trx) => markRecovered(trx, ids, deps.now()));
  await saveClassified(run, await deliveriesById(deps.db, ids), { rules, readAt: rules.now });
}

/** `now`: ms of the service's clock, the latest that it can have stamped anything. */
function arrivalOf(delivery: Delivery, eventIdPointer: string, now: number): Arrival | null {
  const event = deliveredEvent(delivery.payload ?? undefined, eventIdPointer);
  if (event === null) return null;
  const made = Math.max(delivery.createdAt ?? now, delivery.lastAttemptAt ?? 0);
  return {
    key: event.key,
    keyType: event.keyType,
    eventId: event.eventId,
    contentHash: event.contentHash,
    eventType: event.event,
    timestamp: boundedTimestamp(event.timestamp, Math.min(made, now)),
    source: 'delivery_history',
    secretLabel: null,
    body: Buffer.from(event.text, 'utf8'),
  };
}
