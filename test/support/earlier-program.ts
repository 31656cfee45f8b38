import { execFile } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const ROOT = fileURLToPath(new URL('../..', import.meta.url));

export interface EarlierProgram {
  /** Folder of the compiled program: `cli.js` is in it. */
  program: string;
  commit: string;
  remove(): Promise<void>;
}

/**
 * The program of the last commit before a migration came, compiled by this build.mjs and with these node_modules. Null,
 * said aloud: git does not know it here.
 */
export async function programBefore(migration: string): Promise<EarlierProgram | null> {
  const commit = await commitBefore(migration);
  if (commit === null) {
    process.stderr.write(`\n!!! git knows no commit before ${migration} here: the upgrade is NOT TRIED !!!\n`);
    return null;
  }
  const folder = await mkdtemp(path.join(tmpdir(), 'earlier-'));
  const archive = path.join(folder, 'tar');
  const tree = path.join(folder, 'tree');
  await mkdir(tree);
  await run('git', ['archive', `--output=${archive}`, commit], { cwd: ROOT });
  await run('tar', ['-xf', archive, '-C', tree]);
  await symlink(path.join(ROOT, 'node_modules'), path.join(tree, 'node_modules'));
  await copyFile(path.join(ROOT, 'build.mjs'), path.join(tree, 'build.mjs'));
  const program = path.join(tree, 'dist');
  await run(process.execPath, ['build.mjs', program], { cwd: tree });
  return { program, commit: commit.slice(0, 12), remove: () => rm(folder, { recursive: true, force: true }) };
}

async function commitBefore(migration: string): Promise<string | null> {
  const git = async (...args: string[]) => (await run('git', args, { cwd: ROOT })).stdout.trim();
  try {
    const added = await git('log', '--diff-filter=A', '--format=%H', '-1', '--', `migrations/${migration}`);
    return added === '' ? null : await git('rev-parse', '--verify', '--quiet', `${added}^`);
  } catch {
    return null;
  }
}
