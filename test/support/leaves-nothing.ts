import { chmodSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, expect, inject } from 'vitest';
import { until } from './drill.js';
import { openDatabases } from './open-databases.js';

declare module 'vitest' {
  export interface ProvidedContext {
    /** Whether the files of the tier are run by one process, one after the other. */
    sharesProcess: boolean;
  }
}

/** Sockets, servers, processes, files that are open, by kind; timers too where they would go on under the next file. */
function resources(): Map<string, number> {
  const counts = new Map<string, number>();
  for (const kind of process.getActiveResourcesInfo())
    if (kind !== 'Timeout' || inject('sharesProcess')) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  return counts;
}

const folder = mkdtempSync(path.join(inject('runFolder'), 'of-'));
chmodSync(folder, 0o711);
process.env['TMPDIR'] = folder;
const held = resources();

// The first to begin ends last: after all hooks of the file.
beforeAll(() => async () => {
  const open = () => [...resources()].filter(([kind, n]) => n > (held.get(kind) ?? 0)).map(([kind]) => kind);
  const limits = { timeoutMs: 6_000, intervalMs: 5 };
  await until('this file closes what it opened', () => open().length === 0 || open(), limits);
  expect([...openDatabases], 'this file leaves databases').toEqual([]);
  expect(readdirSync(folder), 'this file leaves temporary files').toEqual([]);
  rmSync(folder, { recursive: true });
});
