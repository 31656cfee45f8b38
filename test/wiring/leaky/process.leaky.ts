import { spawn } from 'node:child_process';
import { test } from 'vitest';

test('leaves a process', () => {
  spawn('sleep', ['5']);
});
