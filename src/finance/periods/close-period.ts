import type { Chart } from '../../domain/books/chart.js';
import type { Missing, PeriodFile } from '../../domain/views/books-shapes.js';
import { type Approval, recordAction } from '../../records/actions/record-action.js';
import { sealHead } from '../../records/audit/list-seals.js';
import { sealRows } from '../../records/audit/seal-rows.js';
import type { KnownSeal } from '../../records/audit/verify-head.js';
import { verifySeals } from '../../records/audit/verify-seals.js';
import { lastEntry } from '../../records/books/list-entries.js';
import { storePeriodFile } from '../../records/books/period-files.js';
import { beginClosing, saveClosed } from '../../records/books/periods.js';
import { databaseNow, lockBooks } from '../../records/books/posting-progress.js';
import { freshStatistics } from '../../records/database/fresh-statistics.js';
import type { Trx } from '../../records/database/statements.js';
import { secretFingerprints } from '../../records/deliveries/secrets.js';
import { exportFormatNames, exportFormats } from '../export-formats.js';
import type { MonthBooks } from '../exports/month-tables.js';
import { doubtedIncome } from '../exports/standing.js';
import { matchOrders } from '../match-orders.js';
import { postEntries } from '../post-entries.js';
import { oneMoment, type PostingDeps } from '../posting-deps.js';
import { type CheckSettings, checkPeriod } from './check-period.js';

export interface ClosingDeps extends PostingDeps {
  now: () => Date;
  chart: Chart;
}

interface Asked {
  month: string;
  actor: string;
  /** Why it is to be closed though something is missing; null: only where nothing is. */
  reason: string | null;
  approval?: Approval;
}

export type CloseResult =
  /** `head`: of the seals, to be kept outside; the closing is under it. */
  | { outcome: 'closed'; month: string; missing: Missing[]; files: PeriodFile[]; head: KnownSeal | null }
  | { outcome: 'refused'; month: string; missing: Missing[] };

/** Posts what is known, then closes the month (YYYY-MM) and keeps what it exports to, in one transaction; also what was missing. */
export async function closePeriod(deps: ClosingDeps, asked: Asked): Promise<CloseResult> {
  const ready = await readyToClose(deps);
  const reason = asked.reason?.trim() || null;
  const result = await deps.db.transaction(async (trx) => {
    await lockBooks(trx);
    return closeIn(trx, ready, { ...asked, reason }, { missing: await missingToClose(trx, ready, asked.month) });
  }, oneMoment);
  return result.outcome === 'refused' ? result : { ...result, head: await sealClosing(deps) };
}

/** With all that is known posted, and what a verification of the seals came to. */
export type ReadyToClose = ClosingDeps & Required<Pick<CheckSettings, 'knownAt' | 'seals'>>;

export async function readyToClose(deps: ClosingDeps): Promise<ReadyToClose> {
  const knownAt = await databaseNow(deps.db);
  await sealRows(deps);
  const { findings, firstFinding } = await verifySeals(deps.db);
  await postEntries(deps);
  await freshStatistics(deps.db);
  await matchOrders({ ...deps, payoutWords: deps.table.words.payoutType });
  await freshStatistics(deps.db);
  return { ...deps, knownAt, seals: { findings, firstFinding: firstFinding?.told ?? null } };
}

/** What was closed is sealed at once: the head that is sent out has it. */
export async function sealClosing(deps: ClosingDeps): Promise<KnownSeal | null> {
  await sealRows(deps);
  return sealHead(deps.db);
}

/** Whether it is closed with what is missing; an empty reason is none. */
export function mayClose(missing: readonly Missing[], reason: string | null): boolean {
  return missing.every(({ byReason }) => byReason && (reason ?? '').trim() !== '');
}

/** In a transaction that holds the locks of the books. */
export async function missingToClose(trx: Trx, ready: ReadyToClose, month: string): Promise<Missing[]> {
  return (await checkPeriod(trx, month, { ...ready, now: ready.now(), isDeep: true })).missing;
}

/** `known`: what was found of its income in doubt in this transaction; left out: it is found now. */
export async function closeIn(
  trx: Trx,
  deps: ClosingDeps,
  { month, actor, reason, approval }: Asked,
  { missing, doubted: known }: { missing: Missing[]; doubted?: string | null },
): Promise<CloseResult> {
  const about = { actor, action: 'close period', target: `period ${month}`, reason, approval } as const;
  if (!mayClose(missing, reason)) {
    await recordAction(trx, { ...about, details: { missing }, outcome: 'refused' });
    return { outcome: 'refused', month, missing };
  }
  const doubted = known === undefined ? await doubtedIncome(trx, { ...deps, month }) : known;
  const standing = closedStanding(missing, doubted);
  const files = await storeFiles({ ...deps, trx, month, standing });
  await saveClosed(trx, month, { actor, reason });
  const hashes = files.map(({ name, sha256 }) => ({ name, sha256 }));
  const secrets = await secretFingerprints(trx);
  const { timeZone, currency } = deps;
  const details = { missing, doubted, files: hashes, lastEntry: await lastEntry(trx), secrets, timeZone, currency };
  await recordAction(trx, { ...about, details, outcome: 'done' });
  return { outcome: 'closed', month, missing, files, head: null };
}

const MOST_NOTES = 20;

function closedStanding(missing: readonly Missing[], doubted: string | null): MonthBooks['standing'] {
  const notes = missing.slice(0, MOST_NOTES).map(({ told }) => `Exception: ${told}`);
  const more = missing.length - MOST_NOTES;
  if (more > 0) notes.push(`Exceptions besides: ${more}`);
  if (doubted !== null) notes.push(doubted);
  return { state: missing.length === 0 ? 'closed' : 'closed with exceptions', notes };
}

async function storeFiles(books: MonthBooks): Promise<PeriodFile[]> {
  const { trx, month } = books;
  const closing = await beginClosing(trx, month);
  const stored: PeriodFile[] = [];
  for (const format of exportFormatNames) {
    for (const { name, content } of await exportFormats[format](books))
      stored.push(await storePeriodFile(trx, { month, closing, format, name }, content));
  }
  return stored;
}
