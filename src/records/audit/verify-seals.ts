import { createHash } from 'node:crypto';
import type { Knex } from 'knex';
import { compareRows, type FaultyRows, type MovedRows, movedRows } from '../../domain/audit/compare-rows.js';
import { NO_SEAL, type RowHash, rowHash, rowsHashOf, sealHash, unpackRowHashes } from '../../domain/audit/seal.js';
import { readPeriodFile } from '../books/period-files.js';
import { rowsOf } from '../database/statements.js';
import { readSeals, type SealRange, type StoredSeal, sealBefore } from './list-seals.js';
import { readSealedRows, type SealedLog, sealedLogs } from './sealed-logs.js';
import {
  type Finding,
  findingOf,
  type KnownSeal,
  type ReportFinding,
  verifyExpected,
  verifyHead,
  verifyTails,
} from './verify-head.js';

export interface VerifyOptions extends Partial<SealRange> {
  /** Seals that somebody kept elsewhere: each must be in the chain. */
  expected?: readonly KnownSeal[];
  onFinding?: ReportFinding;
  onProgress?: (at: { seal: string; rows: number }) => void;
  /** Done after each seal: what must not wait until all is verified. */
  meanwhile?: () => Promise<void>;
  /** Done after all seals, where all are verified: what else is to be held against them. */
  also?: (reportFinding: ReportFinding) => Promise<void>;
  signal?: AbortSignal;
}

export interface Verified {
  /** Numbers of the first and last seal that were checked; null: there was none. */
  first: string | null;
  last: string | null;
  /** Of the last. */
  headHash: string;
  seals: number;
  rows: number;
  findings: number;
  /** How many of them only the expected seals name. */
  unexpected: number;
  firstFinding: Finding | null;
  /** From the first seal to the newest, without being cut off. */
  isWhole: boolean;
}

interface SealScan {
  db: Knex;
  found: Verified;
  reportFinding: ReportFinding;
  moved: MovedRows;
  before: Pick<StoredSeal, 'number' | 'hash'>;
  /** Where the newest seal of each log ends; null: that seal is one of those that are missing. */
  until: Map<string, string>;
}

/**
 * Recomputes seals and the rows they are of, one after the other, and reports whatever is not as it was sealed. Memory does not grow
 * with the log. Reads only.
 */
export async function verifySeals(db: Knex, options: VerifyOptions = {}): Promise<Verified> {
  const { from = null, to = null, expected = [], onProgress, meanwhile, signal } = options;
  const scan = await begin(db, from, options.onFinding ?? (() => {}));
  for await (const seals of readSeals(db, { from, to })) {
    for (const seal of seals) {
      if (signal?.aborted) return { ...scan.found, isWhole: false };
      await verifySeal(scan, seal);
      onProgress?.({ seal: seal.number, rows: scan.found.rows });
      await meanwhile?.();
    }
  }
  for (const { log, from, to: is } of scan.moved.found((name) => logOf(name)?.place ?? 'id')) {
    const message = `what was row ${from} of ${log} is row ${is}`;
    scan.reportFinding(findingOf('row_moved', message, { log, from, to: is, rows: 1 }));
  }
  if (to === null) await verifyHead(db, scan.reportFinding);
  await verifyTails(db, scan.reportFinding);
  if (from === null && to === null) await options.also?.(scan.reportFinding);
  const before = scan.found.findings;
  await verifyExpected(db, scan.reportFinding, expected);
  return { ...scan.found, unexpected: scan.found.findings - before, isWhole: from === null && to === null };
}

async function begin(db: Knex, from: string | null, onFinding: ReportFinding): Promise<SealScan> {
  const before = from === null ? null : await sealBefore(db, from);
  const until = new Map<string, string>();
  for (const { name } of from === null ? [] : sealedLogs) {
    const last = await sealBefore(db, from ?? '', name);
    if (last !== null) until.set(name, last.until);
  }
  const number = from === null || BigInt(from) <= 1n ? '0' : String(BigInt(from) - 1n);
  const isThere = before?.number === number;
  const scan: SealScan = {
    found: {
      first: null,
      last: null,
      headHash: NO_SEAL,
      seals: 0,
      rows: 0,
      findings: 0,
      unexpected: 0,
      firstFinding: null,
      isWhole: false,
    },
    db,
    moved: movedRows(),
    before: { number, hash: isThere ? before.hash : number === '0' ? NO_SEAL : '' },
    until,
    reportFinding: (finding) => {
      scan.found.findings += 1;
      scan.found.firstFinding ??= finding;
      onFinding(finding);
    },
  };
  return scan;
}

