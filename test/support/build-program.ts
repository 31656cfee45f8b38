import { execFile } from 'node:child_process';
import { mkdir, readdir, rm, symlink } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { isAlive } from '../../src/embedded-postgres/process.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/**
 * Compiles src/ to a folder of this run, for tests that need processes of their own: node can't run TypeScript. What
 * `npm ci` compiled is copied where nothing changed since.
 * Returns the folder to remove; the compiled files are in its `dist/`. Type errors are left to `npm run check`.
 */
export async function buildProgram(): Promise<string> {
  const cache = path.join(ROOT, 'node_modules', '.cache');
  for (const name of await readdir(cache).catch(() => [])) {
    const owner = /^tallyhook-test-(\d+)$/.exec(name)?.[1];
    if (owner && !isAlive(Number(owner))) await rm(path.join(cache, name), { recursive: true, force: true });
  }
  const folder = path.join(cache, `tallyhook-test-${process.pid}`);
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  await Promise.all(
    ['package.json', 'migrations'].map((name) => symlink(path.join(ROOT, name), path.join(folder, name))),
  );
  await promisify(execFile)(process.execPath, ['build.mjs', path.join(folder, 'dist')], { cwd: ROOT });
  return folder;
}
