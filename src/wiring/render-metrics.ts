import type { Metrics } from '../metrics.js';

/** The process's metrics in Prometheus' text format. */
export async function renderMetrics({ metrics }: { metrics: Metrics }): Promise<{ contentType: string; body: string }> {
  return { contentType: metrics.registry.contentType, body: await metrics.registry.metrics() };
}
