import { randomBytes } from 'node:crypto';
import { link, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { isSameProcess, processIdentity } from './process.js';

/** Longer than a start of the server may take: whoever waits is let in by then, or something is broken. */
const WAIT_MS = 80_000;
const POLL_MS = 25;

/** A lock whose holder died is taken over. Throws when the signal aborts, or after longer than a start can take. */
export async function withLock<T>(file: string, work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
  const mine = `${processIdentity(process.pid)} ${randomBytes(6).toString('hex')}`;
  const draft = `${file}.${mine.split(' ').at(-1)}`;
  await writeFile(draft, mine, { mode: 0o600 });
  try {
    await acquire(file, draft, signal);
    try {
      return await work();
    } finally {
      await rm(file, { force: true });
    }
  } finally {
    await rm(draft, { force: true });
  }
}

async function acquire(file: string, draft: string, signal: AbortSignal | undefined): Promise<void> {
  const deadline = Date.now() + WAIT_MS;
  for (;;) {
    // A link appears with its content in it: nobody reads a lock that is half written.
    if (await link(draft, file).then(() => true, taken)) return;
    const holder = await readFile(file, 'utf8').catch(() => null);
    if (holder !== null && !isSameProcess(holder.split(' ').slice(0, 2).join(' '))) {
      await removeStale(file, holder, `${draft}.stale`);
      continue;
    }
    if (Date.now() > deadline) throw new Error(`${file} is held by process ${holder?.split(' ')[0] ?? 'unknown'}`);
    await delay(POLL_MS, undefined, { signal });
  }
}

function taken(error: unknown): false {
  if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
  throw error;
}

/** Two who saw the same dead holder may both come here: the later one finds a living lock in its hand and puts it back. */
async function removeStale(file: string, holder: string, aside: string): Promise<void> {
  await rename(file, aside).catch(() => {});
  const found = await readFile(aside, 'utf8').catch(() => null);
  if (found !== null && found !== holder) await link(aside, file).catch(() => {});
  await rm(aside, { force: true });
}
