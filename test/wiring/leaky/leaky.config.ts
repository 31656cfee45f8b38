import { defineConfig } from 'vitest/config';

/** Files that leave something behind, under the guard of all tests. */
export default defineConfig({
  test: {
    include: ['test/wiring/leaky/*.leaky.ts'],
    globalSetup: ['test/support/run-folder.ts', 'test/wiring/leaky/leaky-setup.ts'],
    setupFiles: ['test/support/leaves-nothing.ts'],
    provide: { mayLeaveTimers: false, closesWithinMs: 250 },
    pool: 'forks',
    maxWorkers: 1,
  },
});
