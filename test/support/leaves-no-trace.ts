import http from 'node:http';
import https from 'node:https';
import { beforeAll, expect, vi } from 'vitest';

/** Of a process whose files share it, all that a file could leave to the next. */
function traces(): Record<string, unknown> {
  return {
    'working directory': process.cwd(),
    'fake timers': vi.isFakeTimers(),
    // What begins with two of them is a library's, which is loaded once.
    globals: Object.getOwnPropertyNames(globalThis).filter((name) => !name.startsWith('__')),
    // That of `exit` a library sets when it is first used.
    listeners: process
      .eventNames()
      .filter((name) => name !== 'exit')
      .map((name) => `${String(name)} ${process.listenerCount(name)}`),
    network: [globalThis.fetch, http.request, http.get, https.request, https.get],
    environment: { ...process.env },
  };
}

const before = traces();

beforeAll(() => () => {
  for (const [name, trace] of Object.entries(traces()))
    expect(trace, `this file leaves its ${name} to the next`).toEqual(before[name]);
});
