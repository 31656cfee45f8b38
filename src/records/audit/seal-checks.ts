import type { Knex } from 'knex';
import { fromDatabaseText, toDatabaseText } from '../database/database-text.js';
import { type Verified, type VerifyOptions, verifySeals } from './verify-seals.js';

export interface SealCheck {
  startedAt: string;
  finishedAt: string;
  actor: string;
  firstSeal: string;
  lastSeal: string;
  rows: number;
  findings: number;
  firstFinding: string | null;
  /** From the first seal to the newest of then. */
  isWhole: boolean;
}

/** Verifies and keeps what came of it; what was cut off is not kept. */
export async function checkSeals(
  { db, now }: { db: Knex; now: () => Date },
  { actor, ...options }: VerifyOptions & { actor: string },
): Promise<Verified> {
  const startedAt = now();
  const verified = await verifySeals(db, options);
  if (options.signal?.aborted) return verified;
  const { first, last, headHash, rows, findings, firstFinding, isWhole } = verified;
  await db('seal_checks').insert({
    started_at: startedAt,
    finished_at: now(),
    actor: toDatabaseText(actor),
    first_seal: first ?? '0',
    last_seal: last ?? '0',
    head_hash: headHash,
    rows,
    findings,
    first_finding: firstFinding === null ? null : toDatabaseText(firstFinding.told),
    is_whole: isWhole,
  });
  return verified;
}

interface Row {
  started_at: Date;
  finished_at: Date;
  actor: string;
  first_seal: string;
  last_seal: string;
  rows: string;
  findings: number;
  first_finding: string | null;
  is_whole: boolean;
}

/** The newest; with `whole` the newest that went through everything. Null: there is none. */
export async function lastSealCheck(db: Knex, { whole = false } = {}): Promise<SealCheck | null> {
  const checks = db<Row>('seal_checks').orderBy('id', 'desc');
  const row = await (whole ? checks.where({ is_whole: true }) : checks).first();
  if (row === undefined) return null;
  return {
    startedAt: row.started_at.toISOString(),
    finishedAt: row.finished_at.toISOString(),
    actor: fromDatabaseText(row.actor),
    firstSeal: row.first_seal,
    lastSeal: row.last_seal,
    rows: Number(row.rows),
    findings: row.findings,
    firstFinding: row.first_finding === null ? null : fromDatabaseText(row.first_finding),
    isWhole: row.is_whole,
  };
}
