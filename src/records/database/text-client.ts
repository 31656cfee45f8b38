import type { Socket } from 'node:net';
import { Client, type QueryResult, types } from 'pg';
import { fromDatabaseJson, fromDatabaseText, toDatabaseText } from './database-text.js';

type Answer = QueryResult<Record<string, unknown>>;
/** Of several statements sent as one text there are several answers. */
type Answers = Answer | Answer[];
type Callback = (error: unknown, answers: Answers) => void;

/**
 * A connection that takes and gives any string, also those that Postgres can't hold (decision 0019): every value of every
 * statement is escaped here, and every text of an answer is what it was. Of type varchar or json is what comes as it is stored.
 */
export class TextClient extends Client {
  override query(...given: unknown[]): never {
    const sent = given.map((one) => (typeof one === 'function' ? withTexts(one as Callback) : storable(one)));
    this.gather();
    const answer: unknown = super.query(...(sent as [string]));
    return (answer instanceof Promise ? answer.then(readTexts) : answer) as never;
  }

  /** What is sent in one turn is written at once: a write costs as much as a small statement. */
  private gather(): void {
    const { stream } = (this as unknown as { connection: { stream: Socket } }).connection;
    if (stream.writableCorked > 0) return;
    stream.cork();
    process.nextTick(() => stream.uncork());
  }
}

/** A statement with its values, or the values. A statement without any is sent as it is. */
function storable(given: unknown): unknown {
  if (Array.isArray(given)) return given.map(storableValue);
  if (typeof given !== 'object' || given === null || !('values' in given) || 'submit' in given) return given;
  return Array.isArray(given.values) ? { ...given, values: given.values.map(storableValue) } : given;
}

function storableValue(value: unknown): unknown {
  if (typeof value === 'string') return toDatabaseText(value);
  return Array.isArray(value) ? value.map(storableValue) : value;
}

const TEXT: number = types.builtins.TEXT;
const TEXT_ARRAY = 1009;
const JSONB: number = types.builtins.JSONB;

/** JSON text that is stored as it is (`verbatim`), and comes so by these names. */
const JSON_TEXTS: ReadonlySet<string> = new Set([
  'claims',
  'content',
  'data',
  'evidence',
  'from_value',
  'poll',
  'reported',
  'shown',
  'to_value',
]);

function withTexts(callback: Callback): Callback {
  return (error, answers) => callback(error, error ? answers : readTexts(answers));
}

function readTexts(answers: Answers): Answers {
  for (const { fields, rows } of [answers].flat()) {
    for (const { name, dataTypeID } of fields) {
      if (dataTypeID === TEXT && !JSON_TEXTS.has(name)) readColumn(rows, name);
    }
  }
  return answers;
}

function readColumn(rows: Answer['rows'], name: string): void {
  for (const row of rows) {
    const text = row[name];
    const read = typeof text === 'string' ? fromDatabaseText(text) : text;
    if (read !== text) row[name] = read;
  }
}

type Parse = (stored: string) => unknown;

const textElements: (stored: string) => (string | null)[] = types.getTypeParser(TEXT_ARRAY as never);

const parsers = new Map<number, Parse>([
  [TEXT_ARRAY, (stored) => textElements(stored).map((text) => (text === null ? null : fromDatabaseText(text)))],
  [JSONB, fromDatabaseJson],
]);

export const anyText = {
  getTypeParser: (oid: number, format = 'text'): Parse =>
    (format === 'text' ? parsers.get(oid) : undefined) ?? types.getTypeParser(oid, format as 'text'),
};
