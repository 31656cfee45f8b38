import type { Knex } from 'knex';
import type { MonthValue } from '../domain/books/carried-report.js';
import { type Chart, isEarned, numberIn, ownNumberIn } from '../domain/books/chart.js';
import { fiatReport, negatedValue, roundedValue, sumExactValues } from '../domain/books/fiat-report.js';
import { counted } from '../domain/in-words.js';
import { UsageError } from '../errors.js';
import type { Finding } from '../records/audit/verify-head.js';
import { accountValues } from '../records/books/account-totals.js';
import { entriesWithinOne } from '../records/books/month-entries.js';
import { firstMonth, unopenedAssets, unposted } from '../records/books/period-facts.js';
import { closedAt, periodFiles, readPeriodFile } from '../records/books/period-files.js';
import { databaseNow, postedUntil } from '../records/books/posting-progress.js';
import { raw, rowsOf, run, type Trx } from '../records/database/statements.js';
import { type ExportFormat, exportFormats } from './export-formats.js';
import type { ExportFile } from './exports/month-tables.js';
import { openStanding } from './exports/standing.js';
import { planFolder, writeFolder } from './exports/write-folder.js';
import { oneMoment, type PostingDeps } from './posting-deps.js';
import { verifyBooks } from './verify-books.js';

type BooksOf = Pick<PostingDeps, 'timeZone' | 'currency' | 'table'>;

interface Asked extends BooksOf {
  month: string;
  format: ExportFormat;
  chart: Chart;
  /** What was known by then has to be in an open month; left out: by now. */
  knownAt?: Date;
}

/**
 * Writes a month into a folder, all of one moment. `status`: of a closed month the very bytes that were stored when it was closed;
 * of an open one as the books stand now. `findings`: why they can't be taken for whole and right, in sentences.
 * @throws {UsageError} where the month is closed, and its closing stored no files of this format
 * @throws {Error} where a stored file is not what it was when it was stored
 */
export async function exportMonth(db: Knex, { dir, ...asked }: Asked & { dir: string }) {
  return withFiles(db, asked, async (trx, files) => {
    const label = labelOf(asked);
    if (files.length < 2) return writeFolder(dir, label, files);
    return besideIt(db, trx, async (twin) => writeFolder(dir, label, files, (await filesOf(twin, asked)).files));
  });
}

/** Which files `exportMonth` would write. Writes none; it throws what that would throw before it writes. */
export async function planExport(db: Knex, asked: Asked) {
  return withFiles(db, asked, async (_, files) => planFolder(labelOf(asked), files));
}

type MonthFile = ExportFile & { sha256?: string; bytes?: number };

async function withFiles<F>(db: Knex, asked: Asked, keep: (trx: Trx, files: MonthFile[]) => Promise<F>) {
  const { month, format } = asked;
  return db.transaction(async (trx) => {
    const { status, files } = await filesOf(trx, asked);
    const findings = await findingsOf(trx, asked, status);
    return { month, format, status, findings, files: await keep(trx, files) };
  }, ONE_MOMENT);
}

const ONE_MOMENT = { ...oneMoment, readOnly: true };

/** On a second connection that sees the moment of the first: the database then makes two files at once. */
async function besideIt<T>(db: Knex, trx: Trx, work: (twin: Trx) => Promise<T>): Promise<T> {
  const [moment] = await rowsOf<{ snapshot: string }>(trx)`SELECT pg_export_snapshot() AS snapshot`;
  return db.transaction(async (twin) => {
    await run(twin)`SET TRANSACTION SNAPSHOT ${raw(`'${moment?.snapshot}'`)}`;
    return work(twin);
  }, ONE_MOMENT);
}

const labelOf = ({ month, format }: Asked): string => `${month}-${format}`;

