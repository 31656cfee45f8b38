import { expect, test } from 'vitest';
import { createLog } from '../../src/log.js';
import { createClosers } from '../../src/wiring/closers.js';

test('closes in reverse order, once, whatever fails', async () => {
  const closers = createClosers(createLog('silent'));
  const closed: string[] = [];
  closers.add('first', async () => closed.push('first'));
  closers.add('broken', () => Promise.reject(new Error('no')));
  closers.add('last', async () => closed.push('last'));
  await Promise.all([closers.close(), closers.close()]);
  await closers.close();
  expect(closed).toEqual(['last', 'first']);
});
