import { GIVE_UP_MS } from '../../domain/deliveries/delivery-class.js';
import { type HistoryKnown, knownAfter, LONGEST_RETRY_MS } from '../../domain/deliveries/report-standing.js';
import { counted, isoTime } from '../../domain/in-words.js';
import { autoResolveBreaks, openBreaks } from '../../records/breaks/breaks.js';
import type { Trx } from '../../records/database/statements.js';
import type { ClassifiedDelivery, ClassifyRules } from '../../records/deliveries/classify-deliveries.js';
import {
  deliveriesById,
  knownButUnseen,
  knowsBefore,
  oldestUnsettled,
  openDeliveries,
} from '../../records/deliveries/deliveries.js';
import { recoverableIds } from '../../records/deliveries/list-deliveries.js';
import { endpointsById } from '../../records/deliveries/listed-endpoints.js';
import type { Delivery } from '../../records/deliveries/read-delivery.js';
import { learnSecretEndpoints, retiredSecretUse } from '../../records/deliveries/secret-endpoints.js';
import { readWatermarks, type Watermark } from '../../records/runs/watermarks.js';
import { ForbiddenError, NotFoundError } from '../../service-api/service-errors.js';
import { type Outcome, outcomeOf, type ReconcileDeps, type RunContext } from '../deps.js';
import { type Asking, ask } from '../service-reader.js';
import { writeFenced } from '../write-fenced.js';
import { classifyReports } from './classify-reports.js';
import { compareGenerated } from './generated-events.js';
import { type DeliveryPageReader, type DeliveryScan, DISORDER_MS, scanDeliveries } from './read-deliveries.js';
import { recoverDeliveries } from './recover-deliveries.js';
import { saveClassified } from './save-classified.js';

const AT_ONCE = 100;
const CLOCK_UNCERTAINTY_MS = 2_000;
/** A delivery that the service calls pending and never touches again is not waited for any longer. */
const STUCK_MS = 3 * 86_400_000;

/** Where the service shows no history, the run says that it is degraded: nothing can be concluded from it. */
export async function reconcileDeliveries(run: RunContext): Promise<Outcome> {
  try {
    return await readHistory(run);
  } catch (error) {
    const isRefused = error instanceof ForbiddenError || error instanceof NotFoundError;
    if (!isRefused || run.tally.calls > 1) throw error;
    return outcomeOf(['degraded: the service does not show this account its delivery history'], {});
  }
}

/**
 * STORY of one poll of the delivery history (specification 4.22): from the head down to the watermark below which every
 * delivery was final when it was read last; each is held against the inbox, what is missed is recovered from its payload.
 * Complete: every delivery above the watermark was read.
 */
async function readHistory(run: RunContext): Promise<Outcome> {
  const rules = classifyRules(run.deps);
  const bound = await boundOf(run);
  const begunAt = run.deps.now().getTime();
  const counts: Record<string, number> = {};
  let recovered = 0;
  const scan = await scanDeliveries(
    deliveryPages(run),
    { bound, eventIdPointer: run.deps.settings.eventIdPointer },
    async (page) => {
      run.tally.seen += page.deliveries.length;
      rules.now = clockAfter(page.deliveries, rules.now);
      const classified = await saveClassified(run, page.deliveries, { rules, readAt: page.from });
      recovered += await recoverDeliveries(run, classified, rules);
      count(counts, classified.slice(0, page.deliveries.length));
      run.progress({
        seen: run.tally.seen,
        calls: run.tally.calls,
        oldest: page.deliveries.at(-1)?.createdAt ?? null,
        total: null,
      });
    },
  );
  recovered += await classifyOpen(run, rules, scan);
  await learn(run);
  const gap = scan.complete ? await gapOf(run, scan, bound) : null;
  const complete = scan.complete && gap === null;
  const known = complete ? await knownBy(run, scan, bound) : null;
  const poll = known === null ? null : { known, begunAt };
  await classifyReports(run, poll);
  await compareGenerated(run, poll);
  return {
    complete,
    proof: proofOf(scan, { bound, gap, counts, recovered }),
    watermarks: new Map([['mark', { ...(await nextWatermark(run, scan, rules)), ...known }]]),
  };
}

export function classifyRules({ settings, contract, client, adoptedAt }: ReconcileDeps): ClassifyRules {
  return {
    now: client.serviceNow(),
    graceMs: settings.missedGraceMs,
    adoptedAt: adoptedAt.getTime(),
    own: settings,
    pendingStates: contract.deliveries.pending,
    giveUpMs: GIVE_UP_MS,
  };
}

/** The service's clock is known to within a second or two; a delivery of this moment shows that it is there already. */
export function clockAfter(deliveries: readonly Delivery[], now: number): number {
  return deliveries.reduce((latest, { createdAt }) => {
    const isBelievable = createdAt !== null && createdAt <= now + CLOCK_UNCERTAINTY_MS;
    return isBelievable ? Math.max(latest, createdAt) : latest;
  }, now);
}

export function deliveryPages(run: Asking): DeliveryPageReader {
  return (query) => ask(run, 'listWebhookDeliveries', { query });
}

/** ms; null: to the end of the list. The first time: what was made since adoption. */
async function boundOf({ deps, options }: RunContext): Promise<number | null> {
  if (options.full) return null;
  const watermark = (await readWatermarks(deps.db, 'deliveries')).get('mark')?.['at'];
  const known = typeof watermark === 'number' ? watermark : deps.adoptedAt.getTime() - DISORDER_MS;
  return Math.min(known, options.since ?? known);
}

