import { readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { isSameProcess, processIdentity } from '../embedded-postgres/process.js';
import { EMBEDDED_FOLDER } from '../wiring/open-store.js';

/** What a person needs to look around, by the name that is printed. */
export type Addresses = Record<'console' | 'receiver' | 'sandbox' | 'token', string>;

interface Reached extends Addresses {
  /** What its roles run with, by the names of the environment. */
  settings: Readonly<Record<string, string>>;
}

interface RunningDemo extends Reached {
  process: string;
  startedAt: number;
}

/** Each demo has a folder of its own, so that several run side by side; in it this file says where it is reached. */
const ADDRESSES = 'demo.json';

/** Of the demo in this process, to whoever calls `findDemo`. */
export async function tellOfDemo(folder: string, reached: Reached): Promise<void> {
  const found: RunningDemo = { ...reached, process: processIdentity(process.pid), startedAt: Date.now() };
  await writeFile(path.join(folder, ADDRESSES), `${JSON.stringify(found)}\n`, { mode: 0o600 });
}

/** The demo that was started last of those that run in this folder. */
export async function findDemo(): Promise<RunningDemo | undefined> {
  const names = (await readdir(EMBEDDED_FOLDER).catch(() => [])).filter((name) => name.startsWith('demo-'));
  const texts = await Promise.all(
    names.map((name) => readFile(path.join(EMBEDDED_FOLDER, name, ADDRESSES), 'utf8').catch(() => '')),
  );
  return texts
    .filter((text) => text.endsWith('\n'))
    .map((text) => JSON.parse(text) as RunningDemo)
    .filter((demo) => isSameProcess(demo.process))
    .toSorted((a, b) => b.startedAt - a.startedAt)[0];
}
