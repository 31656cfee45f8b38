import { expect, test } from 'vitest';
import { sumTo } from './guarded.js';

test('all numbers count, the last one too', () => {
  expect(sumTo(4)).toBe(10);
  expect(sumTo(0)).toBe(0);
});
