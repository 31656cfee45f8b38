import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { version } from './version.js';

export type Metrics = ReturnType<typeof createMetrics>;

/** Metrics of one process, in a registry of its own. `processMetrics` adds those of Node itself. */
export function createMetrics(options: { processMetrics?: boolean } = {}) {
  const registry = new Registry();
  const make = makers(registry);
  const metrics = {
    registry,
    ...receiving(make),
    ...proving(make),
    ...calling(make),
    ...outgoing(make),
    buildInfo: make.gauge('build_info', 'Always 1; the version is in the label', 'version'),
  };
  // A gauge starts at 0; nothing is said before a complete poll has measured it.
  metrics.missedDeliveries.remove();
  metrics.unrecoverableDeliveries.remove();
  metrics.canaryCame.remove();
  metrics.canaryFailures.remove();
  metrics.sealFindings.remove();
  metrics.sealVerified.remove();
  // Of a process that calls nobody nothing is said.
  metrics.apiCircuitOpen.remove();
  metrics.buildInfo.set({ version }, 1);
  // What counts up from nothing shows its first step only where the nothing was seen.
  for (const result of RESULTS) metrics.webhookRequests.inc({ result }, 0);
  for (const result of ['sent', 'failed', 'dead']) metrics.callbacks.inc({ result }, 0);
  if (options.processMetrics) addProcessMetrics(registry);
  return metrics;
}

function makers(registry: Registry) {
  const registers = [registry];
  return {
    registers,
    counter: <L extends string>(name: string, help: string, ...labelNames: L[]) =>
      new Counter<L>({ name: `tallyhook_${name}`, help, labelNames, registers }),
    gauge: <L extends string>(name: string, help: string, ...labelNames: L[]) =>
      new Gauge<L>({ name: `tallyhook_${name}`, help, labelNames, registers }),
  };
}

type Makers = ReturnType<typeof makers>;

/** From the request of the service to the record. */
function receiving({ counter, gauge, registers }: Makers) {
  return {
    webhookRequests: counter('webhook_requests_total', 'Requests to the webhook path, by answer', 'result'),
    webhookRequestDuration: new Histogram({
      name: 'tallyhook_webhook_request_duration_seconds',
      help: 'From the first byte of a webhook to the answer',
      buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
      registers,
    }),
    signaturesLikeService: counter(
      'signatures_like_service_total',
      'Refused signatures under headers that the service sends, where a secret is accepted',
    ),
    webhooksBeforeSilence: gauge(
      'webhooks_before_silence',
      'Webhooks of the six hours before half an hour in which the service sent none that came; 0: one came',
    ),
    serviceSignaturesRefused: gauge(
      'service_signatures_refused',
      '1 while what the service sends is rejected for its signature, by all that is known of it, else 0',
    ),
    secretsAccepted: gauge('secrets', 'Webhook secrets of a receiver, by state', 'state'),
    signatureMatches: counter('signature_matches_total', 'Valid signatures, by the label of their secret', 'secret'),
    eventBacklog: gauge('event_backlog', 'Events not yet applied, by state', 'state'),
    eventBacklogOldest: gauge('event_backlog_oldest_seconds', 'Age of the oldest event not yet applied'),
    canaryCame: gauge('canary_last_success_timestamp_seconds', 'When the last canary that came back whole was sent'),
    canaryFailures: gauge('canary_failures', 'Canaries in a row that did not come back'),
    canaryStage: gauge('canary_stage_seconds', 'Of the newest canary, since it was sent', 'stage'),
    eventsApplied: counter('events_applied_total', 'Events applied to records, by type', 'event'),
    queueJobs: gauge('queue_jobs', 'Jobs in a queue, by state', 'queue', 'state'),
    queueOldest: gauge(
      'queue_oldest_waiting_seconds',
      'Age of the job that waits longest; 0 where none waits',
      'queue',
    ),
  };
}

