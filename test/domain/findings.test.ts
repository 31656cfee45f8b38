import { expect, test } from 'vitest';
import { checked, finding } from '../../src/domain/breaks/findings.js';

const field = { ours: 'passed', theirs: 'pending', source: { ref: 'run-1' } };

test('a finding holds what is said of each field, since when, and what else is known', () => {
  const since = Date.parse('2026-03-01T00:00:00Z');
  const found = finding({ kytStatus: field }, { since, severity: 'low', notes: { verdict: 'pending' } });
  expect(found).toEqual({
    severity: 'low',
    evidence: { kytStatus: field, since: '2026-03-01T00:00:00.000Z', verdict: 'pending' },
    cause: found.cause,
  });
  const bare = finding({ kytStatus: field });
  expect(bare).toStrictEqual({ evidence: { kytStatus: field }, cause: bare.cause });
});

test('its cause is what is said of which field, and since when: not by whom, nor what else is known', () => {
  const { cause } = finding({ kytStatus: field }, { since: 1 });
  const same = finding({ kytStatus: { ...field, source: 'another' } }, { since: 1, notes: { verdict: 'odd' } });
  expect(same.cause).toBe(cause);
  const others = [
    finding({ kytStatus: field }),
    finding({ kytStatus: field }, { since: 2 }),
    finding({ kytStatus: { ...field, ours: 'x' } }, { since: 1 }),
    finding({ kytStatus: { ...field, theirs: 'x' } }, { since: 1 }),
    finding({ status: field }, { since: 1 }),
  ];
  expect(new Set([cause, ...others.map((one) => one.cause)]).size).toBe(6);
});

test('a check says of a record what is wrong, that nothing is, that it may still come right, or nothing', () => {
  const entity = { kind: 'payin', id: 'pay_1' } as const;
  const found = finding({ kytStatus: field });
  expect([found, null, { at: 7 }, undefined].map((verdict) => checked(entity, verdict))).toEqual([
    { entity, found },
    { entity, found: null },
    { entity, at: 7 },
    { entity },
  ]);
});
