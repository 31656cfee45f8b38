import type { Knex } from 'knex';
import type { Seal } from '../../domain/audit/seal.js';
import { firstOf, raw, rowsOf, sql } from '../database/statements.js';

/** As it stands in the table, be it true or not. */
export interface StoredSeal extends Seal {
  hash: string;
  rowHashes: Buffer;
}

export interface SealRange {
  /** The first and the last number; null: of all. */
  from: string | null;
  to: string | null;
}

const COLUMNS = raw(`number::text, log, after::text, until::text, rows, rows_hash AS "rowsHash", previous, hash,
  CASE WHEN isfinite(sealed_at) THEN floor(extract(epoch FROM sealed_at) * 1000)::bigint::text END AS "sealedMs"`);
/** Some 40 KB each. */
const CHUNK = 20;

type Row = Omit<StoredSeal, 'sealedAt' | 'rowHashes'> & { sealedMs: string | null; rowHashes?: Buffer };

/** In the order of their numbers. */
export async function* readSeals(db: Knex, { from, to }: SealRange): AsyncGenerator<StoredSeal[]> {
  let next = from === null ? -1n : BigInt(from) - 1n;
  for (;;) {
    const rows = await rowsOf<Row>(db)`
      SELECT ${COLUMNS}, row_hashes AS "rowHashes" FROM seals
      WHERE seals.number > ${String(next)}::bigint ${to === null ? raw('') : sql`AND number <= ${to}::bigint`}
      ORDER BY seals.number LIMIT ${CHUNK}`;
    const last = rows.at(-1);
    if (last === undefined) return;
    yield rows.map(sealOf);
    next = BigInt(last.number);
  }
}

/** The newest below a number, and of a log where one is named; null: there is none. */
export async function sealBefore(db: Knex, number: string, log?: string): Promise<StoredSeal | null> {
  const row = await firstOf<Row>(db)`
    SELECT ${COLUMNS} FROM seals WHERE seals.number < ${number}::bigint
      ${log === undefined ? raw('') : sql`AND log = ${log}`} ORDER BY seals.number DESC LIMIT 1`;
  return row === undefined ? null : sealOf(row);
}

export async function getSeal(db: Knex, number: string): Promise<StoredSeal | null> {
  const row = await firstOf<Row>(db)`SELECT ${COLUMNS} FROM seals WHERE seals.number = ${number}::bigint`;
  return row === undefined ? null : sealOf(row);
}

/** The newest seal, as the one row that names it says. */
export async function sealHead(db: Knex): Promise<{ number: string; hash: string } | null> {
  const row = await db<{ number: string; hash: string }>('seal_head').first('number', 'hash');
  return row ?? null;
}

function sealOf({ sealedMs, rowHashes = Buffer.alloc(0), ...row }: Row): StoredSeal {
  return { ...row, rowHashes, sealedAt: instant(sealedMs) };
}

function instant(ms: string | null): string {
  const date = new Date(Number(ms ?? Number.NaN));
  return Number.isNaN(date.getTime()) ? `${ms}` : date.toISOString();
}
