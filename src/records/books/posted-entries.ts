import type { Knex } from 'knex';
import type { BookedKind, DatedBy, Line } from '../../domain/books/entry.js';
import { netLines } from '../../domain/books/lines.js';
import type { Posted } from '../../domain/books/plan-posting.js';
import { rowsOf } from '../database/statements.js';

interface Row {
  id: string;
  record_kind: BookedKind;
  record_id: string;
  key: string;
  version: number;
  type: string;
  reverses: string | null;
  at: Date;
  day: string;
  dated_by: DatedBy;
  account: string;
  asset_code: string;
  amount: string;
  memo: boolean;
}

/** All that is posted of these records, a row for each key. */
export async function readPosted(
  trx: Knex.Transaction,
  recordKind: BookedKind,
  ids: readonly string[],
): Promise<Posted[]> {
  if (ids.length === 0) return [];
  const rows = await rowsOf<Row>(trx)`
    SELECT id, record_kind, record_id, key, version, type, reverses, at, day::text AS day, dated_by,
           account, asset_code, trim_scale(amount)::text AS amount, memo
    FROM entries JOIN entry_lines ON entry_id = entries.id
    WHERE record_kind = ${recordKind} AND record_id = ANY (${ids}::text[]) ORDER BY record_id, key, version, line`;
  const keys = new Map<string, Row[]>();
  for (const row of rows) {
    const key = JSON.stringify([row.record_id, row.key]);
    const list = keys.get(key);
    if (list === undefined) keys.set(key, [row]);
    else list.push(row);
  }
  return [...keys.values()].flatMap(postedOf);
}

function postedOf(rows: readonly Row[]): Posted[] {
  const last = rows.at(-1);
  if (last === undefined) return [];
  const reversed = new Set(rows.map(({ reverses }) => reverses));
  const live = rows.findLast(({ id, type }) => (type === 'entry' || type === 'correction') && !reversed.has(id));
  return [
    {
      recordKind: last.record_kind,
      recordId: last.record_id,
      key: last.key,
      version: last.version,
      live:
        live === undefined
          ? null
          : { ...entryOf(live), lines: netLines(rows.filter(({ id }) => id === live.id).map(lineOf)) },
      net: netLines(rows.map(lineOf)),
      last: entryOf(last),
    },
  ];
}

function entryOf({ id, at, day, dated_by }: Row): Posted['last'] {
  return { id, dated: { at: at.getTime(), by: dated_by, day } };
}

function lineOf({ account, asset_code, amount, memo }: Row): Line {
  return { account, assetCode: asset_code, amount, memo };
}
