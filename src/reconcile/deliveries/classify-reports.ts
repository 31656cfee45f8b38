import type { Knex } from 'knex';
import {
  type HistoryKnown,
  historyDiffers,
  matchedToCount,
  standingOf,
} from '../../domain/deliveries/report-standing.js';
import { autoResolveBreaks, openBreaks, withoutDecided } from '../../records/breaks/breaks.js';
import type { Trx } from '../../records/database/statements.js';
import { incidentSince, leakedLabels, markNotSent, undoubted } from '../../records/deliveries/leaked-secrets.js';
import {
  countLacking,
  countMatched,
  countSingles,
  dropMatched,
  evidenceOfReports,
  saveLacking,
  secretsToClassify,
  settledCounts,
  takeInReports,
  type UnmatchedReport,
  unmatchedReports,
} from '../../records/deliveries/report-checks.js';
import { noteDisproved } from '../../records/orders/searched.js';
import { readWatermarks, writeWatermarks } from '../../records/runs/watermarks.js';
import type { RunContext } from '../deps.js';
import { saveContext, writeFenced } from '../write-fenced.js';
import { countBreaks, type Differing, endDiffers, mostSingle, openDiffers, singleBreaks } from './report-breaks.js';

/** The last event of the inbox that was compared with the history. */
const TAKEN_IN = { kind: 'reports', name: 'taken in' };
const TAKE_IN = 5_000;
const CLASSIFIED_AT_ONCE = 10_000;
const DAY_MS = 86_400_000;
/** Two clocks, and the way between. */
const CLOCKS_MS = 60_000;

/** A complete poll of the history. */
export interface HistoryPoll {
  known: HistoryKnown;
  /** When it began, ms of our clock. */
  begunAt: number;
}

/**
 * STORY of events that the service did not send (docs/operate.md). Webhooks that came are searched for in what the history
 * has shown: what a complete poll lacks though it must have it was not sent. Null: the poll was not complete, and says nothing.
 */
export async function classifyReports(run: RunContext, poll: HistoryPoll | null): Promise<void> {
  const { runId, dryRun } = run.fence;
  if (dryRun || runId === null) return;
  await takeIn(run, runId);
  if (poll === null || !(await isAsked(run, poll))) return settle(run);
  await writeFenced({ ...run.deps, ...run }, async (trx) => {
    const labels = await secretsToClassify(trx, { listed: true });
    const lacking = lackingOf(await candidates(trx, run, { poll, labels }), { run, poll });
    return { breaksOpened: await classify(trx, run, { poll, labels, lacking }) };
  });
  await settle(run);
}

/** In small transactions; what is behind the watermark is matched, or has a row. */
async function takeIn(run: RunContext, runId: string): Promise<void> {
  const watermark = (await readWatermarks(run.deps.db, TAKEN_IN.kind)).get(TAKEN_IN.name)?.['id'];
  let place: Place | null = { after: typeof watermark === 'string' ? watermark : '0', isSettled: true };
  while (place !== null) {
    run.signal?.throwIfAborted();
    place = await takePart(run, runId, place);
  }
}

interface Place {
  after: string;
  /** Nothing before it can be committed late any more. */
  isSettled: boolean;
}

/** Null: nothing is left. The watermark stays before what is young. */
async function takePart(run: RunContext, runId: string, { after, isSettled }: Place): Promise<Place | null> {
  let next: Place | null = null;
  await writeFenced({ ...run.deps, ...run }, async (trx) => {
    const { last, settled, taken } = await takeInReports(trx, { after, limit: TAKE_IN });
    next = last === null || taken < TAKE_IN ? null : { after: last, isSettled: isSettled && settled === last };
    if (settled === null || !isSettled) return;
    await writeWatermarks(trx, TAKEN_IN.kind, runId, new Map([[TAKEN_IN.name, { id: settled }]]));
    await dropMatched(trx, settled);
  });
  return next;
}

/** There is something to classify, and the service still lists its endpoints: asked after the history was read. */
async function isAsked(run: RunContext, poll: HistoryPoll): Promise<boolean> {
  const { db } = run.deps;
  const waiting = await candidates(db, run, { poll, labels: await secretsToClassify(db, { listed: false }), limit: 1 });
  if (waiting.length === 0) return true;
  const endpoints = await run.prerequisite?.('endpoints');
  return endpoints?.complete === true;
}

function candidates(
  db: Knex,
  { deps }: RunContext,
  { poll, labels, limit = CLASSIFIED_AT_ONCE }: { poll: HistoryPoll; labels: readonly string[]; limit?: number },
): Promise<UnmatchedReport[]> {
  const { known, begunAt } = poll;
  const from = new Date(Math.max(0, known.from - CLOCKS_MS - poll.known.readAt + poll.begunAt));
  const until = new Date(begunAt - Math.max(0, deps.settings.missedGraceMs));
  return unmatchedReports(db, { labels, from, until, limit });
}

function lackingOf(
  reports: readonly UnmatchedReport[],
  { run, poll }: { run: RunContext; poll: HistoryPoll },
): UnmatchedReport[] {
  const known = { ...poll.known, from: poll.known.from - CLOCKS_MS };
  const graceMs = run.deps.settings.missedGraceMs;
  return reports.filter(({ receivedAt }) => {
    const arrivedAt = serviceTime(poll, receivedAt.getTime());
    const report = { arrivedAt, matched: false, endpointListed: true };
    return standingOf(report, { known, graceMs }) === 'not_sent';
  });
}

