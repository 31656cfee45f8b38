import type { Knex } from 'knex';
import { generationOf } from '../../domain/deliveries/generated-events.js';
import { autoResolveBreaks, type BreakRef, type NewBreak, openBreaks } from '../../records/breaks/breaks.js';
import { feedHead } from '../../records/changes.js';
import {
  cameAmong,
  deliveredAmong,
  type Generated,
  generatedKey,
  isHistoryDoubted,
  knownOfTypes,
  type Moments,
  openNever,
  paymentsShown,
  type ShownPayment,
  watchedEndpoints,
} from '../../records/deliveries/generated-events.js';
import { readWatermarks, writeWatermarks } from '../../records/runs/watermarks.js';
import type { RunContext } from '../deps.js';
import { writeFenced } from '../write-fenced.js';
import type { HistoryPoll } from './classify-reports.js';

/** The last change that was compared with the history. */
const COMPARED = { kind: 'generated events', name: 'compared' };
/** Of one run: what is left over has its turn in the next. */
const MOST_OPENED = 100;
const MOST_SLICES = 50;
const RESOLVED_AT_ONCE = 500;
const WEEK_MS = 7 * 86_400_000;

/**
 * STORY of events that nobody generated (docs/reconcile.md). What a list was the first to show of a payment is held against
 * the deliveries that a complete poll of the history lists: each change once, when it is older than the grace.
 */
export async function compareGenerated(run: RunContext, poll: HistoryPoll | null): Promise<void> {
  const { runId, dryRun } = run.fence;
  if (dryRun || runId === null) return;
  const { deps } = run;
  await resolve(run);
  const compared = (await readWatermarks(deps.db, COMPARED.kind)).get(COMPARED.name)?.['seq'];
  if (typeof compared !== 'string') return keep(run, runId, await feedHead(deps.db));
  if (poll === null || (await isHistoryDoubted(deps.db))) return;
  let [after, opened] = [compared, 0];
  for (let n = 0; n < MOST_SLICES && opened < MOST_OPENED; n += 1) {
    run.signal?.throwIfAborted();
    const slice = await paymentsShown(deps.db, { after, ...momentsOf(run, poll), generated: generatedOf(run) });
    if (slice.last === null) return;
    const delivered = await deliveredAmong(deps.db, slice.payments);
    const lacking = slice.payments.filter((payment) => !delivered.has(generatedKey(payment)));
    if (lacking.length > 0 && (await run.prerequisite?.('endpoints'))?.complete !== true) return;
    const never = await neverGenerated(deps.db, run, { lacking, poll });
    const named = never.slice(0, MOST_OPENED - opened);
    const upTo = named.length < never.length ? (named.at(-1)?.seq ?? after) : slice.last;
    await open(run, runId, { breaks: named.map((payment) => breakFor(run, payment, poll)), upTo });
    opened += named.length;
    after = upTo;
    if (!slice.isFull) return;
  }
}

const generatedOf = ({ deps }: RunContext): Generated => deps.contract.events.generated;

function momentsOf({ deps }: RunContext, { begunAt, known }: HistoryPoll): Moments {
  const graceMs = Math.max(0, deps.settings.missedGraceMs);
  const [since, until] = [new Date(begunAt - WEEK_MS), new Date(begunAt - graceMs)];
  return { since, until, shownUntil: new Date(known.readAt - graceMs) };
}

async function neverGenerated(
  db: Knex,
  { deps: { settings } }: RunContext,
  { lacking, poll: { known } }: { lacking: readonly ShownPayment[]; poll: HistoryPoll },
): Promise<ShownPayment[]> {
  if (lacking.length === 0) return [];
  const came = await cameAmong(db, lacking);
  const { unnamed, usual } = await knownOfTypes(db, [...new Set(lacking.map(({ eventType }) => eventType))]);
  const endpoints = await watchedEndpoints(db);
  const rules = { known, graceMs: settings.missedGraceMs, own: settings, endpoints };
  return lacking.filter((payment) => {
    const { eventType, createdAt } = payment;
    const evidence = {
      delivered: false,
      came: came.has(generatedKey(payment)),
      unnamed: createdAt === null || (unnamed.get(eventType) ?? 0) >= createdAt,
      isUsual: usual.has(eventType),
    };
    return generationOf(payment, evidence, rules) === 'never';
  });
}

/** With the place up to which all is compared, in one transaction. */
async function open(
  run: RunContext,
  runId: string,
  { breaks, upTo }: { breaks: NewBreak[]; upTo: string },
): Promise<void> {
  await writeFenced({ ...run.deps, ...run }, async (trx) => {
    await writeWatermarks(trx, COMPARED.kind, runId, new Map([[COMPARED.name, { seq: upTo }]]));
    return { breaksOpened: await openBreaks(trx, breaks) };
  });
}

function keep(run: RunContext, runId: string, seq: string): Promise<void> {
  return open(run, runId, { breaks: [], upTo: seq });
}

/** Of those whose event is here after all, or which are in another state by now. */
async function resolve(run: RunContext): Promise<void> {
  const { db } = run.deps;
  const generated = generatedOf(run);
  let after: string | null = '';
  while (after !== null) {
    const some = await openNever(db, { after, limit: RESOLVED_AT_ONCE });
    const [delivered, came] = [await deliveredAmong(db, some), await cameAmong(db, some)];
    const over = some.filter((one) => {
      const isSo = one.status !== null && (generated[one.eventType] ?? []).includes(one.status);
      return !isSo || delivered.has(generatedKey(one)) || came.has(generatedKey(one));
    });
    if (over.length > 0)
      await writeFenced({ ...run.deps, ...run }, async (trx) => {
        await autoResolveBreaks(trx, over.map(refOf));
      });
    after = some.length < RESOLVED_AT_ONCE ? null : (some.at(-1)?.id ?? null);
  }
}

function refOf({ id }: { id: string }): BreakRef {
  return { kind: 'event_never_generated', entity: { kind: 'payment_intent', id } };
}

function breakFor({ source }: RunContext, payment: ShownPayment, { known }: HistoryPoll): NewBreak {
  const { eventType, status, shownAt } = payment;
  return {
    ...refOf(payment),
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
