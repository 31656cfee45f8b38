import type { TestProject } from 'vitest/node';

/** The cluster of the run that plants the faults. */
export function setup(project: TestProject): void {
  project.provide('clusterUrl', process.env['INTERLEAVING_CLUSTER'] ?? '');
}