interface Forged {
  /** Found to lack now, under secrets of which a person said that they leaked. */
  reports: readonly UnmatchedReport[];
  poll: HistoryPoll;
  leaked: ReadonlySet<string>;
  now: Date;
}

/** Returns how many breaks were opened. */
async function classify(
  trx: Trx,
  run: RunContext,
  { poll, labels, lacking }: { poll: HistoryPoll; labels: readonly string[]; lacking: UnmatchedReport[] },
): Promise<number> {
  const now = run.deps.now();
  const leaked = await leakedLabels(trx);
  const others = lacking.filter(({ secretLabel }) => !leaked.has(secretLabel));
  const oldest = Math.min(now.getTime() - DAY_MS, ...others.slice(0, 1).map(({ receivedAt }) => receivedAt.getTime()));
  const since = new Date(oldest);
  const speaking = labels.filter((label) => !leaked.has(label));
  const counts = await countAll(trx, { since, labels: speaking, lacking: others });
  const sum = [...counts.values()].reduce((all, n) => all + n, 0);
  const matched = await countMatched(trx, new Date(serviceTime(poll, oldest)), matchedToCount(sum));
  if (historyDiffers({ lacking: sum, matched })) {
    await saveLacking(trx, lacking.map(plain), { state: 'differs', now });
    return openDiffers(trx, run, { lacking: sum, matched, since, counts });
  }
  const forged = lacking.filter(({ secretLabel }) => leaked.has(secretLabel));
  const doubt = await disprove(trx, run, { reports: forged, poll, leaked, now });
  if (doubt === null) await endDiffers(trx, run);
  const opened = doubt === null ? 0 : await openDiffers(trx, run, doubt);
  return opened + (await name(trx, run, { poll, lacking: others, now }));
}

/**
 * A person said that their secrets leaked: what came under them needs no break. Where the history lacks so much that
 * it may leave events out by itself, it disproves no more than when the person said so; that is what is returned.
 */
async function disprove(
  trx: Trx,
  { deps }: RunContext,
  { reports, poll, leaked, now }: Forged,
): Promise<Differing | null> {
  if (leaked.size === 0) return null;
  const since = incidentSince(now);
  const counts = await countAll(trx, { since, labels: [...leaked], lacking: reports });
  const lacking = [...counts.values()].reduce((all, n) => all + n, 0);
  const matched = await countMatched(trx, new Date(serviceTime(poll, since.getTime())), matchedToCount(lacking));
  await saveLacking(trx, reports.map(plain), { state: 'differs', now });
  const differs = historyDiffers({ lacking, matched });
  const labels = differs ? await undoubted(trx, leaked, now) : [...leaked];
  const ids = await markNotSent(trx, labels, now);
  await noteDisproved(trx, ids, { ...saveContext(deps), now });
  return labels.length === leaked.size ? null : { lacking, matched, since, counts };
}

/** By secret, what was found to lack before and what is now. */
async function countAll(
  trx: Trx,
  { since, labels, lacking }: { since: Date; labels: readonly string[]; lacking: readonly UnmatchedReport[] },
): Promise<Map<string, number>> {
  const counts = new Map((await countLacking(trx, since, labels)).map(({ label, n }) => [label, n]));
  for (const { secretLabel } of lacking) counts.set(secretLabel, (counts.get(secretLabel) ?? 0) + 1);
  return counts;
}

/** Each has a break of its own, so many a day and secret; one more break counts the rest. */
async function name(
  trx: Trx,
  run: RunContext,
  { poll, lacking, now }: { poll: HistoryPoll; lacking: readonly UnmatchedReport[]; now: Date },
): Promise<number> {
  if (lacking.length === 0) return 0;
  const singles = await countSingles(trx, new Date(now.getTime() - DAY_MS));
  const most = mostSingle(run.deps.contract);
  const named = lacking.map((report) => {
    const before = singles.get(report.secretLabel) ?? 0;
    singles.set(report.secretLabel, before + 1);
    return { ...report, single: before < most };
  });
  await saveLacking(trx, named, { state: 'not_sent', now });
  const { deps } = run;
  const ids = lacking.map(({ id }) => id);
  await noteDisproved(trx, ids, { ...saveContext(deps), now });
  const own = named.filter(({ single }) => single);
  const evidence = await evidenceOfReports(
    trx,
    own.map(({ id }) => id),
  );
  const rest = named.filter(({ single }) => !single);
  const opened = await openBreaks(
    trx,
    await withoutDecided(trx, singleBreaks(run, { own, evidence, known: poll.known })),
  );
  return opened + (await openBreaks(trx, countBreaks(run, rest, now)));
}

const plain = (report: UnmatchedReport): UnmatchedReport & { single: boolean } => ({ ...report, single: false });

/** Breaks that count, of which nothing is left. */
async function settle(run: RunContext): Promise<void> {
  const settled = await settledCounts(run.deps.db);
  if (settled.length === 0) return;
  const over = settled.map((id) => ({ kind: 'event_not_sent', entity: { kind: 'secret', id } }) as const);
  await writeFenced({ ...run.deps, ...run }, async (trx) => void (await autoResolveBreaks(trx, over)));
}

/** The two clocks, as they stood when the poll began. */
const serviceTime = ({ known, begunAt }: HistoryPoll, ours: number): number => ours + known.readAt - begunAt;