async function verifySeal(scan: SealScan, seal: StoredSeal): Promise<void> {
  const hashes = unpackRowHashes(seal.rowHashes);
  const missing = reportMissing(scan, seal);
  const faults = [...faultsOf(seal, hashes), ...(missing ? [] : linkFaults(scan, seal))];
  for (const fault of faults) scan.reportFinding(sealFinding(seal, fault));
  const log = logOf(seal.log);
  if (log === undefined)
    scan.reportFinding(sealFinding(seal, `it is of a log “${seal.log.slice(0, 40)}” that there is not`));
  else await verifyRows(scan, seal, { log, hashes: hashes ?? [] });
  scan.before = { number: seal.number, hash: seal.hash };
  scan.until.set(seal.log, seal.until);
  scan.found.first ??= seal.number;
  scan.found.last = seal.number;
  scan.found.headHash = seal.hash;
  scan.found.seals += 1;
}

/** Whether the seal before it is not there. */
function reportMissing(scan: SealScan, seal: StoredSeal): boolean {
  const next = String(BigInt(scan.before.number) + 1n);
  const { number, log, after, previous } = seal;
  if (number === next) {
    if (scan.before.hash === '') scan.before = { number: scan.before.number, hash: previous };
    return false;
  }
  const last = String(BigInt(number) - 1n);
  const which = next === last ? `seal ${next} is` : `seals ${next} to ${last} are`;
  scan.reportFinding(findingOf('seal_missing', `${which} missing`, { seal: next, from: next, to: last }));
  const from = scan.until.get(log) ?? '0';
  if (from !== after) {
    const message = `the rows of ${log} above ${from}, up to ${after}, have no seal any more`;
    scan.reportFinding(findingOf('row_unsealed', message, { log, from, to: after }));
  }
  return true;
}

function faultsOf(seal: StoredSeal, hashes: RowHash[] | null): string[] {
  const faults: string[] = [];
  if (hashes === null || hashes.length !== seal.rows || rowsHashOf(hashes) !== seal.rowsHash)
    faults.push('the hashes of its rows are not those that it was made of');
  if (sealHash(seal) !== seal.hash) faults.push('its hash is not that of what it says');
  return faults;
}

function linkFaults({ before, until }: SealScan, seal: StoredSeal): string[] {
  const faults: string[] = [];
  if (seal.previous !== before.hash)
    faults.push(`it does not follow seal ${before.number}: one of the two was made anew`);
  const reached = until.get(seal.log) ?? '0';
  if (reached !== seal.after) faults.push(`it begins after row ${seal.after} of ${seal.log}, not after ${reached}`);
  return faults;
}

/** Where only the list of hashes was changed, the rows are held against the hash of the whole. */
async function verifyRows(
  scan: SealScan,
  seal: StoredSeal,
  { log, hashes }: { log: SealedLog; hashes: RowHash[] },
): Promise<void> {
  const isTrue = rowsHashOf(hashes) === seal.rowsHash;
  const found: FaultyRows[] = [];
  const read: RowHash[] = [];
  const comparison = compareRows(hashes, (fault) => found.push(fault), {
    row: (row) => isTrue && scan.moved.row(log.name, row),
    hash: (hash) => isTrue && scan.moved.hash(log.name, hash),
  });
  const range = { after: seal.after === '0' ? null : seal.after, until: seal.until };
  for await (const rows of readSealedRows(scan.db, log, range)) {
    for (const row of rows) {
      comparison.add(row);
      if (!isTrue) read.push(rowHash(row));
    }
    scan.found.rows += rows.length;
  }
  comparison.end();
  if (!isTrue && rowsHashOf(read) === seal.rowsHash) return;
  for (const fault of found) scan.reportFinding(rowFinding(seal, fault));
  if (log.name === 'period_files') await verifyFiles(scan.db, seal, scan.reportFinding);
}

const words = {
  row_changed: 'not what was sealed',
  row_missing: 'missing',
  row_added: 'not what was sealed: nothing was there',
};

function rowFinding({ number: seal, log }: StoredSeal, { what, from, to, rows }: FaultyRows): Finding {
  const which = rows === 1 ? `row ${from} of ${log} is` : `${rows} rows of ${log}, from ${from} to ${to}, are`;
  return findingOf(what, `${which} ${words[what]} (seal ${seal})`, { seal, log, from, to, rows });
}

function sealFinding({ number: seal, log }: StoredSeal, fault: string): Finding {
  return findingOf('seal_changed', `seal ${seal}: ${fault}`, { seal, log, from: seal });
}

const logOf = (name: string): SealedLog | undefined => sealedLogs.find((log) => log.name === name);

/** The seal is of a file's hash: its bytes are held against that. */
async function verifyFiles(db: Knex, seal: StoredSeal, reportFinding: ReportFinding): Promise<void> {
  const files = await rowsOf<{ id: string; name: string; sha256: string }>(db)`
    SELECT id, name, sha256 FROM period_files WHERE id > ${seal.after} AND id <= ${seal.until} ORDER BY id`;
  for (const { id, name, sha256 } of files) {
    const hash = createHash('sha256');
    for await (const part of readPeriodFile(db, id)) hash.update(part);
    if (hash.digest('hex') === sha256) continue;
    const message = `the stored file ${name} (row ${id} of period_files) is not what was stored`;
    reportFinding(findingOf('file_changed', message, { seal: seal.number, log: seal.log, from: id, rows: 1 }));
  }
}
