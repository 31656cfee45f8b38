import * as fc from 'fast-check';
import { parse } from 'lossless-json';
import { describe, expect, it } from 'vitest';
import { canonicalHash } from '../../src/domain/canonical-json.js';
import { eventKey, idHeader } from '../../src/domain/events/event-key.js';
import type { Json, JsonObject } from '../../src/domain/json.js';
import { readTable } from '../../src/domain/json-table/read-table.js';

function keyOf(envelope: string | JsonObject, pointer = 'auto', headers: Record<string, string[]> = {}) {
  const text = typeof envelope === 'string' ? envelope : JSON.stringify(envelope);
  return eventKey({ envelope: readTable(text, 512), headers, pointer });
}

const plain = '{"event":"payment_intent.completed","timestamp":1700000000,"data":{"id":"pi_1"}}';
const withId = (id: string, place = 'id') => plain.replace('{', `{"${place}":${id},`);

describe('where the event id is searched for', () => {
  it.each(['id', 'eventId', 'event_id'])('auto: /%s of the envelope', (place) => {
    expect(keyOf(withId('"evt_1"', place))).toMatchObject({ keyType: 'id', eventId: 'evt_1' });
  });

  it('auto: the first place that holds one, the envelope before the header', () => {
    const header = { 'x-service-event-id': ['evt_h'] };
    expect(keyOf(withId('""').replace('{', '{"eventId":null,"event_id":"evt_3",'), 'auto', header).eventId).toBe(
      'evt_3',
    );
    expect(keyOf(plain, 'auto', header).eventId).toBe('evt_h');
  });

  it('auto: never the id of the record', () => {
    expect(keyOf(plain)).toMatchObject({ keyType: 'fingerprint', eventId: null });
  });

  it.each(['null', 'true', 'false', '""', '{}', '{"id":"x"}', '["x"]'])(
    '%s is no id: the fingerprint decides',
    (id) => {
      expect(keyOf(withId(id)).keyType).toBe('fingerprint');
    },
  );

  it('takes a number by its digits, however many', () => {
    const digits = '123456789012345678901234567890';
    expect(keyOf(withId(digits)).eventId).toBe(digits);
    expect(keyOf(withId(digits)).key).toBe(keyOf(withId(`"${digits}"`)).key);
    expect(keyOf(withId('0')).eventId).toBe('0');
  });

  it('none: nowhere', () => {
    expect(keyOf(withId('"evt_1"'), 'none').keyType).toBe('fingerprint');
  });

  it('header:Name, in any case; twice with two values is a guess that is not made', () => {
    const at = (...values: string[]) => keyOf(plain, 'header:X-Event', { 'x-event': values }).eventId;
    expect([at('a'), at('a', 'a'), at('a', 'b'), at(''), at()]).toEqual(['a', 'a', null, null, null]);
    expect([at('a', 'b', 'a'), at('a', 'a', 'b'), at('', 'a')]).toEqual([null, null, null]);
    expect(keyOf(withId('"evt_1"'), 'header:X-Event').keyType).toBe('fingerprint');
  });

  it('a JSON pointer (RFC 6901): escapes, arrays, own keys only', () => {
    const envelope = '{"event":"e","~1":"z","a/b":{"m~n":["x",{"":"y"}]},"data":{"eventId":7}}';
    expect(keyOf(envelope, '/a~1b/m~0n/0').eventId).toBe('x');
    expect(keyOf(envelope, '/a~1b/m~0n/1/').eventId).toBe('y');
    expect(keyOf(envelope, '/data/eventId').eventId).toBe('7');
    expect(keyOf(envelope, '/~01').eventId).toBe('z');
    for (const pointer of [
      '/a~1b/m~0n/00',
      '/a~1b/m~0n/-',
      '/a~1b/m~0n/length',
      '/constructor/name',
      '/event/length',
      '/event/0',
      'xevent',
      '/missing/x',
      '',
    ]) {
      expect(keyOf(envelope, pointer).keyType, pointer).toBe('fingerprint');
      expect(keyOf('"evt_1"', pointer || 'none').keyType, pointer).toBe('fingerprint');
    }
  });

  it('several places: the first that has an id counts; a key may hold a space itself', () => {
    const envelope = '{"event":"e","empty":"","a b":"x","c":"y","/d":"z"}';
    const headers = { 'x-event': ['h'] };
    const at = (pointer: string) => keyOf(envelope, pointer, headers).eventId;
    expect(at('/missing /empty /c header:X-Event')).toBe('y');
    expect(at('header:X-Event /c')).toBe('h');
    expect(at('header:None header:X-Event')).toBe('h');
    expect([at('/a b'), at('/c b'), at('/missing b')]).toEqual(['x', null, null]);
  });
});

