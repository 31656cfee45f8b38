import type { Knex } from 'knex';
import { autoResolveBreaks, openBreaks } from '../../records/breaks/breaks.js';
import { withoutDecided } from '../../records/breaks/closed-breaks.js';
import { siblingsOf } from '../../records/deliveries/deliveries.js';
import { type JudgedDelivery, type JudgeRules, judgeDeliveries } from '../../records/deliveries/judge-deliveries.js';
import type { Delivery } from '../../records/deliveries/read-delivery.js';
import { markSent } from '../../records/deliveries/report-checks.js';
import { saveDeliveries } from '../../records/deliveries/save-deliveries.js';
import { unlinkedBy } from '../../records/family/searched.js';
import { markForReading, type NewMark } from '../../records/runs/marks.js';
import type { RunContext } from '../deps.js';
import { type Written, writeFenced } from '../write-fenced.js';
import { deliveryBreaks } from './delivery-breaks.js';

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
    await markForReading(trx, [...marksOf(judged), ...(await searchesOf(trx, judged))]);
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
async function searchesOf(trx: Knex.Transaction, judged: readonly JudgedDelivery[]): Promise<NewMark[]> {
  const shown = judged.filter(({ delivery }) => delivery.firstSeenAt === null).flatMap(eventsOf);
  const payouts = await unlinkedBy(trx, [...new Set(shown)]);
  return payouts.map((id) => ({ kind: 'delivery', id: `payout ${id}`, reason: 'reported_link' }));
}

/**
 * What can't be recovered is read from the service's own lists, as far as it can be told which record it was. Asked for when
 * the service shows the delivery, not whenever it is judged again.
 */
function marksOf(judged: readonly JudgedDelivery[]): NewMark[] {
  const lost = judged.filter(
    ({ ours, inboxId, delivery }) => ours && inboxId === null && delivery.firstSeenAt === null,
  );
  return lost.flatMap(({ delivery }) =>
    delivery.mentions.map(({ kind, id }) => ({ kind, id, reason: 'unreadable_delivery' })),
  );
}
