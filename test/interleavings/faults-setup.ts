import type { TestProject } from 'vitest/node';
import { startDatabases } from '../support/global-setup.js';

/** What the worlds need: no program. */
export function setup(project: TestProject): Promise<() => Promise<void>> {
  return startDatabases(project);
}
