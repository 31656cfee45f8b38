import type { Knex } from 'knex';
import type { EntryLineView, EntryView } from '../../domain/views/books-shapes.js';
import { exact, utc } from '../database/statements.js';
import { rowsInParts, SPANNED_LINES, spanOf } from './month-query.js';

/** An entry as a ledger writes it. */
export type LedgerEntry = Pick<
  EntryView,
  'id' | 'date' | 'description' | 'recordKind' | 'recordId' | 'at' | 'adjusts' | 'reverses' | 'corrects'
> & { lines: LedgerLine[] };

export type LedgerLine = Pick<EntryLineView, 'account' | 'amount' | 'memo' | 'assetCode'>;

/** A line; the first of an entry describes the entry as well. */
interface Row {
  fields: string;
  asset_code: string;
  entry: string | null;
  record_id: string;
  description: string;
}

/**
 * The entries of a month in the order of their posting, some at a time. Within one transaction of `repeatable read` it is one
 * moment of the books.
 */
export async function* entriesOfMonth(trx: Knex.Transaction, month: string): AsyncGenerator<LedgerEntry[]> {
  const named = { month, ...(await spanOf(trx, month)) };
  let entry: LedgerEntry | null = null;
  for await (const rows of rowsInParts<Row>(trx, QUERY, named)) {
    const ended: LedgerEntry[] = [];
    for (const row of rows) {
      if (row.entry !== null) {
        if (entry !== null) ended.push(entry);
        entry = entryOf(row, row.entry);
      }
      entry?.lines.push(lineOf(row));
    }
    yield ended;
  }
  if (entry !== null) yield [entry];
}

/** What no text of others is part of comes in one piece, null as nothing: a column costs more than its characters. */
const together = (...expressions: readonly string[]): string => `concat(${expressions.join(", ',', ")})`;

const ENTRY = together('entries.id', 'date', 'record_kind', utc('at'), 'adjusts', 'reverses', 'corrects');

const QUERY = `
  SELECT ${together('account', exact('amount'), 'memo')} AS fields, asset_code,
         CASE WHEN before IS NULL THEN ${ENTRY} END AS entry, CASE WHEN before IS NULL THEN record_id END AS record_id,
         CASE WHEN before IS NULL THEN description END AS description
  FROM (
    SELECT *, lag(line) OVER (PARTITION BY entry_id ORDER BY line) AS before FROM ${SPANNED_LINES}
  ) AS entry_lines JOIN entries ON entries.id = entry_id
  WHERE month = :month ORDER BY entry_id, line`;

function entryOf({ record_id: recordId, description }: Row, fields: string): LedgerEntry {
  const [id = '', date = '', recordKind = '', at = '', adjusts, reverses, corrects] = fields.split(',');
  const others = { adjusts: adjusts || null, reverses: reverses || null, corrects: corrects || null };
  return {
    id,
    date,
    description,
    recordKind: recordKind as LedgerEntry['recordKind'],
    recordId,
    at,
    ...others,
    lines: [],
  };
}

function lineOf({ fields, asset_code: assetCode }: Row): LedgerLine {
  const [account = '', amount = '', memo] = fields.split(',');
  return { account, amount, memo: memo === 't', assetCode };
}
