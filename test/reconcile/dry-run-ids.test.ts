import { expect, test } from 'vitest';
import { createDryRunIds } from '../../src/reconcile/lists/sql-list-store.js';

test('an id that came is never taken for new, and few new ones for known, in room that does not grow', () => {
  const ids = createDryRunIds(2 ** 20);
  const many = Array.from({ length: 50_000 }, (_, at) => `pi_${at.toString(36)}`);
  const taken = many.filter((id) => ids.add(id)).length;
  expect(taken).toBeGreaterThan(many.length * 0.99);
  expect(many.filter((id) => ids.add(id))).toEqual([]);
});
