import { expect, it } from 'vitest';
import { clockWords } from '../../src/wiring/doctor/check-service.js';

it.each([
  [-1_928_446_521, -1_928_445_488, '22 days 7 h behind ours'],
  [86_400_000, 86_400_900, '1 day ahead of ours'],
  [7_500_000, 7_500_900, '2 h 5 min ahead of ours'],
  [600_000, 601_200, '10 min to 10 min 1 s ahead of ours'],
  [-601_200, -600_000, '10 min to 10 min 1 s behind ours'],
  [59_999, 60_000, '1 min ahead of ours'],
  [3_598_600, 3_600_000, '59 min 59 s to 1 h ahead of ours'],
  [1_240, 2_000, '1.2 s to 2 s ahead of ours'],
  [12.4, 999.6, '12 ms to 1 s ahead of ours'],
  [-40, -12, '12 ms to 40 ms behind ours'],
  [-310, 690, 'at most 310 ms behind and 690 ms ahead of ours'],
  [0, 690, 'at most 690 ms ahead of ours'],
  [-690, 0.2, 'at most 690 ms behind ours'],
  [0, 0, 'level with ours'],
])('a clock between %d and %d ms ahead is put in words', (low, high, words) => {
  expect(clockWords({ low, high })).toBe(words);
});
