import { expect, test } from 'vitest';
import { createUnsignedIds } from '../../src/webhook/verify-signature.js';

const arrival = (body: string, id?: string) => ({
  'x-service-signature': [body],
  ...(id !== undefined && { 'x-service-event-id': [id] }),
});

test('a body has a few ids in its headers, however often it comes under them, and no more', () => {
  const trusted = createUnsignedIds('auto');
  for (const id of ['a', 'b', 'a', 'c', 'd', 'a', 'b']) {
    expect(trusted(arrival('caught', id))).toHaveProperty('x-service-event-id', [id]);
  }
  for (const id of ['e', 'f']) expect(trusted(arrival('caught', id))).toEqual({});
  expect(trusted(arrival('caught', 'd'))).toHaveProperty('x-service-event-id', ['d']);
  expect(trusted(arrival('caught'))).not.toEqual({});
});

test('events with an id each are distinguished, however many there are', () => {
  const trusted = createUnsignedIds('header:Event-Id');
  const events = Array.from({ length: 10_500 }, (_, i) => ({ ...arrival(`body ${i}`), 'event-id': [`${i}`] }));
  expect(events.filter((headers) => trusted(headers) !== headers)).toEqual([]);
});

test('an id without a signature is one like any other', () => {
  const trusted = createUnsignedIds('auto');
  for (const id of ['a', 'b', 'c', 'd']) expect(trusted({ 'x-service-event-id': [id] })).not.toEqual({});
  expect(trusted({ 'x-service-event-id': ['e'] })).toEqual({});
});

test('10,000 bodies are remembered, and then all are forgotten', () => {
  const trusted = createUnsignedIds('auto');
  for (const id of ['a', 'b', 'c', 'd']) trusted(arrival('caught', id));
  for (let i = 2; i < 10_000; i += 1) trusted(arrival(`body ${i}`, 'a'));
  expect(trusted(arrival('caught', 'e'))).toEqual({});
  trusted(arrival('the last', 'a'));
  expect(trusted(arrival('caught', 'e'))).not.toEqual({});
});

test('a header that is called null holds no id', () => {
  const trusted = createUnsignedIds('/id');
  for (const id of ['a', 'b', 'c', 'd', 'e']) expect(trusted({ null: [id] })).toEqual({ null: [id] });
});

test.each(['none', '/id'])('where ids are not searched for in headers nothing is held against one: %s', (pointer) => {
  const trusted = createUnsignedIds(pointer);
  for (const id of ['a', 'b', 'c', 'd', 'e', 'f']) expect(trusted(arrival('body', id))).not.toEqual({});
});
