import { writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'vitest';

test('leaves a file', () => {
  writeFileSync(path.join(tmpdir(), 'left'), '');
});