describe('keys', () => {
  it('of an id separate type and id, wherever the colon stands', () => {
    const key = (event: string, id: string) => keyOf({ event, id, timestamp: null, data: {} }).key;
    expect(key('a', 'b:c')).not.toBe(key('a:b', 'c'));
    fc.assert(
      fc.property(fc.string(), fc.string({ minLength: 1 }), fc.string(), fc.string({ minLength: 1 }), (a, b, c, d) => {
        expect(key(a, b) === key(c, d)).toBe(a === c && b === d);
      }),
    );
  });

  it('of an id do not depend on the content, the time or the place of the id', () => {
    const first = keyOf(withId('"evt_1"'));
    expect(keyOf(withId('"evt_1"', 'event_id').replace('1700000000', '1700000300').replace('pi_1', 'pi_2')).key).toBe(
      first.key,
    );
    expect(first.key).toMatch(/^id:[0-9a-f]{64}$/);
  });

  it('of an id do without an event', () => {
    expect(keyOf({ id: 'x' }).key).toBe(keyOf({ event: null, id: 'x' }).key);
    expect(keyOf({ id: 'x' }).key).not.toBe(keyOf({ event: 'e', id: 'x' }).key);
  });

  it('of a fingerprint change with everything but key order and white space', () => {
    const { key } = keyOf(plain);
    expect(key).toMatch(/^fp:[0-9a-f]{64}$/);
    expect(keyOf('{ "data": {"id": "pi_1"}, "timestamp": 1700000000, "event": "payment_intent.completed" }').key).toBe(
      key,
    );
    expect(keyOf(plain.replace('1700000000', '1700000001')).key).not.toBe(key);
    expect(keyOf(plain.replace('1700000000', '1700000000.0')).key).not.toBe(key);
    expect(keyOf(plain.replace('pi_1', 'pi_2')).key).not.toBe(key);
  });

  it('and content hash are the digests of the envelope, with and without its timestamp', () => {
    const envelope = fc.record(
      {
        event: fc.string(),
        timestamp: fc.oneof(fc.integer(), fc.double({ noNaN: true })),
        data: fc.jsonValue(),
        '': fc.jsonValue(),
        zone: fc.jsonValue(),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(envelope, (given) => {
        const text = JSON.stringify(given);
        const { timestamp: _, ...others } = given;
        expect(keyOf(text, 'none')).toEqual({
          key: `fp:${canonicalHash(parse(text) as Json)}`,
          keyType: 'fingerprint',
          eventId: null,
          contentHash: canonicalHash(parse(JSON.stringify(others)) as Json),
        });
      }),
    );
  });

  it.each([
    [
      plain,
      'fp:14471cfd3a4073c36c5159b6521b619baa3b1a2ada8e053c08bfc05502e76916',
      'f506d03d6824b4e173ebb66b547a7020682ded8294274c4b194ccfec2933de04',
    ],
    [
      '{ "zone":"é\\u0041", "timestamp" : 1700000000.50 ,"event":"payout.failed","data":{"b":[1,{"timestamp":2}],"a":"\\ud800"}}',
      'fp:7762883d8ab2eae9e70c9e5558d8e8fc0b2859aeb2b53e7b83f72692ecb62bb8',
      '6c4871d3fc56007a9c3f8e519b7afd77bdf1a9996c85986fbc4c62042472a5bb',
    ],
    [
      withId('"evt_1"'),
      'id:3465108fc14e315e8cdc7b10ab6767117613636aff851238a01898504b8b70aa',
      'a53a1bfa58aa7ab164761c5eec56171bb91eaa6d7d2b0b65718c85eb7ec3afd1',
    ],
  ])('stay those that databases hold: %s', (envelope, key, contentHash) => {
    expect(keyOf(envelope)).toMatchObject({ key, contentHash });
  });

  it('come with a content hash that a re-stamped retry shares', () => {
    const again = keyOf(plain.replace('1700000000', '1700000600'));
    expect(again.contentHash).toBe(keyOf(plain).contentHash);
    expect(again.key).not.toBe(keyOf(plain).key);
    expect(keyOf(plain.replace('pi_1', 'pi_2')).contentHash).not.toBe(again.contentHash);
  });
});

it.each([
  ['auto', 'x-service-event-id'],
  ['none', null],
  ['/id', null],
  ['header:X-Event', 'x-event'],
  ['/id header:X-Event header:Other', 'x-event'],
])('the header that may hold an id, with %s: %s', (pointer, name) => expect(idHeader(pointer)).toBe(name));
