import { execFileSync } from 'node:child_process';
import { accessSync, chmodSync, constants, mkdtempSync, readdirSync, readFileSync, statfsSync } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { TestProject } from 'vitest/node';
import { stopCluster } from '../../src/embedded-postgres/cluster.js';
import { isSameProcess, processIdentity } from '../../src/embedded-postgres/process.js';

declare module 'vitest' {
  export interface ProvidedContext {
    /** For temporary files of this run. */
    runFolder: string;
  }
}

/** Files in memory: making a database there takes a quarter of the time. */
const MEMORY = '/dev/shm';
/** Folders in it of each file of tests; the rest is the run's. */
const OF_FILE = 'of-';
const ROOM_BYTES = 6 * 1024 ** 3;
const NAME = /^tallyhook-run-(\d+)-([\d-]+)-/;

/** Each tier asks for it, by an instance of this module of its own; the last to end removes it. */
const run = globalThis as { testFolder?: { folder: Promise<string>; users: number } };

/** One folder for all temporary files of a run (TMPDIR), in memory where there is room. What is left in it at the end is named. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const shared = (run.testFolder ??= { folder: makeFolder(), users: 0 });
  shared.users += 1;
  const folder = await shared.folder;
  process.env['TMPDIR'] = folder;
  project.provide('runFolder', folder);
  return async () => {
    shared.users -= 1;
    if (shared.users > 0) return;
    const left = readdirSync(folder).filter((name) => name.startsWith(OF_FILE));
    await removeRun(folder);
    if (left.length > 0) throw new Error(`tests left in their folder for temporary files: ${left.join(', ')}`);
  };
}

async function makeFolder(): Promise<string> {
  const places = [MEMORY, tmpdir()];
  for (const place of places) await removeAbandoned(place);
  const place = hasRoom(MEMORY) ? MEMORY : tmpdir();
  const folder = mkdtempSync(path.join(place, `tallyhook-run-${processIdentity(process.pid).replace(' ', '-')}-`));
  // As in any folder for temporary files, another user's server may have its data in it.
  chmodSync(folder, 0o711);
  return folder;
}

function hasRoom(place: string): boolean {
  try {
    accessSync(place, constants.W_OK);
    const { bavail, bsize } = statfsSync(place);
    return bavail * bsize > ROOM_BYTES;
  } catch {
    return false;
  }
}

/** A run that was killed could not clean up after itself. */
async function removeAbandoned(place: string): Promise<void> {
  for (const name of await readdir(place).catch(() => [])) {
    const owner = NAME.exec(name);
    if (owner && !isSameProcess(`${owner[1]} ${owner[2]}`)) await removeRun(path.join(place, name));
  }
}

async function removeRun(folder: string): Promise<void> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  const servers = entries.filter(({ name }) => name === 'postmaster.pid');
  for (const { parentPath } of servers) await stopCluster(parentPath).catch(() => {});
  const disks = readFileSync('/proc/mounts', 'utf8')
    .split('\n')
    .map((line) => line.split(' ')[1] ?? '');
  for (const disk of disks.filter((place) => place.startsWith(`${folder}/`))) execFileSync('umount', [disk]);
  await rm(folder, { recursive: true, force: true });
}
