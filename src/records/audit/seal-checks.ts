import type { Knex } from 'knex';
import { z } from 'zod';
import { firstOf, raw, rowOf } from '../database/statements.js';
import { asColumns, type RowOf, viewOf } from '../database/view-of.js';
import { type LogName, sealedLogs } from './sealed-logs.js';
import { type Verified, type VerifyOptions, verifySeals } from './verify-seals.js';

const sealCheckShape = z.object({
  startedAt: z.string(),
  finishedAt: z.string(),
  actor: z.string(),
  firstSeal: z.string(),
  lastSeal: z.string(),
  rows: z.number(),
  findings: z.number(),
  firstFinding: z.string().nullable(),
  /** From the first seal to the newest of then. */
  isWhole: z.boolean(),
});
export type SealCheck = z.infer<typeof sealCheckShape>;
type Row = RowOf<Omit<SealCheck, 'rows'>> & { rows: string };

/**
 * Verifies and keeps what came of it. What was cut off is not kept, nor what only seals kept elsewhere name: a number that
 * somebody typed wrong is no finding of the logs, and a chain that is not the expected one is not called well.
 */
export async function checkSeals(
  { db, now }: { db: Knex; now: () => Date },
  { actor, ...options }: VerifyOptions & { actor: string },
): Promise<Verified> {
  const startedAt = now();
  const verified = await verifySeals(db, options);
  const { first, last, headHash, rows, unexpected, firstFinding, isWhole } = verified;
  const findings = verified.findings - unexpected;
  if (options.signal?.aborted || (findings === 0 && unexpected > 0)) return verified;
  const check = { startedAt, finishedAt: now(), actor, headHash, rows, findings, isWhole };
  const seals = { firstSeal: first ?? '0', lastSeal: last ?? '0', firstFinding: firstFinding?.told ?? null };
  await db('seal_checks').insert(asColumns({ ...check, ...seals }));
  return verified;
}

/** The newest; with `whole` the newest that went through everything. Null: there is none. */
export async function lastSealCheck(db: Knex, { whole = false } = {}): Promise<SealCheck | null> {
  const checks = db<Row>('seal_checks').orderBy('id', 'desc');
  const row = await (whole ? checks.where({ is_whole: true }) : checks).first();
  return row === undefined ? null : toView(row);
}

/**
 * What the logs are known to be: the newest check that found something since the newest whole one began, else that one. A part that
 * is well says nothing of the others. Null: nothing was verified yet.
 */
export async function decidingSealCheck(db: Knex): Promise<SealCheck | null> {
  const found = await firstOf<Row>(db)`
    WITH whole AS (SELECT id, started_at FROM seal_checks WHERE is_whole ORDER BY id DESC LIMIT 1)
    SELECT seal_checks.* FROM seal_checks LEFT JOIN whole ON true
    WHERE findings > 0 AND (whole.id IS NULL OR seal_checks.id >= whole.id OR finished_at > whole.started_at)
    ORDER BY seal_checks.id DESC LIMIT 1`;
  return found === undefined
    ? ((await lastSealCheck(db, { whole: true })) ?? (await lastSealCheck(db)))
    : toView(found);
}

/** How long all seals were not verified; never: since sealing began. In seconds. */
export async function unverifiedSeconds(db: Knex, now: Date): Promise<number> {
  const whole = await lastSealCheck(db, { whole: true });
  const since = whole === null ? await sealingBegan(db) : Date.parse(whole.finishedAt);
  return Math.max(0, (now.getTime() - since) / 1_000);
}

async function sealingBegan(db: Knex): Promise<number> {
  const { at } = await rowOf<{ at: Date }>(db)`SELECT ${raw(SEALING_BEGAN)} AS at`;
  return at.getTime();
}

const toView = (row: Row): SealCheck => viewOf(sealCheckShape, row, { rows: Number(row.rows) });

export interface SealState {
  /** Null: nothing is sealed yet. */
  newest: { number: string; hash: string; sealedAt: string } | null;
  /** Of each log: the rows after its newest seal, counted as far as `MOST_COUNTED`, and since when the oldest of them waits. */
  unsealed: { log: LogName; rows: number; oldestAt: string | null }[];
}

/** Where a first poll has just written a million rows, nobody wants to wait for their number. */
const MOST_COUNTED = 10_000;

/** SQL: rows that were there when the database learnt to seal have waited since then. */
const SEALING_BEGAN = `coalesce((SELECT min(migration_time) FROM migrations WHERE name LIKE '0036\\_%'), '-infinity')`;

/** In words; "or more" where no further was counted. */
export const unsealedText = (rows: number): string => (rows < MOST_COUNTED ? String(rows) : `${rows} or more`);

/** SQL: since when a row waits, whatever somebody made of its time. */
const waitsSince = (time: string) => `least(greatest(${time}, ${SEALING_BEGAN}), now())`;

/** When a row was written. */
const times: Readonly<Record<LogName, string>> = {
  changes: 'changed_at',
  entries: 'posted_at',
  entry_rates: 'valued_at',
  given_rates: 'imported_at',
  balance_attributions: 'at',
  opened_assets: 'opened_at',
  break_steps: 'at',
  period_files: 'stored_at',
  actions: 'at',
};

/** SQL: since when each of the first rows waits that no seal covers yet. */
function firstWaiting({ name, table, place }: (typeof sealedLogs)[number], rows: number): string {
  return `SELECT ${waitsSince(times[name])} AS at FROM ${table}
      WHERE ${place} > coalesce((SELECT until FROM seals WHERE log = '${name}' ORDER BY number DESC LIMIT 1), 0)
      ORDER BY ${place} LIMIT ${rows}`;
}

export async function sealState(db: Knex): Promise<SealState> {
  const newest = await firstOf<{ number: string; hash: string; at: Date }>(db)`
    SELECT number, hash, sealed_at AS at FROM seals ORDER BY number DESC LIMIT 1`;
  const unsealed: SealState['unsealed'] = [];
  for (const log of sealedLogs) {
    const { rows, at } = await rowOf<{ rows: number; at: Date | null }>(db)`
      SELECT count(*)::integer AS rows, min(at) AS at FROM (${raw(firstWaiting(log, MOST_COUNTED))}) AS waiting`;
    unsealed.push({ log: log.name, rows, oldestAt: at?.toISOString() ?? null });
  }
  return {
    newest:
      newest === undefined ? null : { number: newest.number, hash: newest.hash, sealedAt: newest.at.toISOString() },
    unsealed,
  };
}

/** How long the oldest row that is not sealed has waited, in seconds; 0: all are. However many wait, one of each log is read. */
export async function oldestUnsealedSeconds(db: Knex, now: Date): Promise<number> {
  const first = sealedLogs.map((log) => `(${firstWaiting(log, 1)})`);
  const { at } = await rowOf<{ at: Date | null }>(db)`
    SELECT min(at) AS at FROM (${raw(first.join(' UNION ALL '))}) AS waiting`;
  return at === null ? 0 : Math.max(0, (now.getTime() - at.getTime()) / 1_000);
}
