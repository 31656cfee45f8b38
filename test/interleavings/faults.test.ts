import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { faults } from './faults.js';

test.each(faults)('$name: the product has the place', async ({ file, from }) => {
  const code = await readFile(file, 'utf8');
  expect(code.split(from)).toHaveLength(2);
});
