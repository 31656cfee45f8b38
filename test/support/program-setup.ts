import { rm } from 'node:fs/promises';
import path from 'node:path';
import type { TestProject } from 'vitest/node';
import { buildProgram } from './build-program.js';

declare module 'vitest' {
  export interface ProvidedContext {
    /** Folder of the compiled program, for tests that start processes: `cli.js` is in it. */
    program: string;
  }
}

export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = await buildProgram();
  project.provide('program', path.join(folder, 'dist'));
  return () => rm(folder, { recursive: true, force: true });
}
