import type { Knex } from 'knex';
import { deliveryBreakKinds } from '../../domain/deliveries/delivery-class.js';
import type { JsonObject } from '../../domain/json.js';
import type { ObservationSource } from '../../domain/observation.js';
import { autoResolveBreaks, type BreakRef, type NewBreak, openBreaks } from '../../records/breaks/breaks.js';
import { withoutDecided } from '../../records/breaks/closed-breaks.js';
import { siblingsOf } from '../../records/deliveries/deliveries.js';
import { type JudgedDelivery, type JudgeRules, judgeDeliveries } from '../../records/deliveries/judge-deliveries.js';
import type { Delivery } from '../../records/deliveries/read-delivery.js';
import { markSent } from '../../records/deliveries/report-checks.js';
import { saveDeliveries } from '../../records/deliveries/save-deliveries.js';
import { unlinkedBy } from '../../records/family/searched.js';
import { type NewRefreshRequest, requestRefresh } from '../../records/runs/refresh-requests.js';
import type { RunContext } from '../deps.js';
import { type Written, writeFenced } from '../write-fenced.js';

/**
 * Judges deliveries, with their siblings that are known, writes them down and opens and resolves their breaks, in one
 * transaction in the run's name. `readAt`: when they were read, ms of the service's clock.
 */
export async function saveJudged(
  run: RunContext,
  deliveries: readonly Delivery[],
  { rules, readAt }: { rules: JudgeRules; readAt: number },
): Promise<JudgedDelivery[]> {
  let judged: JudgedDelivery[] = [];
  if (deliveries.length === 0) return judged;
  await writeFenced({ ...run.deps, ...run }, async (trx) => {
    const siblings = await siblingsOf(trx, deliveries);
    judged = await judgeDeliveries(trx, [...deliveries, ...siblings], rules);
    const changed = await saveDeliveries(trx, judged, { from: readAt, ref: run.source.ref });
    const breaksOpened = await saveBreaks(trx, judged, run);
    await noteSent(trx, judged);
    await requestRefresh(trx, [...requestsOf(judged), ...(await searchesOf(trx, judged))]);
    return { changed, breaksOpened } satisfies Written;
  });
  return judged;
}

async function saveBreaks(trx: Knex.Transaction, judged: JudgedDelivery[], { source }: RunContext): Promise<number> {
  const { open, resolve } = deliveryBreaks(judged, source);
  await autoResolveBreaks(trx, resolve);
  return openBreaks(trx, await withoutDecided(trx, open));
}

/** What the history has was sent: a break that says otherwise is over. */
async function noteSent(trx: Knex.Transaction, judged: readonly JudgedDelivery[]): Promise<void> {
  const once = judged.flatMap((one) => one.once);
  const sent = await markSent(trx, [...new Set([...judged.flatMap(eventsOf), ...once])], once);
  await autoResolveBreaks(
    trx,
    sent.map((id) => ({ kind: 'event_not_sent', entity: { kind: 'event', id } })),
  );
}

function eventsOf({ inboxId, alike }: JudgedDelivery): readonly string[] {
  return inboxId === null ? alike : [inboxId, ...alike];
}

/** Of the refunds that these events link, and nothing else: the history is asked by id, for it shows these by now. */
async function searchesOf(trx: Knex.Transaction, judged: readonly JudgedDelivery[]): Promise<NewRefreshRequest[]> {
  const shown = judged.filter(({ delivery }) => delivery.firstSeenAt === null).flatMap(eventsOf);
  const payouts = await unlinkedBy(trx, [...new Set(shown)]);
  return payouts.map((id) => ({ kind: 'delivery', id: `payout ${id}`, reason: 'reported_link' }));
}

/**
 * What can't be recovered is read from the service's own lists, as far as it can be told which record it was. Asked for when
 * the service shows the delivery, not whenever it is judged again.
 */
function requestsOf(judged: readonly JudgedDelivery[]): NewRefreshRequest[] {
  const lost = judged.filter(
    ({ ours, inboxId, delivery }) => ours && inboxId === null && delivery.firstSeenAt === null,
  );
  return lost.flatMap(({ delivery }) =>
    delivery.mentions.map(({ kind, id }) => ({ kind, id, reason: 'unreadable_delivery' })),
  );
}

/** What is wrong with these deliveries, and which breaks are gone. */
function deliveryBreaks(
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
