import type { Knex } from 'knex';
import { generationOf } from '../../domain/deliveries/generated-events.js';
import { autoResolveBreaks, type NewBreak, openBreaks } from '../../records/breaks/breaks.js';
import {
  deliveredAmong,
  generatedSince,
  isHistoryDoubted,
  newestChange,
  newestUnnamed,
  paymentsShown,
  type ShownPayment,
  type Stretch,
  watchedEndpoints,
} from '../../records/deliveries/generated-events.js';
import { readWatermarks, writeWatermarks } from '../../records/runs/watermarks.js';
import type { RunContext } from '../deps.js';
import { writeFenced } from '../write-fenced.js';
import { type HistoryPoll, serviceTime } from './classify-reports.js';

/** The last change that was compared with the history. */
const COMPARED = { kind: 'generated events', name: 'compared' };
/** Of one run, or a stretch more: what is left over has its turn in the next. */
const MOST_OPENED = 100;
const MOST_STRETCHES = 200;

/**
 * STORY of events that nobody generated (docs/reconcile.md). What a list was the first to show of a payment is held against
 * the deliveries that a complete poll of the history lists: each change once, when it is older than the grace.
 */
export async function compareGenerated(run: RunContext, poll: HistoryPoll | null): Promise<void> {
  const { runId, dryRun } = run.fence;
  if (dryRun || runId === null) return;
  const { deps } = run;
  const { generated } = deps.contract.events;
  await writeFenced({ ...deps, ...run }, async (trx) => {
    const over = await generatedSince(trx, generated);
    await autoResolveBreaks(trx, over.map(breakOf));
  });
  if (poll === null || (await isHistoryDoubted(deps.db))) return;
  const compared = (await readWatermarks(deps.db, COMPARED.kind)).get(COMPARED.name)?.['seq'];
  if (typeof compared !== 'string') return keep(run, runId, await newestChange(deps.db));
  const until = new Date(poll.begunAt - Math.max(0, deps.settings.missedGraceMs));
  let [after, opened] = [compared, 0];
  for (let n = 0; n < MOST_STRETCHES && opened < MOST_OPENED; n += 1) {
    run.signal?.throwIfAborted();
    const stretch: Stretch = await paymentsShown(deps.db, { after, until, generated });
    if (stretch.last === null || stretch.last === after) return;
    const never = await neverGenerated(deps.db, run, { payments: stretch.payments, poll });
    if (never.length > 0 && !(await areEndpointsRead(run))) return;
    opened += await openNever(run, runId, { stretch, poll });
    after = stretch.last;
    if (!stretch.isFull) return;
  }
}

/** Asked after the history was read: one may have been switched since. */
async function areEndpointsRead(run: RunContext): Promise<boolean> {
  return (await run.prerequisite?.('endpoints'))?.complete === true;
}

/** With the place up to which all is compared, in one transaction. */
async function openNever(
  run: RunContext,
  runId: string,
  { stretch, poll }: { stretch: Stretch; poll: HistoryPoll },
): Promise<number> {
  let opened = 0;
  await writeFenced({ ...run.deps, ...run }, async (trx) => {
    const never = await neverGenerated(trx, run, { payments: stretch.payments, poll });
    opened = await openBreaks(
      trx,
      never.map((payment) => breakFor(run, payment, poll)),
    );
    await writeWatermarks(trx, COMPARED.kind, runId, new Map([[COMPARED.name, { seq: stretch.last }]]));
    return { breaksOpened: opened };
  });
  return opened;
}

async function keep(run: RunContext, runId: string, seq: string): Promise<void> {
  await writeFenced({ ...run.deps, ...run }, (trx) =>
    writeWatermarks(trx, COMPARED.kind, runId, new Map([[COMPARED.name, { seq }]])),
  );
}

async function neverGenerated(
  db: Knex,
  { deps: { settings } }: RunContext,
  { payments, poll }: { payments: readonly ShownPayment[]; poll: HistoryPoll },
): Promise<ShownPayment[]> {
  if (payments.length === 0) return [];
  const [delivered, unnamed, endpoints] = [
    await deliveredAmong(db, payments),
    await newestUnnamed(db, [...new Set(payments.map(({ eventType }) => eventType))]),
    await watchedEndpoints(db),
  ];
  const rules = { known: poll.known, graceMs: settings.missedGraceMs, own: settings, endpoints };
  return payments.filter((payment) => {
    const { id, eventType, createdAt } = payment;
    const newest = unnamed.get(eventType);
    const evidence = {
      delivered: delivered.has(`${id} ${eventType}`),
      unnamed: newest !== undefined && (createdAt === null || newest >= createdAt),
    };
    const shownAt = serviceTime(poll, payment.shownAt);
    return generationOf({ ...payment, shownAt }, evidence, rules) === 'never';
  });
}

const breakOf = (id: string) => ({ kind: 'event_never_generated', entity: { kind: 'payment_intent', id } }) as const;

function breakFor({ source }: RunContext, payment: ShownPayment, { known }: HistoryPoll): NewBreak {
  const { id, eventType, status, shownAt } = payment;
  return {
    ...breakOf(id),
    cause: `${eventType} ${status}`,
    evidence: {
      ours: { eventType, status, shownAt: new Date(shownAt).toISOString() },
      theirs: {
        deliveries: '0',
        historyReadAt: new Date(known.readAt).toISOString(),
        knownSince: new Date(known.from).toISOString(),
      },
      source: { ...source },
    },
  };
}
