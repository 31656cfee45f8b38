import { expect, test } from 'vitest';
import { breakWords } from '../../src/domain/alerts/record-conditions.js';

test('what is not closed says how many of it somebody has in hand; it counts as before', () => {
  const one = { kind: 'duplicate_payment', severity: 'critical', count: 47, oldestSeconds: 1, money: [] } as const;
  expect(breakWords({ ...one, inHand: 41 })).toMatchObject({
    title: '47 breaks not closed: duplicate payment, 41 acknowledged or assigned',
    severity: 'critical',
    count: 47,
  });
  expect(breakWords({ ...one, inHand: 41 }).detail).toMatch(
    /^47 not closed of kind duplicate_payment, 41 acknowledged or assigned, the oldest for [^.]+\. /,
  );
  expect(breakWords({ ...one, inHand: 0 }).title).toBe('47 open breaks: duplicate payment');
});