/** The stored files of a closed month; of an open one those that are made of the books while they are read. */
async function filesOf(trx: Trx, asked: Asked): Promise<{ status: 'closed' | 'open'; files: MonthFile[] }> {
  const { month, format, chart, currency, timeZone, table } = asked;
  const all = await periodFiles(trx, month);
  const stored = all.filter((file) => file.format === format);
  if (stored.length > 0)
    return { status: 'closed', files: stored.map((file) => ({ ...file, content: readPeriodFile(trx, file.id) })) };
  await refuseClosed(trx, asked, [...new Set(all.map((file) => file.format))]);
  const standing = await openStanding(trx, asked);
  const files = await exportFormats[format]({ trx, month, chart, currency, timeZone, table, standing });
  if (files.length === 0)
    throw new UsageError(`${format} asks for numbers of accounts: CHART_FILE has no ${format} (docs/finance.md)`);
  return { status: 'open', files };
}

/** What the files can't be taken for whole without, in sentences: what was changed, and of an open month what is not in it. */
async function findingsOf(trx: Trx, asked: Asked, status: 'open' | 'closed'): Promise<string[]> {
  const found: string[] = [];
  const reportFinding = ({ told }: Finding) => void found.push(told);
  await verifyBooks({ ...asked, db: trx }, { reportFinding });
  if (asked.format === 'datev') {
    const values = await accountValues(trx, asked.month, asked.currency);
    const unpriced = values.reduce((sum, one) => sum + one.unpriced, 0);
    if (unpriced > 0) found.push(`not in it: ${counted(unpriced, 'line')} without a rate`);
    // A closed month's files were made by the chart of its closing.
    if (status === 'open')
      found.push(...(await withinOneNumber(trx, asked, values)), ...earnedElsewhere(values, asked));
  }
  if (status === 'closed') return found;
  const { changes, due, isRenewing } = await unposted(trx, asked.knownAt ?? (await databaseNow(trx)));
  if (changes + due > 0 || isRenewing)
    found.push(`posted until ${await postedUntil(trx)}: ${counted(changes + due, 'change')} of records not posted yet`);
  for (const asset of await unopenedAssets(trx))
    found.push(`nothing of ${asset} is posted: its balance has no opening position`);
  const first = await firstMonth(trx);
  if (first === null || first > asked.month) found.push(`nothing is posted until the end of ${asked.month}`);
  return found;
}

/** No posting leads from a number to itself. */
async function withinOneNumber(
  trx: Trx,
  { month, chart: { datev } }: Asked,
  values: readonly { account: string }[],
): Promise<string[]> {
  if (datev === undefined) return [];
  const numbered = values.map(({ account }) => ({ account, number: numberIn(datev, account) }));
  const within = await entriesWithinOne(trx, month, numbered);
  if (within === 0) return [];
  return [
    `not in it: ${counted(within, 'entry', 'entries')} between accounts that have one number, such as ${datev.other}: CHART_FILE can give each its own`,
  ];
}

/** Of what has no number of its own, what was earned and spent: it stands on no account of the income statement. */
function earnedElsewhere(values: readonly MonthValue[], { currency, chart }: Asked): string[] {
  const { datev } = chart;
  if (datev === undefined) return [];
  // As the batch has them: each account rounded once.
  const { accounts: lost } = fiatReport(
    values.filter(({ account }) => isEarned(chart, account) && ownNumberIn(datev, account) === null),
    currency,
  );
  if (lost.length === 0) return [];
  const sum = sumExactValues(lost.map(({ value }) => value));
  const isLess = sum.startsWith('-');
  const names = lost.map(({ account, value }) => `${account} (${value})`).join(', ');
  const apart = `${roundedValue(isLess ? negatedValue(sum) : sum, currency)} ${currency} ${isLess ? 'less' : 'more'}`;
  return [
    `on ${datev.other} instead of the income statement: ${names}, which have no number in CHART_FILE. The result there is ${apart} than in the books`,
  ];
}

async function refuseClosed(
  trx: Trx,
  { month, format }: Pick<Asked, 'month' | 'format'>,
  stored: string[],
): Promise<void> {
  const closed = await closedAt(trx, month);
  if (closed === null) return;
  const others = stored.length === 0 ? 'none is' : `stored are ${stored.join(', ')}`;
  throw new UsageError(
    `${month} was closed on ${closed.toISOString()}, and ${format} was not stored then (${others}). Export a format that is stored, or reopen the month and close it again: its new closing stores every format.`,
  );
}