/** What may be of another class by now though the service says nothing new: an event came late, the grace is over. */
async function classifyOpen(run: RunContext, rules: ClassifyRules, scan: DeliveryScan): Promise<number> {
  const due = await openDeliveries(run.deps.db, rules.now);
  const { wanted } = run.options;
  const recoverable = wanted === undefined ? [] : await recoverableIds(run.deps.db, wanted);
  const ids = [...new Set([...due, ...recoverable])].filter((id) => !scan.ids.has(id));
  let recovered = 0;
  for (let at = 0; at < ids.length; at += AT_ONCE) {
    run.signal?.throwIfAborted();
    const deliveries = await deliveriesById(run.deps.db, ids.slice(at, at + AT_ONCE));
    const classified = await saveClassified(run, deliveries, { rules, readAt: rules.now });
    recovered += await recoverDeliveries(run, classified, rules);
  }
  return recovered;
}

async function learn(run: RunContext): Promise<void> {
  await writeFenced({ ...run.deps, ...run }, async (trx) => {
    await learnSecretEndpoints(trx);
    return { breaksOpened: await saveSecretUse(trx, run) };
  });
}

/** An end that comes too early, or a hole: deliveries that we know of where the scan passed, and that it did not show. */
async function gapOf({ deps }: RunContext, scan: DeliveryScan, bound: number | null): Promise<string | null> {
  const from = bound ?? scan.oldest;
  const range = { from: from === null ? 0 : from + DISORDER_MS, to: scan.newest ?? deps.client.serviceNow() };
  const unseen = await knownButUnseen(deps.db, range, scan.ids);
  if (unseen.length === 0) return null;
  return `the service did not show ${counted(unseen.length, 'delivery', 'deliveries')} that it showed before, such as ${unseen[0]}`;
}

/** Deliveries are written down a little out of order, so the watermark lies a little below the oldest that is not final. */
async function nextWatermark({ deps }: RunContext, scan: DeliveryScan, rules: ClassifyRules): Promise<Watermark> {
  const { pendingStates, now } = rules;
  const unsettled = await oldestUnsettled(deps.db, { pendingStates, now, stuckMs: STUCK_MS });
  return { at: Math.min(unsettled ?? scan.from, scan.from) - DISORDER_MS };
}

/** Since when the history is known without a hole. What was read by a version that did not write it down began at adoption. */
async function knownBy({ deps }: RunContext, scan: DeliveryScan, bound: number | null): Promise<HistoryKnown | null> {
  const { at: watermark, from, readAt } = (await readWatermarks(deps.db, 'deliveries')).get('mark') ?? {};
  const older =
    typeof watermark === 'number'
      ? { from: deps.adoptedAt.getTime() - DISORDER_MS + LONGEST_RETRY_MS, readAt: watermark + DISORDER_MS }
      : null;
  const before = typeof from === 'number' && typeof readAt === 'number' ? { from, readAt } : older;
  const { complete, atEnd, oldest } = scan;
  const hasLost = atEnd && (await knowsBefore(deps.db, oldest ?? scan.from));
  return knownAfter(before, { complete, readAt: scan.from, downTo: atEnd ? null : bound, oldest, hasLost });
}

function proofOf(
  scan: DeliveryScan,
  { bound, gap, counts, recovered }: { bound: number | null; gap: string | null; counts: object; recovered: number },
): Record<string, unknown> {
  const reason = scan.reason ?? gap;
  return {
    ...(reason === null ? {} : { reason }),
    downTo: isoTime(bound),
    toEnd: scan.atEnd,
    calls: scan.calls,
    seen: scan.ids.size,
    classes: counts,
    recovered,
  };
}

function count(counts: Record<string, number>, classified: readonly ClassifiedDelivery[]): void {
  for (const { verdict } of classified) counts[verdict.class] = (counts[verdict.class] ?? 0) + 1;
}

/** After a retirement deliveries that were on their way may still come. */
const ON_THEIR_WAY_MS = 60_000;
/** An endpoint that was given nothing for so long may be taken to be gone. */
const QUIET_MS = 86_400_000;

/**
 * A retired secret whose endpoint is still given new events signs for nobody: the old endpoint is to be deleted. Returns
 * how many such breaks were opened; they resolve themselves when the endpoint is gone or quiet for a day.
 */
async function saveSecretUse(trx: Trx, { deps, source }: RunContext): Promise<number> {
  const uses = await retiredSecretUse(trx);
  const endpoints = await endpointsById(
    trx,
    uses.map(({ endpointId }) => endpointId),
  );
  const now = deps.client.serviceNow();
  const inUse = uses.filter(({ endpointId, delivery, retiredAt }) => {
    const at = delivery?.createdAt.getTime() ?? 0;
    const isGone = endpoints.get(endpointId)?.gone ?? false;
    return !isGone && at > retiredAt.getTime() + ON_THEIR_WAY_MS && at > now - QUIET_MS;
  });
  const still = new Set(inUse.map(({ label }) => label));
  const entity = (label: string) => ({ kind: 'secret' as const, id: label });
  await autoResolveBreaks(
    trx,
    uses
      .filter(({ label }) => !still.has(label))
      .map(({ label }) => ({ kind: 'secret_still_in_use', entity: entity(label) })),
  );
  return openBreaks(
    trx,
    inUse.map(({ label, endpointId, retiredAt, delivery }) => ({
      kind: 'secret_still_in_use',
      entity: entity(label),
      evidence: {
        ours: { retiredAt: retiredAt.toISOString() },
        theirs: { endpointId, delivery: delivery?.id ?? null, createdAt: delivery?.createdAt.toISOString() ?? null },
        source: { ...source },
      },
    })),
  );
}
