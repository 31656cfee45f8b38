import type { Knex } from 'knex';
import type { Chart } from '../../domain/books/chart.js';
import type { Missing, PeriodFile } from '../../domain/views/books-shapes.js';
import { recordAction } from '../../records/actions/record-action.js';
import { sealHead } from '../../records/audit/list-seals.js';
import { sealRows } from '../../records/audit/seal-rows.js';
import type { KnownSeal } from '../../records/audit/verify-head.js';
import { verifySeals } from '../../records/audit/verify-seals.js';
import { lastEntry } from '../../records/books/list-entries.js';
import { storePeriodFile } from '../../records/books/period-files.js';
import { beginClosing, saveClosed } from '../../records/books/periods.js';
import { databaseNow, lockBooks } from '../../records/books/posting-progress.js';
import { secretFingerprints } from '../../records/deliveries/secrets.js';
import { exportFormatNames, exportFormats } from '../export-formats.js';
import type { MonthBooks } from '../exports/month-tables.js';
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
}

export type CloseResult =
  /** `head`: of the seals, to be kept outside; the closing is under it. */
  | { outcome: 'closed'; month: string; missing: Missing[]; files: PeriodFile[]; head: KnownSeal | null }
  | { outcome: 'refused'; month: string; missing: Missing[] };

/** Posts what is known, then closes the month (YYYY-MM) and keeps what it exports to, in one transaction; also what was missing. */
export async function closePeriod(deps: ClosingDeps, asked: Asked): Promise<CloseResult> {
  const knownAt = await databaseNow(deps.db);
  await sealRows(deps);
  const { findings, firstFinding } = await verifySeals(deps.db);
  const known = { knownAt, seals: { findings, firstFinding: firstFinding?.told ?? null } };
  await postEntries(deps);
  const reason = asked.reason?.trim() || null;
  const result = await deps.db.transaction(
    (trx) => closeNow(trx, { ...deps, ...known }, { ...asked, reason }),
    oneMoment,
  );
  if (result.outcome === 'refused') return result;
  // What was closed is sealed at once: the head that is sent out has it.
  await sealRows(deps);
  return { ...result, head: await sealHead(deps.db) };
}

/** Whether it is closed with what is missing; an empty reason is none. */
export function mayClose(missing: readonly Missing[], reason: string | null): boolean {
  return missing.every(({ byReason }) => byReason && (reason ?? '').trim() !== '');
}

async function closeNow(
  trx: Knex.Transaction,
  deps: ClosingDeps & Required<Pick<CheckSettings, 'knownAt' | 'seals'>>,
  { month, actor, reason }: Asked,
): Promise<CloseResult> {
  await lockBooks(trx);
  const { missing } = await checkPeriod(trx, month, { ...deps, now: deps.now(), isDeep: true });
  const about = { actor, action: 'close period', target: `period ${month}`, reason } as const;
  if (!mayClose(missing, reason)) {
    await recordAction(trx, { ...about, details: { missing }, outcome: 'refused' });
    return { outcome: 'refused', month, missing };
  }
  const standing = closedStanding(missing);
  const files = await storeFiles({ ...deps, trx, month, standing });
  await saveClosed(trx, month, { actor, reason });
  const hashes = files.map(({ name, sha256 }) => ({ name, sha256 }));
  const secrets = await secretFingerprints(trx);
  const { timeZone, currency } = deps;
  const details = { missing, files: hashes, lastEntry: await lastEntry(trx), secrets, timeZone, currency };
  await recordAction(trx, { ...about, details, outcome: 'done' });
  return { outcome: 'closed', month, missing, files, head: null };
}

const MOST_NOTES = 20;

function closedStanding(missing: readonly Missing[]): MonthBooks['standing'] {
  const notes = missing.slice(0, MOST_NOTES).map(({ told }) => `Exception: ${told}`);
  const more = missing.length - MOST_NOTES;
  if (more > 0) notes.push(`Exceptions besides: ${more}`);
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
