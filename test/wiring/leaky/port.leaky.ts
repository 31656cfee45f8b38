import { createServer } from 'node:net';
import { test } from 'vitest';

test('leaves a port', () => {
  createServer().listen(0);
});