/** What the service's own lists prove, and what they contradict. */
function proving({ gauge }: Makers) {
  return {
    reconcileLastSuccess: gauge(
      'reconcile_last_success_timestamp_seconds',
      'End of the last complete run, by kind',
      'kind',
    ),
    reconcileInterval: gauge(
      'reconcile_interval_seconds',
      'How far apart the runs of a kind are at most; a kind that is switched off has none',
      'kind',
    ),
    serviceAway: gauge('service_away_seconds', 'Since runs fail because the service does not answer; 0: it does'),
    serviceAnswered: gauge('service_answered_timestamp_seconds', 'When a call of the scheduler was answered last'),
    callsLost: gauge('calls_lost', 'Creating calls of ours without an outcome', 'operation'),
    ordersHeldByRefund: gauge('orders_held_by_refund', 'Paid orders that wait until a refund is assigned'),
    settingsDiffering: gauge('settings_differing', 'Values that roles at work have of one setting', 'setting'),
    breaksOpen: gauge('breaks_open', 'Open breaks', 'kind', 'severity'),
    missedDeliveries: gauge('missed_deliveries', 'Deliveries of the service that should be here and are not'),
    swallowedDeliveries: gauge(
      'swallowed_deliveries',
      'Deliveries that the service notes as taken and that are not here, since the newest that came',
    ),
    swallowedToRecover: gauge(
      'swallowed_to_recover',
      'Deliveries that the service notes as taken, and that can be recovered: whatever came since',
    ),
    unrecoverableDeliveries: gauge(
      'unrecoverable_deliveries',
      'Deliveries that can never be recovered, and of which what they reported was read from the service since',
    ),
  };
}

function calling({ counter, gauge }: Makers) {
  return {
    apiRequests: counter('api_requests_total', 'Calls to the payment service, by answer', 'operation', 'status'),
    apiCircuitOpen: gauge(
      'api_circuit_open',
      '1 while calls to the payment service are held back after failures in a row, else 0',
    ),
  };
}

/** What we send to the store, and to people. */
function outgoing({ counter, gauge }: Makers) {
  return {
    callbacks: counter('callbacks_total', 'Attempts to send the store an order, by result', 'result'),
    callbackBacklog: gauge('callback_backlog', 'Changes of orders that were not sent to the store, by state', 'state'),
    callbackOldest: gauge('callback_backlog_oldest_seconds', 'Age of the callback that waits longest'),
    sealOldestUnsealed: gauge('seal_oldest_unsealed_seconds', 'Age of the oldest row that is not sealed; 0: all are'),
    sealFindings: gauge('seal_findings', 'What was not as it was sealed when the seals were verified last'),
    sealUnverified: gauge('seal_unverified_seconds', 'Since all seals were verified; never: since sealing began'),
    sealVerified: gauge('seal_verified_timestamp_seconds', 'When all seals were verified last'),
    alertsFiring: gauge('alerts_firing', 'Conditions that hold, as the program itself finds them', 'severity'),
    alertNotices: counter(
      'alert_notices_total',
      'Attempts to send alerts to people, by way and result',
      'channel',
      'result',
    ),
    alertChannelFailing: gauge('alert_channel_failing', '1 while an alert channel fails, else 0', 'channel'),
  };
}

/** Answers that alerts watch; others appear with their first. */
const RESULTS = [
  'accepted',
  'duplicate',
  'invalid_signature',
  'malformed_signature',
  'missing_signature',
  'expired_timestamp',
  'unavailable',
  'overloaded',
  'canary',
];

/** Gauges that are named like counters; the same are there by type, under names without the ending. */
const MISNAMED = ['active_handles_total', 'active_requests_total', 'active_resources_total'];

function addProcessMetrics(registry: Registry): void {
  collectDefaultMetrics({ register: registry, prefix: 'tallyhook_' });
  for (const name of MISNAMED) registry.removeSingleMetric(`tallyhook_nodejs_${name}`);
}
