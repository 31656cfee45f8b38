import fc from 'fast-check';
import type { Knex } from 'knex';
import { beforeAll, expect, test } from 'vitest';
import { recordKinds } from '../../src/domain/records.js';
import { recordAction } from '../../src/records/actions/record-action.js';
import { readSealedRows, sealedLogs } from '../../src/records/audit/sealed-logs.js';
import { arrayText, textArray } from '../../src/records/database/array-parameter.js';
import {
  fromDatabaseText,
  fromJsonbText,
  jsonbText,
  keyText,
  LONGEST_KEY_BYTES,
  storedBytes,
  toDatabaseText,
  verbatim,
} from '../../src/records/database/database-text.js';
import { recordTables } from '../../src/records/record-columns.js';
import { anyCharacter } from '../support/any-character.js';
import { useDatabase } from '../support/database.js';

const database = useDatabase();

/** Strings with what Postgres can't hold, with what stands for it, and with what arrays and JSON escape. */
const anyString = fc.string({
  unit: fc.oneof(
    fc.constantFrom(
      '\0',
      '\uffff',
      '\ud800',
      '\udc00',
      '\udfff',
      '\ud83d\ude00',
      '\uffff0000',
      '\uffffffff',
      '\\ud800',
    ),
    fc.constantFrom('"', '\\', '\\\\', "'", '{', '}', ',', 'NULL', '?', '$1', '\n', '\\u0000', '%', '_'),
    anyCharacter,
  ),
});

interface Row {
  n: number;
  plain: string;
  many: string[];
  document: unknown;
  shown: string;
}

beforeAll(() =>
  database.db.raw('CREATE TABLE any_text (n integer, plain text, many text[], document jsonb, shown text, loose json)'),
);

/** Each by another way to the database: the builder, values in order, values by name, and sets. */
const ways: readonly ((db: Knex, n: number, string: string) => Promise<unknown>)[] = [
  (db, n, string) =>
    db('any_text').insert({
      n,
      plain: string,
      many: [string, ''],
      document: jsonbText({ [string]: [string] }),
      shown: '',
    }),
  (db, n, string) =>
    db.raw('INSERT INTO any_text VALUES (?, ?, ?, ?, ?)', [
      n,
      string,
      [string, ''],
      jsonbText({ [string]: [string] }),
      '',
    ]),
  (db, n, string) =>
    db.raw('INSERT INTO any_text VALUES (:n, :plain, :many, :document, :shown)', {
      n,
      plain: string,
      many: textArray([string, '']),
      document: jsonbText({ [string]: [string] }),
      shown: '',
    }),
  (db, n, string) =>
    db.transaction((trx) =>
      trx.raw(
        `INSERT INTO any_text SELECT ?::integer, plain, many::text[], document::jsonb, ''
         FROM unnest(?::text[], ?::text[], ?::text[]) AS new (plain, many, document)`,
        [n, textArray([string]), textArray([arrayText([string, ''])]), textArray([jsonbText({ [string]: [string] })])],
      ),
    ),
];

test('any string comes back as it was, and is stored as it was before there was a driver that does so', async () => {
  const { db } = database;
  const strings = fc.sample(anyString, 400);
  for (const [n, string] of strings.entries()) await ways[n % ways.length]?.(db, n, string);
  const rows = await db<Row>('any_text').orderBy('n');
  expect(rows.map(({ plain }) => plain)).toEqual(strings);
  expect(rows.map(({ many }) => many)).toEqual(strings.map((string) => [string, '']));
  expect(rows.map(({ document }) => document)).toEqual(strings.map((string) => ({ [string]: [string] })));

  const kept = strings.map(toDatabaseText);
  const { rows: stored } = await db.raw<{ rows: Row[] }>(
    'SELECT plain::varchar, many::varchar[], document::varchar FROM any_text ORDER BY n',
  );
  expect(stored.map(({ plain }) => plain)).toEqual(kept);
  expect(stored.map(({ many }) => many)).toEqual(kept.map((string) => [string, '']));
  expect(stored.map(({ document }) => JSON.parse(String(document)))).toEqual(
    kept.map((string) => ({ [string]: [string] })),
  );
  await db.raw('TRUNCATE any_text');
});

test('any string is found by itself, and alone', async () => {
  const { db } = database;
  const strings = [...new Set(fc.sample(anyString, 100))];
  await db('any_text').insert(strings.map((plain, n) => ({ n, plain })));
  for (const [n, plain] of strings.entries()) {
    expect(await db('any_text').where({ plain }).pluck('n')).toEqual([n]);
    expect(await db('any_text').whereIn('plain', [plain]).pluck('n')).toEqual([n]);
    expect(
      await db('any_text')
        .whereRaw('plain = ANY (?::text[])', [[plain]])
        .pluck('n'),
    ).toEqual([n]);
  }
  await db.raw('TRUNCATE any_text');
});

