import { deliveryBreakKinds } from '../../domain/deliveries/delivery-class.js';
import { isoTime } from '../../domain/in-words.js';
import type { JsonObject } from '../../domain/json.js';
import type { ObservationSource } from '../../domain/observation.js';
import {
  autoResolveBreaks,
  type BreakRef,
  type NewBreak,
  openBreaks,
  withoutDecided,
} from '../../records/breaks/breaks.js';
import type { Trx } from '../../records/database/statements.js';
import {
  type ClassifiedDelivery,
  type ClassifyRules,
  classifyDeliveries,
} from '../../records/deliveries/classify-deliveries.js';
import { siblingsOf } from '../../records/deliveries/deliveries.js';
import type { Delivery } from '../../records/deliveries/read-delivery.js';
import { markSent } from '../../records/deliveries/report-checks.js';
import { saveDeliveries } from '../../records/deliveries/save-deliveries.js';
import { unlinkedBy } from '../../records/orders/searched.js';
import { type NewRefreshRequest, requestRefresh } from '../../records/runs/refresh-requests.js';
import type { RunContext } from '../deps.js';
import { writeFenced } from '../write-fenced.js';

/** With their siblings, in one transaction in the run's name. `readAt`: ms of the service's clock. */
export async function saveClassified(
  run: RunContext,
  deliveries: readonly Delivery[],
  { rules, readAt }: { rules: ClassifyRules; readAt: number },
): Promise<ClassifiedDelivery[]> {
  let classified: ClassifiedDelivery[] = [];
  if (deliveries.length === 0) return classified;
  await writeFenced({ ...run.deps, ...run }, async (trx) => {
    const siblings = await siblingsOf(trx, deliveries);
    classified = await classifyDeliveries(trx, [...deliveries, ...siblings], rules);
    const changed = await saveDeliveries(trx, classified, { from: readAt, ref: run.source.ref });
    const breaksOpened = await saveBreaks(trx, classified, run);
    await noteSent(trx, classified);
    await requestRefresh(trx, [...requestsOf(classified), ...(await searchesOf(trx, classified))]);
    return { changed, breaksOpened };
  });
  return classified;
}

async function saveBreaks(trx: Trx, classified: ClassifiedDelivery[], { source }: RunContext): Promise<number> {
  const { open, resolve } = deliveryBreaks(classified, source);
  await autoResolveBreaks(trx, resolve);
  return openBreaks(trx, await withoutDecided(trx, open));
}

/** What the history has was sent: a break that says otherwise is over. */
async function noteSent(trx: Trx, classified: readonly ClassifiedDelivery[]): Promise<void> {
  const once = classified.flatMap((one) => one.once);
  const sent = await markSent(trx, [...new Set([...classified.flatMap(eventsOf), ...once])], once);
  await autoResolveBreaks(
    trx,
    sent.map((id) => ({ kind: 'event_not_sent', entity: { kind: 'event', id } })),
  );
}

function eventsOf({ inboxId, alike }: ClassifiedDelivery): readonly string[] {
  return inboxId === null ? alike : [inboxId, ...alike];
}

/** Of the refunds that these events link, and nothing else: the history is asked by id, for it shows these by now. */
async function searchesOf(trx: Trx, classified: readonly ClassifiedDelivery[]): Promise<NewRefreshRequest[]> {
  const shown = classified.filter(({ delivery }) => delivery.firstSeenAt === null).flatMap(eventsOf);
  const payouts = await unlinkedBy(trx, [...new Set(shown)]);
  return payouts.map((id) => ({ kind: 'delivery', id: `payout ${id}`, reason: 'reported_link' }));
}

/** What can't be recovered is read from the lists: asked for when the service first shows the delivery, not again. */
function requestsOf(classified: readonly ClassifiedDelivery[]): NewRefreshRequest[] {
  const lost = classified.filter(
    ({ ours, inboxId, delivery }) => ours && inboxId === null && delivery.firstSeenAt === null,
  );
  return lost.flatMap(({ delivery }) =>
    delivery.mentions.map(({ kind, id }) => ({ kind, id, reason: 'unreadable_delivery' })),
  );
}

function deliveryBreaks(
  classified: readonly ClassifiedDelivery[],
  source: ObservationSource,
): { open: NewBreak[]; resolve: BreakRef[] } {
  const open = classified.flatMap((one): NewBreak[] => {
    const kind = one.verdict.breakKind;
    return kind === null ? [] : [{ kind, entity: entityOf(one), evidence: evidenceOf(one, source) }];
  });
  const resolve = classified.flatMap((one): BreakRef[] =>
    deliveryBreakKinds
      .filter((kind) => kind !== one.verdict.breakKind)
      .map((kind) => ({ kind, entity: entityOf(one) })),
  );
  return { open, resolve };
}

const entityOf = ({ delivery }: ClassifiedDelivery): BreakRef['entity'] => ({ kind: 'delivery', id: delivery.id });

function evidenceOf({ delivery, verdict, inboxId, reason }: ClassifiedDelivery, source: ObservationSource): JsonObject {
  return {
    class: verdict.class,
    ours: {
      held: inboxId !== null,
      eventId: inboxId,
      refusal: verdict.class === 'rejected' ? reason : null,
      recoverable: delivery.payload !== null || inboxId !== null,
      source: { type: 'inbox', ref: inboxId },
    },
    theirs: {
      status: delivery.status,
      httpStatus: delivery.httpStatus === null ? null : String(delivery.httpStatus),
      attempts: delivery.attempts === null ? null : String(delivery.attempts),
      lastAttemptAt: isoTime(delivery.lastAttemptAt),
      nextRetryAt: isoTime(delivery.nextRetryAt),
      createdAt: isoTime(delivery.createdAt),
      eventType: delivery.eventType,
      endpointId: delivery.endpointId,
      endpointUrl: delivery.endpointUrl,
      source: { ...source },
    },
  };
}
