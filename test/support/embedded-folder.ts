import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Client } from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, inject } from 'vitest';
import { readPostmaster } from '../../src/embedded-postgres/cluster.js';
import { homeOf } from '../../src/embedded-postgres/identity.js';
import { type EmbeddedPostgres, openEmbeddedPostgres } from '../../src/embedded-postgres/open-embedded-postgres.js';

/** Of all tests but those that begin with an empty folder: making a cluster takes longer than what is tried with it. */
let shared: string;
/** Of the test that runs. */
export let dir: string;
export const open: EmbeddedPostgres[] = [];
const children: ChildProcess[] = [];

export async function emptyFolder(): Promise<void> {
  dir = await newFolder();
}

async function newFolder(): Promise<string> {
  const made = await mkdtemp(path.join(tmpdir(), 'embedded-'));
  await chmod(made, 0o700);
  return made;
}

/** Folders for the embedded databases of a file, and what it leaves is stopped. */
export function useFolders(): void {
  beforeAll(async () => {
    shared = await newFolder();
  });
  afterAll(() => rm(shared, { recursive: true, force: true }));
  beforeEach(() => {
    dir = shared;
  });
  afterEach(async () => {
    for (const child of children.splice(0)) child.kill('SIGKILL');
    for (const database of open.splice(0)) await database.close();
    // Whoever was killed left nobody to stop the server: join and leave.
    if (existsSync(path.join(dir, 'postgres'))) {
      const last = await openEmbeddedPostgres({ dir });
      await query(last.url, 'DROP TABLE IF EXISTS kept, mine');
      await last.close();
    }
    if (dir !== shared) await rm(dir, { recursive: true, force: true });
  });
}

export async function start(
  options: Partial<Parameters<typeof openEmbeddedPostgres>[0]> = {},
): Promise<EmbeddedPostgres> {
  const database = await openEmbeddedPostgres({ dir, ...options });
  open.push(database);
  return database;
}

export async function query(url: string, sql: string): Promise<unknown[]> {
  const client = new Client({ connectionString: url });
  client.on('error', () => {});
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}

export const data = async () => path.join(homeOf(path.join(dir, 'postgres')), 'data');
export const postmaster = async () => readPostmaster(await data())!;

/** Another process that uses the database of `dir` until it is stopped or killed. */
export async function startUser(): Promise<{ child: ChildProcess; url: string }> {
  const module = path.join(inject('program'), 'embedded-postgres', 'open-embedded-postgres.js');
  const child = spawn(
    process.execPath,
    [
      '--input-type=module',
      '--eval',
      `const { openEmbeddedPostgres } = await import(${JSON.stringify(module)});
       const database = await openEmbeddedPostgres({ dir: ${JSON.stringify(dir)} });
       process.stdout.write(database.url);
       process.stdin.resume().once('data', async () => { await database.close(); process.exit(0); });`,
    ],
    { stdio: ['pipe', 'pipe', 'inherit'] },
  );
  children.push(child);
  const [url] = await once(child.stdout, 'data');
  return { child, url: String(url) };
}

export async function kill(child: ChildProcess): Promise<void> {
  child.kill('SIGKILL');
  await once(child, 'exit');
}