test('what Postgres makes of texts comes back as it would be made of the strings', async () => {
  const { db } = database;
  const strings = fc.sample(anyString, 100);
  await db('any_text').insert(strings.map((plain, n) => ({ n, plain })));
  const { rows } = await db.raw(
    `SELECT array_agg(plain ORDER BY n) AS list, jsonb_agg(plain ORDER BY n) AS document,
       array_agg('order ' || plain ORDER BY n) AS named FROM any_text`,
  );
  const named = strings.map((string) => `order ${string}`);
  expect(rows).toEqual([{ list: strings, document: strings, named }]);
  await db.raw('TRUNCATE any_text');
});

test('a column that holds JSON text as it is keeps it to the byte, whatever it looks like', async () => {
  const { db } = database;
  const strings = fc.sample(anyString, 200);
  const texts = strings.map((string) => JSON.stringify({ [string]: string }));
  await db('any_text').insert(texts.map((text, n) => ({ n, shown: verbatim(text), loose: verbatim(text) })));
  expect(await db('any_text').orderBy('n').pluck('shown')).toEqual(texts);
  expect(await db('any_text').orderBy('n').pluck('loose')).toEqual(strings.map((string) => ({ [string]: string })));
  const { rows } = await db.raw('SELECT unnest(?::text[])::varchar AS stored', [
    textArray(texts.map((text) => verbatim(text))),
  ]);
  expect(rows.map(({ stored }: { stored: string }) => stored)).toEqual(texts);
  await db.raw('TRUNCATE any_text');
});

test('what holds JSON text as it is has its name alone: another text of that name would come back escaped', async () => {
  const rows: { table: string; column: string }[] = await database
    .db('information_schema.columns')
    .where({ table_schema: 'public', data_type: 'text' })
    .orderByRaw('table_name COLLATE "C"')
    .select('table_name as table', 'column_name as column');
  const tables = (wanted: string) => rows.filter(({ column }) => column === wanted).map(({ table }) => table);
  const ofRecords = recordKinds.map((kind): string => recordTables[kind]).sort();
  for (const column of ['claims', 'poll', 'reported']) expect(tables(column), column).toEqual(ofRecords);
  expect(tables('shown').filter((table) => table !== 'any_text')).toEqual(ofRecords);
  for (const column of ['from_value', 'to_value']) expect(tables(column)).toEqual(['changes']);
  expect([tables('evidence'), tables('data'), tables('content')]).toEqual([
    ['breaks'],
    ['callbacks'],
    ['settlement_methods'],
  ]);
});

test('what is sealed is what is stored, to the byte', async () => {
  const { db } = database;
  await recordAction(db, { actor: 'a\uffff', action: 'b', target: 'c\0', details: { d: '\ud800' }, outcome: 'done' });
  const log = sealedLogs.find(({ name }) => name === 'actions');
  for await (const rows of readSealedRows(db, log!, { after: null, until: '9' })) {
    const lines = rows.map(({ line }) => JSON.parse(line) as object);
    expect(lines).toMatchObject([{ actor: 'a\uffffffff', target: 'c\uffff0000', details: '{"d":"\uffffd800"}' }]);
  }
  expect.assertions(1);
});

test('the escape is undone, leaves ordinary strings as they are, and is read back from JSON in a text', () => {
  fc.assert(
    fc.property(anyString, (string) => {
      expect(fromDatabaseText(toDatabaseText(string))).toBe(string);
      expect(fromJsonbText(jsonbText([string]))).toEqual([string]);
      expect(storedBytes(string)).toBe(Buffer.byteLength(toDatabaseText(string)));
    }),
  );
  for (const plain of ['', 'order-1', 'Bestellung № 7 – ö', '\ud83d\ude00', 'NULL'])
    expect(toDatabaseText(plain)).toBe(plain);
  expect(toDatabaseText('a\0\ud800\udc00\ud800')).toBe('a\uffff0000\ud800\udc00\uffffd800');
});

test('whether an index can hold a text is judged by what is stored', () => {
  const fits = Math.floor(LONGEST_KEY_BYTES / 7);
  expect(keyText('\0'.repeat(fits))).toBe('\0'.repeat(fits));
  expect(keyText('\0'.repeat(fits + 1))).toBeNull();
  expect(keyText('x'.repeat(LONGEST_KEY_BYTES))).not.toBeNull();
  expect(keyText('x'.repeat(LONGEST_KEY_BYTES + 1))).toBeNull();
});
