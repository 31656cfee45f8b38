import { chmodSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, expect, inject } from 'vitest';
import { until } from './drill.js';
import { openDatabases } from './open-databases.js';

declare module 'vitest' {
  export interface ProvidedContext {
    /** BullMQ leaves some of its own, which end by themselves. */
    mayLeaveTimers: boolean;
    /** How long a file may take to close what it opened. */
    closesWithinMs: number;
  }
}

/** Sockets, servers, processes, files that are open, by kind. */
function resources(): Map<string, number> {
  const counts = new Map<string, number>();
  for (const kind of process.getActiveResourcesInfo())
    if (kind !== 'Timeout' || !inject('mayLeaveTimers')) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  return counts;
}

const folder = mkdtempSync(path.join(inject('runFolder'), 'of-'));
chmodSync(folder, 0o711);
process.env['TMPDIR'] = folder;
const held = resources();
const ROOT = path.join(import.meta.dirname, '../..');
const project = readdirSync(ROOT);

// The first to begin ends last: after all hooks of the file.
beforeAll(() => async () => {
  const open = () => [...resources()].filter(([kind, n]) => n > (held.get(kind) ?? 0)).map(([kind]) => kind);
  const limits = { timeoutMs: inject('closesWithinMs'), intervalMs: 5 };
  await until('this file closes what it opened', () => open().length === 0 || open(), limits);
  const left = [...openDatabases];
  // The process goes on with other files, which left nothing.
  openDatabases.clear();
  expect(left, 'this file leaves databases').toEqual([]);
  expect(readdirSync(folder), 'this file leaves temporary files').toEqual([]);
  expect(readdirSync(ROOT), 'this file leaves files in the folder of the project').toEqual(project);
  rmSync(folder, { recursive: true });
});
