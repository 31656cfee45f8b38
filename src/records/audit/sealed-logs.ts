import type { Knex } from 'knex';
import { rowLine, type SealedRow } from '../../domain/audit/seal.js';
import { canonicalJson } from '../../domain/canonical-json.js';
import { groupedPairs } from '../../domain/grouped.js';
import { type Json, type JsonObject, mayHoldNumber } from '../../domain/json.js';
import { parseJson } from '../../domain/json-table/read-table.js';
import { snakeCase } from '../../domain/records.js';
import { raw, rowsOf, sql } from '../database/statements.js';

/** How a column is written in the line of its row: none of it depends on how Postgres writes a value. */
type Written = 'text' | 'whole' | 'decimal' | 'day' | 'time' | 'json';

export interface SealedLog {
  name: LogName;
  table: string;
  /** The column that is the row's place. */
  place: 'seq' | 'id';
  /** Names in the line, each with its column. */
  columns: Readonly<Record<string, readonly [column: string, written: Written]>>;
  /** Of these names those that are newer than seals: left out of the line where the row has none, so that older lines stay as they were. */
  newer?: readonly string[];
  /** SQL: up to here every row is there to be seen by the next statement, and none will be added. */
  settled: string;
}

export type LogName =
  | 'changes'
  | 'entries'
  | 'entry_rates'
  | 'given_rates'
  | 'balance_attributions'
  | 'opened_assets'
  | 'break_steps'
  | 'period_files'
  | 'actions';

type Columns = SealedLog['columns'];

/** By how they are written; each name's column is the same in snake case. */
function columnsOf(names: Partial<Record<Written, readonly string[]>>): Columns {
  const pairs = Object.entries(names).flatMap(([written, some]) =>
    some.map((name) => [name, [snakeCase(name), written as Written]] as const),
  );
  return Object.fromEntries(pairs);
}

/** `key`: of the trigger that announces its rows. */
function log(name: Exclude<LogName, 'changes'>, key: number, names: Parameters<typeof columnsOf>[0]): SealedLog {
  const settled = `rows_settled_up_to(${key}, '${name}_id_seq')`;
  return { name, table: name, place: 'id', settled, columns: { id: ['id', 'whole'], ...columnsOf(names) } };
}

/** All that is sealed, in the order of sealing: what people did last, since it may speak of all the others. */
export const sealedLogs: readonly SealedLog[] = [
  {
    name: 'changes',
    table: 'changes',
    place: 'seq',
    settled: 'changes_settled_up_to()',
    columns: {
      ...columnsOf({
        whole: ['seq', 'xid'],
        text: ['entityKind', 'entityId', 'field', 'sourceType', 'sourceRef'],
        time: ['serviceTime', 'changedAt'],
      }),
      from: ['from_value', 'text'],
      to: ['to_value', 'text'],
    },
  },
  log('entries', 29769, {
    text: ['recordKind', 'recordId', 'key', 'type', 'month', 'datedBy', 'adjusts', 'description'],
    whole: ['version', 'reverses', 'corrects', 'written'],
    day: ['date', 'day'],
    time: ['at', 'postedAt'],
    json: ['sources', 'observed'],
  }),
  log('entry_rates', 29770, {
    whole: ['entryId'],
    text: ['assetCode', 'currency', 'source', 'reason'],
    decimal: ['rate'],
    time: ['rateAt', 'valuedAt'],
  }),
  log('given_rates', 29771, {
    day: ['date'],
    text: ['assetCode', 'currency', 'fileHash', 'actor'],
    decimal: ['rate'],
    time: ['importedAt'],
  }),
  {
    ...log('balance_attributions', 29772, {
      text: ['assetCode', 'note', 'actor', 'contra'],
      decimal: ['amount'],
      time: ['at'],
      day: ['bookedOn'],
    }),
    newer: ['bookedOn', 'contra'],
  },
  log('opened_assets', 29776, { text: ['assetCode'], decimal: ['balance'], time: ['openedAt'] }),
  log('break_steps', 29773, { whole: ['breakId'], text: ['action', 'actor', 'note'], time: ['at'] }),
  log('period_files', 29774, {
    text: ['month', 'format', 'name', 'sha256'],
    whole: ['closing', 'bytes'],
    time: ['storedAt'],
  }),
  log('actions', 29775, { text: ['actor', 'action', 'target', 'reason', 'outcome'], json: ['details'], time: ['at'] }),
];

/** Every column as the text that is stored (varchar), or null. No value that a column can hold makes it fail: the microseconds of the last years are no bigint. */
const writtenInSql: Readonly<Record<Written, (column: string) => string>> = {
  text: (column) => `${column}::varchar`,
  whole: (column) => `${column}::text`,
  decimal: (column) => `trim_scale(${column})::text`,
  day: (column) => `CASE WHEN isfinite(${column}) THEN (${column} - DATE '1970-01-01')::text ELSE 'infinite' END`,
  time: (column) =>
    `CASE WHEN isfinite(${column}) THEN trim_scale(extract(epoch FROM ${column})::numeric * 1000000)::text ELSE 'infinite' END`,
  json: (column) => `${column}::varchar`,
};

