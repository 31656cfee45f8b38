import type { Knex } from 'knex';
import { NO_RUN } from '../../domain/run-kinds.js';
import type { Coverage } from '../../domain/views/proof-shapes.js';
import { firstOf, raw, rowsOf, valueOf } from '../database/statements.js';
import { recordTables } from '../record-columns.js';

interface RunRow {
  kind: string;
  status: string;
  complete: boolean;
  started_at: Date;
  error: string | null;
  proof: { reason?: unknown; provenSince?: unknown };
}

/** Kinds that are read by cursor, each with the table of its records. */
const listTables: Readonly<Record<string, string>> = {
  'payment-intents': recordTables.payment_intent,
  invoices: recordTables.invoice,
  payouts: recordTables.payout,
};

/** One entry for each kind, in the order given. */
export async function coverage(db: Knex, kinds: readonly string[], now: Date): Promise<Coverage[]> {
  return Promise.all(kinds.map((kind) => coverageOf(db, kind, now)));
}

async function coverageOf(db: Knex, kind: string, now: Date): Promise<Coverage> {
  const ended = db<RunRow>('runs').where('kind', kind).whereNot('status', 'running').orderBy('id', 'desc');
  const last = await ended.clone().first();
  const proven = await ended.clone().where('complete', true).first();
  const table = listTables[kind];
  const unread = table === undefined ? [] : await knownGaps(db, kind, table);
  const provenSince = await sinceOf(db, { proven, table, unread });
  return {
    kind,
    provenSince,
    completeUntil: proven?.started_at.toISOString() ?? null,
    ageSeconds: proven ? Math.max(0, Math.round((now.getTime() - proven.started_at.getTime()) / 1_000)) : null,
    reason: reasonOf(last),
    unread,
  };
}

function reasonOf(last: RunRow | undefined): string | null {
  if (last === undefined) return NO_RUN;
  if (last.complete) return null;
  if (last.error !== null) return `the newest run ${last.status}: ${last.error}`;
  return typeof last.proof.reason === 'string' ? last.proof.reason : 'the newest run was not proven complete';
}

async function sinceOf(
  db: Knex,
  { proven, table, unread }: { proven: RunRow | undefined; table: string | undefined; unread: Coverage['unread'] },
): Promise<string | null> {
  const [gap] = unread;
  if (gap !== undefined) return gap.createdBefore;
  if (proven === undefined) return null;
  if (typeof proven.proof.provenSince === 'string') return proven.proof.provenSince;
  if (table === undefined) return proven.started_at.toISOString();
  const oldest = await valueOf<Date | null>(db)`SELECT min(created_at) FROM ${raw(table)}`;
  return (oldest ?? proven.started_at).toISOString();
}

/** The gap that begins at the head is only what came since the newest run: it is not counted. */
async function knownGaps(db: Knex, kind: string, table: string): Promise<Coverage['unread']> {
  const gaps = await rowsOf<{ before: Date | null; after: Date | null }>(db)`
    SELECT newer.created_at AS before, older.created_at AS after FROM unread_intervals AS part
    LEFT JOIN ${raw(table)} AS newer ON newer.id = newer_id LEFT JOIN ${raw(table)} AS older ON older.id = older_id
    WHERE part.kind = ${kind} AND list = 'head' AND newer_id IS NOT NULL ORDER BY part.id DESC`;
  return gaps.map(({ before, after }) => ({
    createdBefore: before?.toISOString() ?? null,
    createdAfter: after?.toISOString() ?? null,
  }));
}

/** When the newest complete poll of the delivery history began; null: there is none. */
export async function historyReadAt(db: Knex): Promise<Date | null> {
  const row = await firstOf<{ at: Date }>(db)`
    SELECT started_at AS at FROM runs WHERE kind = 'deliveries' AND status = 'succeeded' AND complete ORDER BY id DESC LIMIT 1`;
  return row?.at ?? null;
}
