import type { Knex } from 'knex';
import type { RecordKind } from '../../domain/records.js';
import { bigintArray, floatArray, textArray } from '../database/array-parameter.js';
import { fromDatabaseText, toDatabaseText } from '../database/database-text.js';
import { prepared } from '../database/prepared.js';
import { recordTables } from '../saving/record-columns.js';

const LONGEST_DELAY_MS = 3_600_000;
const MAX_DOUBLINGS = 10;
/** What was only named, by an event that was refused or could not be read, is looked for so often: for about 16 hours. */
const MAX_READINGS = 26;
const ONLY_NAMED = ['expired_event', 'unreadable_delivery'];
/** Stands for no reason at all: the mark is taken hold of, to be deleted. */
const LOCK_ONLY = '';

/** A record, or what the delivery history says of one (`delivery`: its id is a kind and an id). */
export type MarkKind = RecordKind | 'delivery';

export interface NewMark {
  kind: MarkKind;
  id: string;
  reason: string;
  /** Service clock, ms: a reading that began earlier does not settle the mark. Left out: any reading does. */
  askedAt?: number;
  /** Not due before so many ms from now. Left out: due at once. */
  delayMs?: number;
  /** The record was read just now and is to be read again: put off, by `delayMs` doubled with each attempt. */
  again?: boolean;
}

export interface DueMark extends MetMark {
  reason: string;
  attempts: number;
}

/** A mark that may go: something was read at `readAt` (service clock, ms) that leaves nothing to ask. */
export interface SettledMark {
  kind: RecordKind;
  id: string;
  readAt: number;
}

/**
 * Asks for records to be read. A record already marked becomes due as early as the earlier of the two and keeps its
 * attempts. Call it after `saveObservations` where one transaction does both.
 */
export async function markForReading(trx: Knex, marks: NewMark[]): Promise<void> {
  const asked = [...new Map(marks.map((mark) => [`${mark.kind} ${mark.id}`, mark])).values()];
  if (asked.length === 0) return;
  await prepared(
    trx,
    'insert marks',
    `INSERT INTO reading_marks AS mark (kind, id, reason, asked_at, next_at, attempts)
     SELECT kind, id, reason, asked_at, now() + delay * interval '1 millisecond', attempts
     FROM unnest(?::text[], ?::text[], ?::text[], ?::bigint[], ?::float8[], ?::bigint[])
       AS new (kind, id, reason, asked_at, delay, attempts)
     ORDER BY kind, id
     ON CONFLICT (kind, id) DO UPDATE SET
       reason = coalesce(nullif(excluded.reason, ''), mark.reason),
       asked_at = greatest(mark.asked_at, excluded.asked_at),
       attempts = mark.attempts + excluded.attempts,
       next_at = CASE
         WHEN excluded.attempts = 0 THEN least(mark.next_at, excluded.next_at)
         ELSE now() + least((excluded.next_at - now()) * 2 ^ least(mark.attempts, ${MAX_DOUBLINGS}), interval '1 hour')
       END`,
    [
      textArray(asked.map((mark) => mark.kind)),
      textArray(asked.map((mark) => toDatabaseText(mark.id))),
      textArray(asked.map((mark) => mark.reason)),
      bigintArray(asked.map((mark) => Math.floor(mark.askedAt ?? 0))),
      floatArray(asked.map((mark) => mark.delayMs ?? 0)),
      bigintArray(asked.map((mark) => (mark.again ? 1 : 0))),
    ],
  );
}

/** Records whose reading is due, the longest waiting first. */
export async function dueMarks(db: Knex, kind: MarkKind, limit: number): Promise<DueMark[]> {
  const rows = await db<{
    id: string;
    reason: string;
    attempts: number;
    asked_at: string;
    kind: string;
    next_at: Date;
  }>('reading_marks')
    .select('id', 'reason', 'attempts', 'asked_at')
    .where({ kind })
    .whereRaw('next_at <= now()')
    .orderBy(['next_at', 'id'])
    .limit(limit);
  return rows.map(({ id, reason, attempts, asked_at }) => {
    return { id: fromDatabaseText(id), reason, attempts, askedAt: Number(asked_at) };
  });
}

/** A mark as it was met: what is asked anew meanwhile is another. */
export interface MetMark {
  id: string;
  /** Service clock, ms. */
  askedAt: number;
}

export interface WaitingMark extends MetMark {
  /** How long it has waited. */
  ageMs: number;
  /** A record of it is kept. */
  held: boolean;
}

/** Marks that have waited for so long, due or not, the oldest first. */
export async function waitingMarks(
  db: Knex,
  kind: RecordKind,
  { olderThanMs, limit }: { olderThanMs: number; limit: number },
): Promise<WaitingMark[]> {
  const { rows } = await db.raw<{ rows: { id: string; asked_at: string; age: string; held: boolean }[] }>(
    `SELECT mark.id, mark.asked_at, floor(extract(epoch FROM now() - marked_at) * 1000) AS age, record.id IS NOT NULL AS held
     FROM reading_marks AS mark LEFT JOIN ${recordTables[kind]} AS record ON record.id = mark.id
     WHERE mark.kind = ? AND marked_at <= now() - ? * interval '1 millisecond' ORDER BY marked_at, mark.id LIMIT ?`,
    [kind, olderThanMs, limit],
  );
  return rows.map((row) => {
    return { id: fromDatabaseText(row.id), askedAt: Number(row.asked_at), ageMs: Number(row.age), held: row.held };
  });
}

/**
 * Takes off marks that nothing will settle, in the order in which others take hold of them; whoever calls it says so where a
 * person sees it. One that was asked anew since it was met stays.
 */
