import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { prepareBinaries } from '../src/embedded-postgres/ensure-running.js';

const root = path.join(import.meta.dirname, '..');
const architecture = process.arch;
const runsOn = (value: string) => Object.defineProperty(process, 'arch', { value });
afterEach(() => runsOn(architecture));

test('where no embedded Postgres is to be had, the version that is asked for is the one that the documents name', async () => {
  const [, needed] = /\*\*Postgres\*\*, version (\d+) or newer/.exec(
    await readFile(path.join(root, 'docs/operate.md'), 'utf8'),
  ) ?? ['', ''];
  expect(needed).toMatch(/^\d+$/);
  runsOn('vax');
  await expect(prepareBinaries(root)).rejects.toThrow(
    `no embedded Postgres is installed for ${process.platform}-vax. Set DATABASE_URL to a Postgres (${needed} or newer) of your own.`,
  );
});
