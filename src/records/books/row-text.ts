import { type Chart, namedAccounts } from '../../domain/books/chart.js';
import { FORMULA_SIGNS, UNSEEN } from '../../domain/formula.js';
import { textArray } from '../database/array-parameter.js';
import { jsonFromDatabase } from '../database/database-text.js';
import type { Trx } from '../database/statements.js';
import { type MonthRow, type Named, rowsInParts } from './month-query.js';

/** SQL of texts as they stand in a file, made by the database: a row that came as values and was written here took three times as long. */
export type TextForm = 'csv' | 'ndjson';

/**
 * What a query selects as `line`, one after the other, in parts. JSON comes as `varchar`, as it is stored.
 * @throws {Error} where a line is null
 */
export async function* linesOf(trx: Trx, form: TextForm, sql: string, named: Named): AsyncGenerator<string> {
  const known = form === 'csv' ? { ...named, formula: formula() } : named;
  for await (const rows of rowsInParts<{ line: string | null }>(trx, sql, known)) {
    const text = rows.map(written).join('');
    yield form === 'csv' ? text : jsonFromDatabase(text);
  }
}

/** Rows that we have, in lines. `line`: SQL of one, by the names of its columns. */
export async function* givenLines(
  trx: Trx,
  form: TextForm,
  line: string,
  { keys, rows }: { keys: readonly string[]; rows: readonly MonthRow[] },
): AsyncGenerator<string> {
  const arrays = keys.map((_, n) => `CAST(:column${n} AS text[])`).join(', ');
  const columns = keys.map((key) => `"${key}"`).join(', ');
  const named = Object.fromEntries(
    keys.map((key, n) => [`column${n}`, textArray(rows.map((row) => row[key] ?? null))]),
  );
  yield* linesOf(trx, form, `SELECT ${line} AS line FROM unnest(${arrays}) AS given (${columns})`, named);
}

/** A null in a line makes null of all of it: rather no file than one without the line. */
function written({ line }: { line: string | null }): string {
  if (line === null) throw new Error('a line of an export is null');
  return line;
}

/** Begins with what no program for tables takes for a formula, and needs no quotes: most texts. */
const HARMLESS = '^[A-Za-z0-9][^",\\r\\n]*$';
const QUOTED = '[",\\r\\n]';

/**
 * A cell of a text that others wrote, by RFC 4180. What a program for tables takes for a formula gets an apostrophe in front. A
 * column, not an expression: it stands in the text several times.
 */
export function csvText(column: string): string {
  const quote = `CASE WHEN ${column} ~ '${QUOTED}' THEN '"' END`;
  const mark = `CASE WHEN ${column} ~ :formula THEN '''' END`;
  return `CASE WHEN ${column} ~ '${HARMLESS}' THEN ${column}
    ELSE concat(${quote}, ${mark}, replace(${column}, '"', '""'), ${quote}) END`;
}

/** A cell of our own words. */
export function csvWord(column: string): string {
  return `CASE WHEN ${column} ~ '${QUOTED}' THEN concat('"', replace(${column}, '"', '""'), '"') ELSE ${csvPlain(column)} END`;
}

/** A cell that needs no quotes, as a number or a time; -12.50 is no formula. */
export const csvPlain = (expression: string): string => `coalesce(${expression}, '')`;

/** A string of JSON that needs no escapes, or null. */
export const jsonPlain = (expression: string): string => `coalesce('"' || ${expression} || '"', 'null')`;

/** A string of JSON, or null, as `JSON.stringify` writes it. */
export const jsonText = (expression: string): string => `coalesce(to_json(${expression})::text, 'null')`;

/** SQL of what `account` is called. */
export function accountNames(chart: Pick<Chart, 'accounts'>): string {
  const names = namedAccounts(chart).map(({ account, name, isPerSubWallet }) => {
    const itself = `WHEN account = ${literal(account)} THEN ${literal(name)}`;
    if (!isPerSubWallet) return itself;
    return `${itself} WHEN starts_with(account, ${literal(`${account}:`)}) THEN ${literal(name)} || substr(account, ${account.length + 1})`;
  });
  return names.length === 0 ? 'account' : `CASE ${names.join(' ')} ELSE account END`;
}

/** Of letters, digits, hyphens and colons, as a chart has no others; a colon before a word is escaped, or knex took the word for a name. */
const literal = (text: string): string => `'${text.replaceAll(/:(?=\w)/g, '\\:')}'`;

const LAST_CHARACTER = 0x10_ff_ff;
/** As what Postgres can't hold is stored; none of it is seen. */
const ESCAPED = '\\uFFFF[0-9a-f]{4}';

let made: string | null = null;

/** A regular expression of Postgres, which has no classes of Unicode: by those of Node, spelt out. */
function formula(): string {
  made ??= `^(?:(?:[${ranges(UNSEEN)}]|${ESCAPED})*[${FORMULA_SIGNS}]|[\\t\\r\\n])`;
  return made;
}

function ranges(kind: RegExp): string {
  const escape = (code: number) => `\\U${code.toString(16).padStart(8, '0')}`;
  let [text, first] = ['', 0];
  for (let code = 1; code <= LAST_CHARACTER + 1; code += 1) {
    const isOne = code <= LAST_CHARACTER && kind.test(String.fromCodePoint(code));
    if (isOne) first ||= code;
    else if (first > 0) [text, first] = [`${text}${escape(first)}-${escape(code - 1)}`, 0];
  }
  return text;
}