export async function endMarks(trx: Knex, kind: MarkKind, marks: readonly MetMark[]): Promise<void> {
  if (marks.length === 0) return;
  await trx.raw(
    `WITH met AS (
       SELECT mark.id FROM reading_marks AS mark
         JOIN unnest(?::text[], ?::bigint[]) AS met (id, asked_at) ON mark.id = met.id AND mark.asked_at <= met.asked_at
       WHERE mark.kind = ? ORDER BY mark.id FOR UPDATE OF mark
     )
     DELETE FROM reading_marks AS mark USING met WHERE mark.kind = ? AND mark.id = met.id`,
    [
      textArray(marks.map(({ id }) => toDatabaseText(id))),
      bigintArray(marks.map(({ askedAt }) => askedAt)),
      kind,
      kind,
    ],
  );
}

/** Deposits whose reading is due, or failed before anything was read of them, and has been for longer than `waitingMs`. */
export async function countOverduePayins(db: Knex, waitingMs: number): Promise<number> {
  const { rows } = await db.raw<{ rows: [{ count: string }] }>(
    `SELECT count(*) FROM reading_marks, LATERAL (SELECT now() - :waiting * interval '1 millisecond' AS latest) AS bound
     WHERE kind = 'payin'
       AND (next_at <= latest OR (reason = 'payin_of_intent' AND attempts > 0 AND marked_at <= latest))`,
    { waiting: waitingMs },
  );
  return Number(rows[0].count);
}

/** Deposits that payments list, and whose own record was not read since they were listed so. */
export async function countUnreadPayins(db: Knex): Promise<number> {
  const row = await db('reading_marks')
    .where({ kind: 'payin' })
    .whereIn('reason', ['payin_of_intent', 'payin_moved'])
    .count({ count: '*' })
    .first();
  return Number(row?.['count'] ?? 0);
}

/**
 * Puts marks off after a reading that did not settle them: by `delayMs`, doubled with each attempt, an hour at most. A
 * record that was only named, and that nothing has shown after many readings, is not looked for any more: the service
 * never had it, or its whole list will show it.
 */
export async function postponeMarks(db: Knex, kind: MarkKind, ids: string[], delayMs: number): Promise<void> {
  if (ids.length === 0) return;
  await db.raw(
    `WITH due AS (
       SELECT id FROM reading_marks WHERE kind = ? AND id = ANY (?::text[]) ORDER BY id FOR UPDATE
     )
     UPDATE reading_marks AS mark
     SET attempts = attempts + 1,
         next_at = now() + least(?::float8 * 2 ^ least(attempts, ?::integer), ?::float8) * interval '1 millisecond'
     FROM due WHERE mark.kind = ? AND mark.id = due.id`,
    [kind, ids.map(toDatabaseText), delayMs, MAX_DOUBLINGS, Math.max(delayMs, LONGEST_DELAY_MS), kind],
  );
  if (kind === 'delivery') return;
  await db.raw(
    `DELETE FROM reading_marks AS mark
     WHERE kind = ? AND id = ANY (?::text[]) AND reason = ANY (?::text[]) AND attempts >= ?
       AND NOT EXISTS (SELECT FROM ${recordTables[kind]} AS record WHERE record.id = mark.id)`,
    [kind, textArray(ids.map(toDatabaseText)), textArray(ONLY_NAMED), MAX_READINGS],
  );
}

/**
 * Takes the marks off that a reading settled, and sets new ones. One pass in one order over both, so that two
 * transactions never wait for each other in a circle.
 */
export async function updateMarks(trx: Knex.Transaction, asked: NewMark[], settled: SettledMark[]): Promise<void> {
  const off = await findMarked(trx, settled);
  const goes = new Set(off.map((mark) => `${mark.kind} ${mark.id}`));
  const stays = asked.filter((mark) => !goes.has(`${mark.kind} ${mark.id}`));
  await markForReading(trx, [...stays, ...off.map(({ kind, id }) => ({ kind, id, reason: LOCK_ONLY }))]);
  if (off.length === 0) return;
  await trx.raw(
    `DELETE FROM reading_marks AS mark
     USING unnest(?::text[], ?::text[], ?::bigint[]) AS settled (kind, id, read_at)
     WHERE mark.kind = settled.kind AND mark.id = settled.id AND mark.asked_at <= settled.read_at`,
    [
      textArray(off.map((mark) => mark.kind)),
      textArray(off.map((mark) => toDatabaseText(mark.id))),
      bigintArray(off.map((mark) => Math.floor(mark.readAt))),
    ],
  );
}

async function findMarked(trx: Knex.Transaction, settled: SettledMark[]): Promise<SettledMark[]> {
  const readAt = new Map(settled.map((mark) => [`${mark.kind} ${toDatabaseText(mark.id)}`, mark.readAt]));
  const found: SettledMark[] = [];
  for (const kind of new Set(settled.map((mark) => mark.kind))) {
    const ids = settled.filter((mark) => mark.kind === kind).map((mark) => toDatabaseText(mark.id));
    const { rows } = await trx.raw<{ rows: { id: string; asked_at: string }[] }>(
      `SELECT id, asked_at FROM reading_marks WHERE kind = ? AND id = ANY (?::text[])`,
      [kind, textArray(ids)],
    );
    for (const { id, asked_at } of rows) {
      const at = readAt.get(`${kind} ${id}`) ?? 0;
      if (Number(asked_at) <= at) found.push({ kind, id: fromDatabaseText(id), readAt: at });
    }
  }
  return found;
}
