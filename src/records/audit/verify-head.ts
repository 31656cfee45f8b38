import type { Knex } from 'knex';
import { NO_SEAL } from '../../domain/audit/seal.js';
import { firstOf, rowOf, rowsOf } from '../database/statements.js';
import { getSeal, sealHead } from './list-seals.js';

export interface KnownSeal {
  number: string;
  hash: string;
}

/** Whether the newest seal is the one that was made last. Seals that are made meanwhile do no harm. */
export async function verifyHead(db: Knex, reportFinding: ReportFinding): Promise<void> {
  const newest = await firstOf<KnownSeal>(db)`SELECT number::text, hash FROM seals ORDER BY seals.number DESC LIMIT 1`;
  const last = newest ?? { number: '0', hash: NO_SEAL };
  const head = await sealHead(db);
  if (head !== null && BigInt(head.number) > BigInt(last.number) && (await getSeal(db, head.number)) === null) {
    const next = String(BigInt(last.number) + 1n);
    const message = `the newest seal is ${last.number}, and ${head.number} was made: seals ${next} to ${head.number} are missing`;
    return reportFinding(findingOf('seal_missing', message, { seal: next, from: next, to: head.number }));
  }
  const named = head === null || head.number === '0' ? null : await getSeal(db, head.number);
  const isRight = head !== null && (head.number === '0' ? last.number === '0' : named?.hash === head.hash);
  if (isRight && BigInt(head.number) >= BigInt(last.number)) return;
  const message = `the row that names the newest seal says ${head?.number ?? 'nothing'}, and the newest is ${last.number}`;
  reportFinding(findingOf('head_changed', message, { seal: last.number, from: last.number }));
}

/** Seals that were seen by earlier checks, and rows that others were made of. */
export async function verifyTails(db: Knex, reportFinding: ReportFinding): Promise<void> {
  const rows = await rowsOf<KnownSeal & { at: Date }>(db)`
    SELECT DISTINCT ON (last_seal, head_hash) last_seal::text AS number, head_hash AS hash, finished_at AS at FROM seal_checks
    LEFT JOIN seals ON number = last_seal
    WHERE findings = 0 AND last_seal > 0 AND head_hash IS DISTINCT FROM hash ORDER BY last_seal, head_hash LIMIT 100`;
  for (const { at, ...seal } of rows)
    await holdSeal(db, reportFinding, { seal, by: `the check of ${at.toISOString()} saw` });
  // What the store was sent is a row that was there: other marks of progress may name numbers that no row ever had.
  const { newest, known } = await rowOf<{ newest: string; known: string }>(db)`
    SELECT coalesce((SELECT max(seq) FROM changes), 0)::text AS newest,
           coalesce((SELECT max(seq) FROM callbacks), 0)::text AS known`;
  if (BigInt(known) <= BigInt(newest)) return;
  const from = String(BigInt(newest) + 1n);
  const message = `the history of changes ends at row ${newest}, and the store was sent row ${known}: what came between is missing`;
  reportFinding(findingOf('tail_missing', message, { log: 'changes', from, to: known }));
}

/** Seals that somebody kept elsewhere. */
export async function verifyExpected(
  db: Knex,
  reportFinding: ReportFinding,
  expected: readonly KnownSeal[],
): Promise<void> {
  for (const seal of expected) await holdSeal(db, reportFinding, { seal, by: 'expected was' });
}

async function holdSeal(
  db: Knex,
  reportFinding: ReportFinding,
  { seal, by }: { seal: KnownSeal; by: string },
): Promise<void> {
  const { number, hash } = seal;
  const found = await getSeal(db, number);
  if (found?.hash === hash) return;
  const message = `${by} seal ${number} as ${hash.slice(0, 16)}…; ${found === null ? 'it is missing' : `it is ${found.hash.slice(0, 16)}…`}`;
  reportFinding(findingOf(found === null ? 'seal_missing' : 'seal_changed', message, { seal: number, from: number }));
}

/** Something that is not as it was sealed, and where. */
export interface Finding {
  what:
    | 'row_changed'
    | 'row_missing'
    | 'row_added'
    /** Said besides: what was the row `from` is the row `to` now. */
    | 'row_moved'
    /** Rows whose seals are missing. */
    | 'row_unsealed'
    | 'seal_changed'
    | 'seal_missing'
    | 'head_changed'
    /** A stored file of a closed month. */
    | 'file_changed'
    /** The state of a month, without an action. */
    | 'period_changed'
    /** An entry that was posted into a closed month. */
    | 'entry_late'
    /** Sums of lines are not those that are kept, or were stored when a month was closed. */
    | 'accounts_differ'
    /** The books hold something else than the balance is proven by. */
    | 'balance_differs'
    /** A row that comes only with an action of a person, without it. */
    | 'action_missing'
    /** What two people decide, without the actions of asking and deciding. */
    | 'decision_changed'
    /** A break is not what its steps say, or not what was written off. */
    | 'break_changed'
    /** A column of a record is not what the record itself says. */
    | 'record_changed'
    /** What is kept of records is not what they come to. */
    | 'sums_differ'
    /** Entries are not what their record comes to. */
    | 'entry_differs'
    /** Rows at the end of a log that others were made of. */
    | 'tail_missing';
  /** The number of the seal; null: no one seal. */
  seal: string | null;
  log: string | null;
  /** The first and the last: rows of the log, or seals where there is none; of the books a month, an asset or a record. */
  from: string;
  to: string;
  /** How many rows. */
  rows: number;
  /** The same in words. */
  told: string;
}

/** `to`: left out where it is the first alone. */
export function findingOf(
  what: Finding['what'],
  message: string,
  {
    seal = null,
    log = null,
    from,
    to = from,
    rows = 0,
  }: Pick<Finding, 'from'> & Partial<Omit<Finding, 'what' | 'told'>>,
): Finding {
  return { what, seal, log, from, to, rows, told: message };
}

export type ReportFinding = (finding: Finding) => void;
