import { defineConfig } from 'vitest/config';
import { filesByTier } from './test/support/tiers.js';

const { TALLYHOOK_ALL, TALLYHOOK_LONG } = process.env;
const files = filesByTier(import.meta.dirname, { long: Boolean(TALLYHOOK_ALL ?? TALLYHOOK_LONG) });

/** Three tiers, one after the other: what fails soonest is known soonest. */
export default defineConfig({
  test: {
    // A third one works while two wait for a process or the database.
    maxWorkers: 3,
    pool: 'forks',
    maxConcurrency: 20,
    isolate: false,
    // What one tier transformed the next one takes.
    experimental: { fsModuleCache: true },
    setupFiles: ['test/support/leaves-nothing.ts'],
    provide: { closesWithinMs: 6_000 },
    projects: [
      {
        extends: true,
        test: {
          name: 'pure',
          provide: { mayLeaveTimers: false },
          include: files.pure,
          maxWorkers: 2,
          globalSetup: ['test/support/run-folder.ts'],
          setupFiles: ['test/support/leaves-no-trace.ts'],
          testTimeout: 60_000,
          sequence: { groupOrder: 0 },
        },
      },
      {
        extends: true,
        test: {
          name: 'database',
          provide: { mayLeaveTimers: true },
          include: files.database,
          globalSetup: ['test/support/run-folder.ts', 'test/support/cluster-setup.ts'],
          testTimeout: 60_000,
          hookTimeout: 120_000,
          sequence: { groupOrder: 1 },
        },
      },
      {
        extends: true,
        test: {
          name: 'process',
          provide: { mayLeaveTimers: true },
          include: files.process,
          globalSetup: ['test/support/run-folder.ts', 'test/support/cluster-setup.ts', 'test/support/program-setup.ts'],
          testTimeout: 60_000,
          hookTimeout: 120_000,
          sequence: { groupOrder: 2 },
        },
      },
    ],
  },
});
