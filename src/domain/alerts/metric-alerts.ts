import type { Alert, Named } from './condition.js';

/** Those that Prometheus alone sees: of its own targets, or of what no row of the database says. */
export const metricAlerts: Named<Alert> = {
  TallyhookNotScraped: {
    severity: 'critical',
    runbook: 'tallyhook-is-not-scraped',
    summary: 'Prometheus knows no process of Tallyhook',
    remedy: 'Give a target job="tallyhook": until then every other alert is blind.',
    rule: { expr: 'absent(up{job="tallyhook"})', for: '5m' },
  },
  TallyhookWebhooksNotStored: {
    severity: 'critical',
    runbook: 'webhooks-are-not-stored',
    summary: 'Webhooks are answered with 503',
    remedy:
      'See whether the database is up and has room: the service tries again only for as long as its schedule of retries lasts.',
    rule: {
      expr: 'sum(increase(tallyhook_webhook_requests_total{result=~"unavailable|overloaded|failed|misconfigured"}[5m])) > 0',
      for: '1m',
    },
  },
  TallyhookSlowAnswers: {
    severity: 'warning',
    runbook: 'slow-answers',
    summary: 'Webhooks wait long for their answer',
    remedy:
      'See what slows the database down: one request of a hundred takes longer than 2.5 seconds, with its commit.',
    rule: {
      expr: 'histogram_quantile(0.99, sum by (le) (rate(tallyhook_webhook_request_duration_seconds_bucket[10m]))) > 2.5',
      for: '10m',
    },
  },
  TallyhookUnrecoverableDeliveries: {
    severity: 'warning',
    runbook: 'unrecoverable-deliveries',
    summary: 'More deliveries can never be recovered',
    remedy:
      'See whether the history shows payloads, and why events do not reach us. What they reported was read from the lists.',
    rule: {
      expr: 'max(tallyhook_unrecoverable_deliveries) - max(tallyhook_unrecoverable_deliveries offset 6h) > 0',
      for: '5m',
    },
  },
  TallyhookScheduleUnknown: {
    severity: 'warning',
    runbook: 'the-schedule-is-unknown',
    summary: 'Neither a scheduler nor a console is read',
    remedy: 'Have a scheduler or a console scraped: without one no alert says that a proof is too old.',
    rule: { expr: 'absent(tallyhook_reconcile_interval_seconds)', for: '10m' },
  },
  TallyhookKeyRefused: {
    severity: 'critical',
    runbook: 'the-service-refuses-our-key',
    summary: 'The service refuses our key',
    remedy: 'Set SERVICE_API_KEY and restart: calls are answered with 401, and nothing is verified until then.',
    rule: { expr: 'sum(increase(tallyhook_api_requests_total{status="401"}[15m])) > 0', for: '1m' },
  },
  TallyhookQueueStuck: {
    severity: 'warning',
    runbook: 'a-queue-stands-still',
    summary: 'Nobody serves the queue',
    remedy: 'Start a scheduler (commands) or a worker (events): a job has waited for more than five minutes.',
    rule: { expr: 'max by (queue) (tallyhook_queue_oldest_waiting_seconds) > 300', for: '2m', by: 'queue' },
  },
  TallyhookWatchdog: {
    severity: 'none',
    runbook: 'watchdog',
    summary: 'Always fires',
    remedy: 'Route it to a service that calls you when it stops: then the way of all other alerts is broken.',
    rule: { expr: 'vector(1)' },
  },
};
