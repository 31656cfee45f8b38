import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { version } from './version.js';

export type Metrics = ReturnType<typeof createMetrics>;

/** Metrics of one process, in a registry of its own. `processMetrics` adds those of Node itself. */
export function createMetrics(options: { processMetrics?: boolean } = {}) {
  const registry = new Registry();
  const registers = [registry];
  const counter = <L extends string>(name: string, help: string, ...labelNames: L[]) =>
    new Counter<L>({ name: `tallyhook_${name}`, help, labelNames, registers });
  const gauge = <L extends string>(name: string, help: string, ...labelNames: L[]) =>
    new Gauge<L>({ name: `tallyhook_${name}`, help, labelNames, registers });

  const metrics = {
    registry,
    webhookRequests: counter('webhook_requests_total', 'Requests to the webhook path, by answer', 'result'),
    webhookRequestDuration: new Histogram({
      name: 'tallyhook_webhook_request_duration_seconds',
      help: 'From the first byte of a webhook to the answer',
      buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
      registers,
    }),
    signatureMatches: counter('signature_matches_total', 'Valid signatures, by the label of their secret', 'secret'),
    eventBacklog: gauge('event_backlog', 'Events not yet applied, by state', 'state'),
    eventBacklogOldest: gauge('event_backlog_oldest_seconds', 'Age of the oldest event not yet applied'),
    eventsApplied: counter('events_applied_total', 'Events applied to records, by type', 'event'),
    reconcileLastSuccess: gauge(
      'reconcile_last_success_timestamp_seconds',
      'End of the last complete run, by kind',
      'kind',
    ),
    breaksOpen: gauge('breaks_open', 'Open breaks', 'kind', 'severity'),
    missedDeliveries: gauge('missed_deliveries', 'Deliveries of the service that should be here and are not'),
    unrecoverableDeliveries: gauge(
      'unrecoverable_deliveries',
      'Deliveries that can never be recovered, and of which what they told was read from the service since',
    ),
    apiRequests: counter('api_requests_total', 'Calls to the payment service, by answer', 'operation', 'status'),
    buildInfo: gauge('build_info', 'Always 1; the version is in the label', 'version'),
  };
  // A gauge starts at 0; nothing is said before a complete reading has measured it.
  metrics.missedDeliveries.remove();
  metrics.unrecoverableDeliveries.remove();
  metrics.buildInfo.set({ version }, 1);
  if (options.processMetrics) collectDefaultMetrics({ register: registry, prefix: 'tallyhook_' });
  return metrics;
}
