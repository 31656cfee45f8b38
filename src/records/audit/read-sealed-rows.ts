import type { Knex } from 'knex';
import { rowLine, type SealedRow } from '../../domain/audit/seal.js';
import type { JsonObject } from '../../domain/json.js';
import { raw, rowsOf, sql } from '../database/statements.js';
import { type SealedLog, writtenInLine, writtenInSql } from './sealed-logs.js';

/** Of a log: the rows above `after` (null: all from the first on), up to `until`. */
export interface SealedRange {
  after: string | null;
  until: string;
}

/** Rows of which a few may be large: so many are in memory at once. */
const CHUNK = 250;

/** Rows in the order of their places, in chunks. Those of one place stand beside one another. */
export async function* readSealedRows(
  db: Knex,
  log: SealedLog,
  { after, until }: SealedRange,
): AsyncGenerator<SealedRow[]> {
  const columns = Object.entries(log.columns).map(
    ([name, [column, how]]) => `${writtenInSql[how](column)} AS "${name}"`,
  );
  const place = raw(log.place);
  let from = after;
  for (;;) {
    const rows = await rowsOf<Record<string, string | null>>(db)`
      SELECT ${raw(columns.join(', '))} FROM ${raw(log.table)}
      WHERE ${place} <= ${until}::bigint ${from === null ? raw('') : sql`AND ${place} > ${from}::bigint`}
      ORDER BY ${raw(log.table)}.${place} LIMIT ${CHUNK}`;
    const last = rows.at(-1)?.[log.place];
    if (last === undefined || last === null) return;
    yield await linesOf(db, log, rows);
    from = last;
  }
}

async function linesOf(db: Knex, log: SealedLog, rows: Record<string, string | null>[]): Promise<SealedRow[]> {
  const legs = log.name === 'entries' ? await legsOf(db, rows) : null;
  return rows.map((row) => {
    const written: JsonObject = {};
    for (const [name, [, how]] of Object.entries(log.columns)) {
      const text = row[name] ?? null;
      if (text === null && log.newer?.includes(name)) continue;
      written[name] = text === null ? null : writtenInLine(how, text);
    }
    const place = row[log.place] ?? '';
    if (legs !== null) written['lines'] = legs.get(place) ?? [];
    return { place, line: rowLine(log.name, written) };
  });
}

interface Leg {
  entry: string;
  line: string;
  account: string;
  assetCode: string;
  amount: string;
  memo: string;
}

/** What an entry is made of is sealed with it. */
async function legsOf(db: Knex, entries: Record<string, string | null>[]): Promise<Map<string, JsonObject[]>> {
  const rows = await rowsOf<Leg>(db)`
    SELECT entry_id::text AS entry, line::text, account::varchar, asset_code::varchar AS "assetCode", trim_scale(amount)::text AS amount,
           CASE WHEN memo THEN 'yes' ELSE 'no' END AS memo
    FROM entry_lines WHERE entry_id = ANY (${entries.map(({ id }) => Number(id))}::bigint[]) ORDER BY entry_lines.entry_id, entry_lines.line`;
  const legs = new Map<string, JsonObject[]>();
  for (const { entry, ...leg } of rows) legs.set(entry, [...(legs.get(entry) ?? []), leg]);
  return legs;
}
