import { execFile } from 'node:child_process';
import { cp, mkdir, readdir, rm, stat, symlink } from 'node:fs/promises';
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
  const dist = path.join(folder, 'dist');
  if (await isBuilt()) {
    await cp(path.join(ROOT, 'dist'), dist, { recursive: true });
    return folder;
  }
  const tsc = path.join(ROOT, 'node_modules', '.bin', 'tsc');
  await promisify(execFile)(tsc, ['-p', 'tsconfig.build.json', '--outDir', dist], {
    cwd: ROOT,
  }).catch((error: unknown) => process.stderr.write(`the program under test has type errors: ${String(error)}\n`));
  await Promise.all(
    ['views', 'assets'].map((name) =>
      symlink(path.join(ROOT, 'src', 'console', name), path.join(dist, 'console', name)),
    ),
  );
  return folder;
}

/** Whether dist/ is younger than all that it is made of. */
async function isBuilt(): Promise<boolean> {
  const built = await stat(path.join(ROOT, 'dist', 'cli.js')).catch(() => null);
  if (!built) return false;
  const names = await readdir(path.join(ROOT, 'src'), { recursive: true });
  const sources = ['tsconfig.json', 'tsconfig.build.json', ...names.map((name) => path.join('src', name))];
  const made = await Promise.all(sources.map(async (name) => (await stat(path.join(ROOT, name))).mtimeMs));
  return Math.max(...made) < built.mtimeMs;
}
