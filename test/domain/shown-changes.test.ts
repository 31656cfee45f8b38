import { expect, it } from 'vitest';
import type { Json } from '../../src/domain/json.js';
import type { Change } from '../../src/domain/views/proof-shapes.js';
import { shownChanges, shownValue, stepsOf } from '../../src/domain/views/shown-changes.js';

const change = (about: Partial<Change>): Change => ({
  seq: '1',
  entity: { kind: 'payment_intent', id: 'pi_1' },
  field: 'status',
  from: null,
  to: 'pending',
  source: { type: 'poll', ref: '512' },
  serviceTime: null,
  changedAt: '2026-03-01T00:00:00.000Z',
  ...about,
});

it('a whole record is told by what says the most, an object by what changed in it, reports by what they said', () => {
  const whole = { id: 'pi_1', status: 'pending', returnUrl: 'https://shop.example', amountRequested: '12' };
  expect(shownChanges(change({ field: '*', to: whole }))).toEqual([
    { field: 'status', from: null, to: 'pending' },
    { field: 'amountRequested', from: null, to: '12' },
  ]);
  expect(shownChanges(change({ field: '*', to: null }))).toEqual([]);
  expect(
    shownChanges(change({ field: 'expected', from: { amount: '1', of: 'a' }, to: { amount: '2', of: 'a' } })),
  ).toEqual([{ field: 'expected.amount', from: '1', to: '2' }]);
  expect(shownChanges(change({ field: 'reported', to: { status: 'paid', returnUrl: 'x' } }))).toEqual([
    { field: 'reported.status', from: null, to: 'paid' },
  ]);
  expect(shownChanges(change({ field: 'reported', from: { status: 'paid' }, to: null }))).toEqual([
    { field: 'reported', from: 'something', to: null },
  ]);
});

it('what one source made of one record at once is one step; another source, record or time begins another', () => {
  const first = change({ field: '*', to: { status: 'pending' } });
  const others = [
    change({ changedAt: '2026-03-01T00:00:01.000Z', field: 'id', to: 'pi_1' }),
    change({ changedAt: '2026-03-01T00:00:01.000Z', field: 'returnUrl', to: 'x' }),
    change({ changedAt: '2026-03-01T00:00:01.000Z', field: 'status', to: 'completed' }),
    change({ changedAt: '2026-03-01T00:00:01.000Z', source: { type: 'webhook', ref: '1' } }),
  ];
  expect(stepsOf([first, ...others])).toEqual([
    { first, said: 'first seen', changes: [first] },
    { first: others[0], said: 'first shown', changes: [others[2]] },
    { first: others[3], said: null, changes: [others[3]] },
  ]);
});

it('a value is words, and is cut where it is long', () => {
  const shown: Json[] = [
    null,
    true,
    false,
    ['a', 'b'],
    { safe: true },
    { safe: false, reason: 'not_verified' },
    { safe: false },
    { a: '1' },
  ];
  expect(shown.map((value) => shownValue(value))).toEqual([
    'nothing',
    'yes',
    'no',
    '2 entries',
    'safe to release',
    'hold: not verified',
    'hold: no reason given',
    '{"a":"1"}',
  ]);
  expect(shownValue('abcdef', 3)).toBe('abc…');
});
