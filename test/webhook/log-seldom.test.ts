import { expect, test } from 'vitest';
import type { Logger } from '../../src/log.js';
import { logSeldom } from '../../src/webhook/log-seldom.js';

function logged(causes: readonly string[]): string[] {
  const lines: string[] = [];
  const warn = ({ error, suppressed }: { error: string; suppressed: number }) => lines.push(`${error} ${suppressed}`);
  const say = logSeldom({ warn } as unknown as Logger, 'webhook not stored');
  for (const cause of causes) say(new Error(cause));
  return lines;
}

test('one cause is logged once in 30 s; another one at once, with the number of those in between', () => {
  expect(logged(['away', 'away', 'away', 'read-only', 'read-only'])).toEqual(['Error: away 0', 'Error: read-only 2']);
});

test('causes that take turns are logged nine times, and no more', () => {
  expect(logged(Array.from({ length: 1_000 }, (_, nth) => (nth % 2 === 0 ? 'a' : 'b')))).toHaveLength(9);
});
