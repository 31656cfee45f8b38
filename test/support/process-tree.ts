import { readdirSync, readFileSync } from 'node:fs';
import { processIdentity } from '../../src/embedded-postgres/process.js';

/** A process as it is known after its end: its id and the moment it began. */
export interface KnownProcess {
  identity: string;
  command: string;
}

/** All that descend from the process, itself left out. */
export function descendantsOf(pid: number): KnownProcess[] {
  const parents = new Map<number, number>();
  for (const name of readdirSync('/proc')) {
    if (/^\d+$/.test(name)) parents.set(Number(name), parentOf(Number(name)));
  }
  const found: number[] = [pid];
  for (const ancestor of found) for (const [child, parent] of parents) if (parent === ancestor) found.push(child);
  return found.slice(1).map((child) => ({ identity: processIdentity(child), command: commandOf(child) }));
}

function parentOf(pid: number): number {
  const status = read(`/proc/${pid}/status`);
  return Number(/^PPid:\s+(\d+)/m.exec(status)?.[1] ?? 0);
}

function commandOf(pid: number): string {
  return read(`/proc/${pid}/cmdline`).split('\0').join(' ').trim();
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
