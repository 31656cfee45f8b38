import type { Knex } from 'knex';
import { raw, rowOf, rowsOf } from '../database/statements.js';
import { type LogName, sealedLogs } from './sealed-logs.js';

export interface SealState {
  /** Null: nothing is sealed yet. */
  newest: { number: string; hash: string; sealedAt: string } | null;
  /** Of each log: the rows after its newest seal, counted as far as `MOST_COUNTED`, and since when the oldest of them waits. */
  unsealed: { log: LogName; rows: number; oldestAt: string | null }[];
}

/** Where a first poll has just written a million rows, nobody wants to wait for their number. */
const MOST_COUNTED = 10_000;

/** SQL: rows that were there when the database learnt to seal have waited since then. */
export const SEALING_BEGAN = `coalesce((SELECT min(migration_time) FROM migrations WHERE name LIKE '0036\\_%'), '-infinity')`;

/** In words; "or more" where no further was counted. */
export function unsealedText(rows: number): string {
  return rows < MOST_COUNTED ? String(rows) : `${rows} or more`;
}

/** SQL: since when a row waits, whatever somebody made of its time. */
const waitsSince = (time: string) => `least(greatest(${time}, ${SEALING_BEGAN}), now())`;

/** When a row was written. */
const times: Readonly<Record<LogName, string>> = {
  changes: 'changed_at',
  entries: 'posted_at',
  entry_rates: 'valued_at',
  given_rates: 'imported_at',
  balance_attributions: 'at',
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
  const rows = await rowsOf<{ number: string; hash: string; at: Date }>(db)`
    SELECT number, hash, sealed_at AS at FROM seals ORDER BY number DESC LIMIT 1`;
  const [newest] = rows;
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
