import { type BreakKind, breakKinds, checkKinds, runChecks } from '../../domain/breaks/breaks.js';
import {
  classifyListing,
  type DisputeStanding,
  type FilterListing,
  outsideIrregular,
  standingOf,
  unknownStanding,
} from '../../domain/breaks/disputes.js';
import type { Findings } from '../../domain/breaks/findings.js';
import { defaultPayoutWords } from '../../domain/family/links.js';
import { defaultKytWords } from '../../domain/orders/kyt.js';
import type { EntityRef } from '../../domain/records.js';
import { autoResolveBreaks, openBreaks, renewEvidence, stillOpen } from '../../records/breaks/breaks.js';
import {
  changedEntities,
  dueChecks,
  lockCheckWatermark,
  moveCheckWatermark,
  planChecks,
  readEvidence,
  settledChanges,
  writeEvidence,
} from '../../records/breaks/check-progress.js';
import {
  closeFilterListing,
  hasNewListing,
  loadDisputed,
  openDisputes,
  openFilterListing,
} from '../../records/breaks/filter-listings.js';
import { openEvidence } from '../../records/breaks/list-breaks.js';
import { loadCheckFacts } from '../../records/breaks/load-check-facts.js';
import { describeError, isPassing } from '../../records/database/database-errors.js';
import { BY_KEYS, type Trx } from '../../records/database/statements.js';
import type { ReconcileDeps } from '../deps.js';
import { whilePassing } from '../write-fenced.js';

export type CrossCheckDeps = Pick<ReconcileDeps, 'db' | 'log' | 'now' | 'adoptedAt' | 'kytWords' | 'payoutWords'>;

/** What cross-checking did. `checked`: records and orders; one that was checked twice counts twice. */
export interface CrossCheckReport {
  checked: number;
  opened: number;
  resolved: number;
}

interface Scope {
  /** Leaves out what the sums of amounts say: of what is older than their proof that is known, and no break. */
  withoutFees?: boolean;
}

const CHANGES_AT_ONCE = 1_000;
const DUE_AT_ONCE = 500;
const DISPUTES_AT_ONCE = 500;
/** What could not be checked is checked again after so long, or when it changes. */
const AFTER_FAILURE_MS = 3_600_000;

/**
 * Holds records against one another: those that changed since the last time, those whose grace ended, and open disputes
 * against a new listing of the filter `irregular`. Opens and resolves breaks, in slices of one transaction each. What
 * changes meanwhile is left for the next time: a long first poll must not keep it going. Two at once take turns; the same
 * again changes nothing. One whose check throws is logged and checked again in an hour; the others go on.
 */
export async function crossCheck(deps: CrossCheckDeps, signal?: AbortSignal): Promise<CrossCheckReport> {
  const report = nothingChecked();
  if (await hasNewListing(deps.db, 'payment_intent', 'irregular'))
    add(report, await inTransaction(deps, (trx) => checkListing(trx, deps)));
  const settled = await settledChanges(deps.db, deps.now());
  if (settled === null) return report;
  for (let more = true; more; ) {
    signal?.throwIfAborted();
    const slice = await inTransaction(deps, (trx) => checkSlice(trx, deps, settled));
    add(report, slice.report);
    more = slice.more;
  }
  return report;
}

async function checkSlice(
  trx: Trx,
  deps: CrossCheckDeps,
  settled: string,
): Promise<{ report: CrossCheckReport; more: boolean }> {
  const after = await lockCheckWatermark(trx);
  const changed = await changedEntities(trx, { after, settled }, CHANGES_AT_ONCE);
  const due = await dueChecks(trx, deps.now(), DUE_AT_ONCE);
  const entities = [...changed.entities, ...due];
  const more = changed.more || due.length === DUE_AT_ONCE;
  if (entities.length === 0) return { report: nothingChecked(), more };
  if (changed.upTo !== after) await moveCheckWatermark(trx, changed.upTo);
  return { report: await checkEach(trx, entities, deps), more };
}

/** Records and orders, those apart of which the check throws. The caller holds the watermark. */
export async function checkEach(
  trx: Trx,
  entities: readonly EntityRef[],
  deps: CrossCheckDeps & Scope,
): Promise<CrossCheckReport> {
  const report = nothingChecked();
  await checkApart(trx, entities, {
    work: async (part, some) => add(report, await checkEntities(part, some, deps)),
    fail: async (part, entity, error) => {
      deps.log.error({ entity, error: describeError(error) }, 'cross-check failed');
      await planChecks(part, [entity], [{ entity, at: deps.now().getTime() + AFTER_FAILURE_MS }]);
    },
  });
  return report;
}

