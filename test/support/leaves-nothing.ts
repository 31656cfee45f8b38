import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import http from 'node:http';
import https from 'node:https';
import path from 'node:path';
import { afterAll, expect, inject, vi } from 'vitest';
import { until } from './drill.js';

/** Of a process whose files share it, all that a file could leave to the next. */
function traces(): Record<string, unknown> {
  return {
    'working directory': process.cwd(),
    'fake timers': vi.isFakeTimers(),
    // What begins with two of them is a library's, which is loaded once.
    globals: Object.getOwnPropertyNames(globalThis).filter((name) => !name.startsWith('__')),
    listeners: process.eventNames().map((name) => `${String(name)} ${process.listenerCount(name)}`),
    network: [globalThis.fetch, http.request, http.get, https.request, https.get],
    environment: { ...process.env },
  };
}

/** Sockets, servers, processes, files, timers that are open, by kind. */
function resources(): Map<string, number> {
  const counts = new Map<string, number>();
  for (const kind of process.getActiveResourcesInfo()) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  return counts;
}

const folder = mkdtempSync(path.join(inject('runFolder'), 'of-'));
process.env['TMPDIR'] = folder;
const before = traces();
const held = resources();

// Registered first, so it comes last: after the hooks of the file.
afterAll(async () => {
  for (const [name, trace] of Object.entries(traces()))
    expect(trace, `this file leaves its ${name} to the next`).toEqual(before[name]);
  const left = () => [...resources()].filter(([kind, n]) => n > (held.get(kind) ?? 0)).map(([kind]) => kind);
  await until('this file closes what it opened', () => left().length === 0 || left(), {
    timeoutMs: 2_000,
    intervalMs: 5,
  });
  expect(readdirSync(folder), 'this file leaves temporary files').toEqual([]);
  rmSync(folder, { recursive: true });
});