const DEEPEST = 1_000;

/** What a column's text is in the line. Times to the microsecond. */
function writtenInLine(written: Written, text: string): string {
  if (written === 'json') return canonicalJson(readJson(text));
  if (written === 'time') return /^-?\d+$/.test(text) ? instant(text) : text;
  if (written === 'day') return /^-?\d+$/.test(text) ? instant(`${BigInt(text) * 86_400_000_000n}`).slice(0, 10) : text;
  return text;
}

/** The built-in parser takes a tenth of the time, and is right where no number stands. */
function readJson(text: string): Json {
  return text.length > DEEPEST || mayHoldNumber(text) ? parseJson(text, DEEPEST) : (JSON.parse(text) as Json);
}

const FURTHEST = 8_640_000_000_000_000_000n;

/** @param text microseconds since 1970 */
function instant(text: string): string {
  // From 1970 to 2286, which is all but always.
  if (/^\d{7,16}$/.test(text)) return `${secondOf(Number(text.slice(0, -6)))}.${text.slice(-6)}Z`;
  const microseconds = BigInt(text);
  if (microseconds > FURTHEST || microseconds < -FURTHEST) return text;
  const rest = ((microseconds % 1_000_000n) + 1_000_000n) % 1_000_000n;
  return `${secondOf(Number((microseconds - rest) / 1_000_000n))}.${String(rest).padStart(6, '0')}Z`;
}

const secondOf = (seconds: number): string => new Date(seconds * 1_000).toISOString().slice(0, -5);

/** Of a log: the rows above `after` (null: all from the first on), up to `until`; at most so many. */
export interface SealedRange {
  after: string | null;
  until: string;
  most?: number;
}

/** Rows of which a few may be large: so many are in memory at once, and as many that are read meanwhile. */
const CHUNK = 250;

type TextRow = Record<string, string | null>;

interface Chunk {
  rows: TextRow[];
  /** Of each entry what it is made of, which is sealed with it; null: rows of another log. */
  legs: Map<string, JsonObject[]> | null;
}

/** Rows in the order of their places, in chunks. Those of one place stand beside one another. */
export async function* readSealedRows(
  db: Knex,
  log: SealedLog,
  { after, until, most = Number.POSITIVE_INFINITY }: SealedRange,
): AsyncGenerator<SealedRow[]> {
  const chunkAfter = chunkReader(db, log, until);
  let left = most;
  let next: Promise<Chunk> | null = chunkAfter(after, Math.min(CHUNK, left));
  while (next !== null) {
    const chunk: Chunk = await next;
    left -= chunk.rows.length;
    const last: string | null = (chunk.rows.length < CHUNK ? null : chunk.rows.at(-1)?.[log.place]) ?? null;
    next = last === null || left === 0 ? null : chunkAfter(last, Math.min(CHUNK, left));
    // Whoever stops reading does not wait for it.
    next?.catch(() => {});
    if (chunk.rows.length > 0) yield chunk.rows.map((row) => lineOf(log, row, chunk.legs));
  }
}

function chunkReader(db: Knex, log: SealedLog, until: string) {
  const columns = Object.entries(log.columns).map(
    ([name, [column, how]]) => `${writtenInSql[how](column)} AS "${name}"`,
  );
  const place = raw(log.place);
  return async (after: string | null, most: number): Promise<Chunk> => {
    const rows = await rowsOf<TextRow>(db)`
      SELECT ${raw(columns.join(', '))} FROM ${raw(log.table)}
      WHERE ${place} <= ${until}::bigint ${after === null ? raw('') : sql`AND ${place} > ${after}::bigint`}
      ORDER BY ${raw(log.table)}.${place} LIMIT ${most}`;
    return { rows, legs: log.name === 'entries' && rows.length > 0 ? await legsOf(db, rows) : null };
  };
}

function lineOf(log: SealedLog, row: TextRow, legs: Chunk['legs']): SealedRow {
  const written: JsonObject = {};
  for (const [name, [, how]] of Object.entries(log.columns)) {
    const text = row[name] ?? null;
    if (text === null && log.newer?.includes(name)) continue;
    written[name] = text === null ? null : writtenInLine(how, text);
  }
  const place = row[log.place] ?? '';
  if (legs !== null) written['lines'] = legs.get(place) ?? [];
  return { place, line: rowLine(log.name, written) };
}

interface Leg {
  entry: string;
  line: string;
  account: string;
  assetCode: string;
  amount: string;
  memo: string;
}

async function legsOf(db: Knex, entries: readonly TextRow[]): Promise<Map<string, JsonObject[]>> {
  const rows = await rowsOf<Leg>(db)`
    SELECT entry_id::text AS entry, line::text, account::varchar, asset_code::varchar AS "assetCode", trim_scale(amount)::text AS amount,
           CASE WHEN memo THEN 'yes' ELSE 'no' END AS memo
    FROM entry_lines WHERE entry_id = ANY (${entries.map(({ id }) => Number(id))}::bigint[]) ORDER BY entry_lines.entry_id, entry_lines.line`;
  return groupedPairs(rows.map(({ entry, ...leg }) => [entry, leg]));
}
