import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fromJsonText, toJsonText } from '../../src/domain/json.js';
import { instantText } from '../../src/domain/service-time.js';
import {
  arrayText,
  bigintArray,
  booleanArray,
  floatArray,
  textArray,
} from '../../src/records/database/array-parameter.js';
import { anyCharacter } from '../support/any-character.js';
import { useDatabase } from '../support/database.js';

const database = useDatabase();

/** Strings with what Postgres can't hold, and with what stands for it. */
const anyString = fc.string({
  unit: fc.oneof(
    fc.constantFrom('\0', '\uffff', '\ud800', '\udc00', '\ud83d\ude00', '\uffff0000', '"', '\\', '{', ',', 'NULL'),
    anyCharacter,
  ),
});

test('binary arrays arrive as they were sent', async () => {
  const texts = [...fc.sample(anyString, 200), null, ''];
  const numbers = [0, -1, Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER, null];
  const floats = [0.1, -1e300, null];
  const { rows } = await database.db.raw(
    `SELECT ?::text[] AS texts, ?::bigint[]::text[] AS numbers, ?::float8[] AS floats, ?::boolean[] AS truths,
       ?::text[] AS nothing, (?::text[])[1]::text[] AS nested`,
    [
      textArray(texts),
      bigintArray(numbers),
      floatArray(floats),
      booleanArray([true, false, null]),
      textArray([]),
      textArray([arrayText(texts.filter((text) => text !== null))]),
    ],
  );
  expect(rows[0]).toEqual({
    texts,
    numbers: numbers.map((number) => (number === null ? null : String(number))),
    floats,
    truths: [true, false, null],
    nothing: [],
    nested: texts.filter((text) => text !== null),
  });
});

test('JSON text is read back as it was written, with every digit of its numbers', () => {
  const json = fc.json({ maxDepth: 4 });
  fc.assert(
    fc.property(json, (text) => {
      const value = fromJsonText(text);
      expect(toJsonText(fromJsonText(toJsonText(value)))).toBe(toJsonText(value));
    }),
  );
  for (const text of [
    '{"a":1.10}',
    '[1e999]',
    '-0.0',
    '{"a":{"b":[true,12345678901234567890]}}',
    '{"s":"\\":5,6[7"}',
  ]) {
    expect(toJsonText(fromJsonText(text))).toBe(text);
  }
});

test('timestamps become instants of Postgres, whatever the zone, or nothing', async () => {
  const given = {
    '2026-03-01T00:00:00Z': '2026-03-01T00:00:00.000000Z',
    '2026-03-01T00:00:00.123456789Z': '2026-03-01T00:00:00.123456Z',
    '2026-03-01T02:00:00.5+02:00': '2026-03-01T00:00:00.500000Z',
    '2026-03-01T02:00:00+0200': '2026-03-01T00:00:00.000000Z',
    '2026-03-01 00:00': '2026-03-01T00:00:00.000000Z',
    '2026-03-01': '2026-03-01T00:00:00.000000Z',
    '2026-03-01T00:00:00+23:59': '2026-02-28T00:01:00.000000Z',
    '2026-13-01T00:00:00Z': null,
    '0000-01-01T00:00:00Z': null,
    '1740787200': null,
    '': null,
  };
  for (const [text, instant] of Object.entries(given)) expect(instantText(text), text).toBe(instant);
  expect(instantText(null)).toBeNull();
  const instants = Object.values(given).filter((instant) => instant !== null);
  await database.db.raw('SELECT unnest(?::text[])::timestamptz', [textArray(instants)]);
});
