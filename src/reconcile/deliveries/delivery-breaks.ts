import { deliveryBreakKinds } from '../../domain/deliveries/delivery-class.js';
import type { JsonObject } from '../../domain/json.js';
import type { ObservationSource } from '../../domain/observation.js';
import type { BreakRef, NewBreak } from '../../records/breaks/breaks.js';
import type { JudgedDelivery } from '../../records/deliveries/judge-deliveries.js';

/** What is wrong with these deliveries, and which breaks are gone. */
export function deliveryBreaks(
  judged: readonly JudgedDelivery[],
  source: ObservationSource,
): { open: NewBreak[]; resolve: BreakRef[] } {
  const open = judged.flatMap((one): NewBreak[] => {
    const kind = one.verdict.breakKind;
    return kind === null ? [] : [{ kind, entity: entityOf(one), evidence: evidenceOf(one, source) }];
  });
  const resolve = judged.flatMap((one): BreakRef[] =>
    deliveryBreakKinds
      .filter((kind) => kind !== one.verdict.breakKind)
      .map((kind) => ({ kind, entity: entityOf(one) })),
  );
  return { open, resolve };
}

function entityOf({ delivery }: JudgedDelivery): BreakRef['entity'] {
  return { kind: 'delivery', id: delivery.id };
}

function evidenceOf({ delivery, verdict, inboxId, reason }: JudgedDelivery, source: ObservationSource): JsonObject {
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
      lastAttemptAt: iso(delivery.lastAttemptAt),
      nextRetryAt: iso(delivery.nextRetryAt),
      createdAt: iso(delivery.createdAt),
      eventType: delivery.eventType,
      endpointId: delivery.endpointId,
      endpointUrl: delivery.endpointUrl,
      source: { ...source },
    },
  };
}

function iso(at: number | null): string | null {
  return at === null ? null : new Date(at).toISOString();
}
