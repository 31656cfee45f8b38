import { expect, test } from 'vitest';
import { allFindings, foundBreak, noFindings, settle } from '../../src/domain/breaks/findings.js';

const name = { kind: 'kyt_hold', entity: { kind: 'payin', id: 'pay_1' } } as const;
const field = { ours: 'passed', theirs: 'pending', source: { ref: 'run-1' } };

test('a break holds what is said of each field, since when, and what else is known', () => {
  const since = Date.parse('2026-03-01T00:00:00Z');
  const found = foundBreak(name, { kytStatus: field }, { since, severity: 'low', notes: { verdict: 'pending' } });
  expect(found).toEqual({
    ...name,
    severity: 'low',
    evidence: { kytStatus: field, since: '2026-03-01T00:00:00.000Z', verdict: 'pending' },
    cause: found.cause,
  });
  const bare = foundBreak(name, { kytStatus: field });
  expect(bare).toStrictEqual({ ...name, evidence: { kytStatus: field }, cause: bare.cause });
});

test('its cause is what is said of which field, and since when: not by whom, nor what else is known', () => {
  const { cause } = foundBreak(name, { kytStatus: field }, { since: 1 });
  const same = foundBreak(
    name,
    { kytStatus: { ...field, source: 'another' } },
    { since: 1, notes: { verdict: 'odd' } },
  );
  expect(same.cause).toBe(cause);
  const others = [
    foundBreak(name, { kytStatus: field }),
    foundBreak(name, { kytStatus: field }, { since: 2 }),
    foundBreak(name, { kytStatus: { ...field, ours: 'x' } }, { since: 1 }),
    foundBreak(name, { kytStatus: { ...field, theirs: 'x' } }, { since: 1 }),
    foundBreak(name, { status: field }, { since: 1 }),
  ];
  expect(new Set([cause, ...others.map((one) => one.cause)]).size).toBe(6);
});

test('a finding is open or settled, and those of several checks are told together', () => {
  const [one, other] = [noFindings(), noFindings()];
  const found = foundBreak(name, { kytStatus: field });
  settle(one, name, found);
  settle(other, name, null);
  other.again.push({ entity: name.entity, at: 1 });
  expect(allFindings([one, other])).toEqual({
    open: [found],
    resolve: [name],
    again: [{ entity: name.entity, at: 1 }],
  });
});
