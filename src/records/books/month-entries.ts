import type { Knex } from 'knex';
import type { EntryLineView, EntryView } from '../../domain/views/books-shapes.js';
import { exact, monthLines, RATED, together, utc } from './month-query.js';

/** A line with what it was worth, exact; null: it has no rate. */
export interface ValuedLineView extends EntryLineView {
  value: string | null;
}

export interface MonthEntry extends EntryView {
  lines: ValuedLineView[];
}

/** A line; the first of an entry describes the entry as well. */
interface Row {
  id: string;
  fields: string;
  asset_code: string;
  reason: string | null;
  entry: string | null;
  record_id: string;
  key: string;
  description: string;
  sources: EntryView['sources'];
  observed: EntryView['observedBy'];
}

/**
 * The entries of a month in the order of their posting, some at a time. Within one transaction of `repeatable read` it is one
 * moment of the books.
 */
export async function* entriesOfMonth(trx: Knex.Transaction, month: string): AsyncGenerator<MonthEntry[]> {
  let entry: MonthEntry | null = null;
  for await (const rows of monthLines<Row>(trx, month, COLUMNS)) {
    const ended: MonthEntry[] = [];
    for (const row of rows) {
      if (row.entry !== null) {
        if (entry !== null) ended.push(entry);
        entry = entryOf(row, row.entry, month);
      }
      entry?.lines.push(lineOf(row));
    }
    yield ended;
  }
  if (entry !== null) yield [entry];
}

/** What no text of others is part of comes in one piece: a column costs more than its characters. */
const SEPARATOR = '\u001F';

const ENTRY = [
  'record_kind',
  'version',
  'type',
  'reverses',
  'corrects',
  'date',
  utc('at'),
  'dated_by',
  'adjusts',
  utc('posted_at'),
];

const COLUMNS = {
  line: `entries.id, entry_lines.asset_code, reason, ${together(SEPARATOR, ['account', exact('amount'), 'memo', ...RATED])} AS fields`,
  entry: {
    entry: together(SEPARATOR, ENTRY),
    record_id: 'record_id',
    key: 'key',
    description: 'description',
    sources: 'sources',
    observed: 'observed',
  },
};

function entryOf(row: Row, fields: string, month: string): MonthEntry {
  const [
    kind = '',
    version = '',
    type = '',
    reverses,
    corrects,
    date = '',
    at = '',
    datedBy = '',
    adjusts,
    postedAt = '',
  ] = fields.split(SEPARATOR);
  return {
    id: row.id,
    recordKind: kind as EntryView['recordKind'],
    recordId: row.record_id,
    key: row.key,
    version: Number(version),
    type: type as EntryView['type'],
    reverses: reverses || null,
    corrects: corrects || null,
    month,
    date,
    at,
    datedBy,
    adjusts: adjusts || null,
    description: row.description,
    sources: row.sources.map(({ kind: of, id }) => ({ kind: of, id })),
    observedBy: row.observed,
    postedAt,
    lines: [],
  };
}

function lineOf({ fields, asset_code, reason }: Row): ValuedLineView {
  const [account = '', amount = '', memo, rate, currency, source, rateAt, value] = fields.split(SEPARATOR);
  return {
    account,
    assetCode: asset_code,
    amount,
    memo: memo === 't',
    rate: rate || null,
    rateCurrency: currency || null,
    rateSource: source || null,
    rateAt: rateAt || null,
    unpriced: reason,
    value: value || null,
  };
}
