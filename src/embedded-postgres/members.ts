import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { isSameProcess, processIdentity } from './process.js';

/** Writes this process down as a user of the server; returns what `leave` needs. Call it under the lock. */
export async function join(folder: string): Promise<string> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const member = path.join(folder, `${process.pid}-${randomBytes(4).toString('hex')}`);
  await writeFile(member, processIdentity(process.pid), { mode: 0o600 });
  return member;
}

/** Strikes a member off, and all that died without leaving; returns how many remain. Call it under the lock, or at the exit. */
export function leave(member: string): number {
  rmSync(member, { force: true });
  const folder = path.dirname(member);
  let remaining = 0;
  for (const name of readdirSync(folder)) {
    const file = path.join(folder, name);
    if (isSameProcess(readFileSync(file, 'utf8'))) remaining += 1;
    else rmSync(file, { force: true });
  }
  return remaining;
}
