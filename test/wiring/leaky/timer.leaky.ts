import { test } from 'vitest';

test('leaves a timer', () => {
  setInterval(() => {}, 1_000);
});
