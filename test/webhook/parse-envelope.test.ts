import { describe, expect, it, test } from 'vitest';
import { atOnce } from '../../src/domain/in-turns.js';
import { JsonTable } from '../../src/domain/json-table/json-table.js';
import { parsingEnvelope } from '../../src/webhook/parse-envelope.js';

const parse = (text: string | Buffer) => atOnce(parsingEnvelope(Buffer.from(text)));

describe('what is wrong with a body is said by its name', () => {
  it.each<[string | Buffer, string]>([
    ['', 'the body is empty'],
    [Buffer.from([0x7b, 0xff, 0x7d]), 'the body is not valid UTF-8'],
    ['\ufeff{}', 'the body begins with a byte order mark'],
    ['null', 'the body is null, not an object'],
    ['[]', 'the body is an array, not an object'],
    ['1', 'the body is a number, not an object'],
    ['"a"', 'the body is a string, not an object'],
    ['{"data":{},"timestamp":1}', '"event" is absent, not a string'],
    ['{"event":true,"data":{},"timestamp":1}', '"event" is a boolean, not a string'],
    ['{"event":{},"data":{},"timestamp":1}', '"event" is an object, not a string'],
    ['{"event":"a","data":[],"timestamp":1}', '"data" is an array, not an object'],
  ])('%j', (text, detail) => expect(parse(text)).toEqual({ ok: false, reason: 'invalid_body', detail }));

  it.each([
    ['{"event":"a","data":{}}', '"timestamp" is absent, not a number'],
    ['{"event":"a","data":{},"timestamp":"1"}', '"timestamp" is a string, not a number'],
    ['{"event":"a","data":{},"timestamp":null}', '"timestamp" is null, not a number'],
    ['{"event":"a","data":{},"timestamp":1e999}', '"timestamp" is a number too large to be a time'],
  ])('%s', (text, detail) => expect(parse(text)).toEqual({ ok: false, reason: 'missing_timestamp', detail }));

  it('why it is no JSON is said too', () => {
    expect(parse('{"a":1,}')).toMatchObject({ reason: 'invalid_body', detail: expect.stringMatching(/JSON: \S/) });
  });
});

test('objects may lie 512 deep, and no deeper', () => {
  const nested = (depth: number) =>
    parse(`{"event":"a","timestamp":1,"data":${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}}`).ok;
  expect([nested(511), nested(512)]).toEqual([true, false]);
});

test('an envelope is given whole', () => {
  const parsed = parse('{"event":"a","timestamp":1.5,"data":{"b":"c"},"more":"d"}');
  const document = expect.any(JsonTable);
  expect(parsed).toEqual({
    ok: true,
    envelope: { event: 'a', timestamp: 1.5, data: { b: 'c' }, mark: null, bulk: null, document },
  });
  expect(parsed.ok && parsed.envelope.document.value()).toEqual({
    event: 'a',
    timestamp: expect.anything(),
    data: { b: 'c' },
    more: 'd',
  });
});
