import type { TestProject } from 'vitest/node';

/** In the cluster of the run that plays these. */
export function setup(project: TestProject): void {
  project.provide('clusterUrl', process.env['LEAKY_CLUSTER'] ?? '');
}