async function checkEntities(
  trx: Trx,
  entities: readonly EntityRef[],
  { now, adoptedAt, kytWords = defaultKytWords, payoutWords = defaultPayoutWords, withoutFees }: CrossCheckDeps & Scope,
): Promise<CrossCheckReport> {
  const context = { now: now(), adoptedAt, kytWords, payoutWords };
  const facts = await loadCheckFacts(trx, entities, context);
  const known = await readEvidence(trx);
  const { findings, evidence } = withoutFees
    ? { findings: checkKinds(breakKinds, facts), evidence: known }
    : runChecks(facts, known);
  await writeEvidence(trx, evidence, known);
  await planChecks(trx, entities, findings.again);
  return { checked: entities.length, ...(await saveFindings(trx, findings)) };
}

async function checkListing(trx: Trx, { adoptedAt, log }: CrossCheckDeps): Promise<CrossCheckReport> {
  const report = nothingChecked();
  const listing = await openFilterListing(trx, 'payment_intent', 'irregular');
  if (listing === null) return report;
  const disputes: DisputeStanding[] = [];
  const holding: Apart<string> = {
    work: async (part, some) => {
      const disputed = await loadDisputed(part, some, adoptedAt);
      disputes.push(...disputed.map((intent) => standingOf(intent, listing)));
    },
    fail: async (_part, id, error) => {
      disputes.push(...unknownStanding(id));
      const entity = { kind: 'payment_intent', id };
      log.error({ entity, error: describeError(error) }, 'dispute check failed');
    },
  };
  const ids = await openDisputes(trx);
  for (let at = 0; at < ids.length; at += DISPUTES_AT_ONCE)
    await checkApart(trx, ids.slice(at, at + DISPUTES_AT_ONCE), holding);
  add(report, { checked: disputes.length, ...(await saveListing(trx, disputes, listing)) });
  const awaits = disputes.some(({ place }) => place === 'awaited');
  if (!awaits) await closeFilterListing(trx, 'payment_intent', 'irregular');
  return report;
}

/** The one finding about the filter. Those of an older version, one for each payment, are over. */
async function saveListing(
  trx: Trx,
  disputes: readonly DisputeStanding[],
  listing: FilterListing,
): Promise<Pick<CrossCheckReport, 'opened' | 'resolved'>> {
  const { kind, entity } = outsideIrregular;
  const known = await openEvidence(trx, kind, entity.kind, null);
  const before = known.get(entity.id) ?? null;
  known.delete(entity.id);
  const findings = classifyListing(disputes, listing, before);
  const older = [...known.keys()].map((id) => ({ kind, entity: { kind: entity.kind, id } }));
  const saved = await saveFindings(trx, { open: findings.open, resolve: [...findings.resolve, ...older] });
  if (before !== null) for (const found of findings.open) await renewEvidence(trx, found);
  return saved;
}

async function saveFindings(
  trx: Trx,
  { open, resolve }: Findings<BreakKind>,
): Promise<Pick<CrossCheckReport, 'opened' | 'resolved'>> {
  const resolved = await autoResolveBreaks(trx, await stillOpen(trx, resolve));
  return { opened: await openBreaks(trx, open), resolved };
}

export function inTransaction<T>({ db }: CrossCheckDeps, work: (trx: Trx) => Promise<T>): Promise<T> {
  return whilePassing(() =>
    db.transaction(async (trx) => {
      await trx.raw(BY_KEYS);
      return work(trx);
    }),
  );
}

export const nothingChecked = (): CrossCheckReport => ({ checked: 0, opened: 0, resolved: 0 });

export function add(report: CrossCheckReport, more: CrossCheckReport): void {
  report.checked += more.checked;
  report.opened += more.opened;
  report.resolved += more.resolved;
}

interface Apart<Item> {
  /** May be called again with fewer of them; what it wrote when it threw is undone. */
  work: (trx: Trx, items: readonly Item[]) => Promise<void>;
  /** One that can't be worked on even alone. */
  fail: (trx: Trx, item: Item, error: unknown) => Promise<void>;
}

/** In halves where that throws, so that one fails alone. The database's condition is nobody's fault: it is thrown. */
async function checkApart<Item>(trx: Trx, items: readonly Item[], { work, fail }: Apart<Item>): Promise<void> {
  const [first] = items;
  if (first === undefined) return;
  try {
    await trx.transaction((part) => work(part, items));
  } catch (error) {
    if (isPassing(error)) throw error;
    if (items.length === 1) return fail(trx, first, error);
    const middle = Math.ceil(items.length / 2);
    await checkApart(trx, items.slice(0, middle), { work, fail });
    await checkApart(trx, items.slice(middle), { work, fail });
  }
}
