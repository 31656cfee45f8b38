import type { Gauge } from 'prom-client';
import type { CanaryFacts } from '../domain/alerts/facts.js';
import { refusesService } from '../domain/alerts/rejected-facts.js';
import type { Logger } from '../log.js';
import type { Metrics } from '../metrics.js';
import { kinds } from '../reconcile/deps.js';
import { channelStates } from '../records/alerts/alert-channels.js';
import { differingSettings } from '../records/alerts/process-settings.js';
import { openAlerts } from '../records/alerts/settle-alerts.js';
import { webhookFacts } from '../records/alerts/webhook-facts.js';
import {
  decidingSealCheck,
  lastSealCheck,
  oldestUnsealedSeconds,
  unverifiedSeconds,
} from '../records/audit/seal-checks.js';
import { callbackBacklog } from '../records/callbacks/list-callbacks.js';
import {
  countAwaited,
  countMissed,
  countSwallowed,
  countUnrecoverable,
} from '../records/deliveries/list-deliveries.js';
import { countOpenBreaks, heldByRefund, lastCompleteRuns, serviceAwaySeconds } from '../records/gauges.js';
import { canaryFacts, lastCanary } from '../records/inbox/canaries.js';
import { inboxBacklog } from '../records/inbox/inbox-work.js';
import { lastCalls } from '../records/service-notes.js';
import { lostCalls } from '../records/service-writes.js';
import type { Runtime } from './runtime.js';

/** Asked on every scrape, so that every process says the same. While that fails they keep their values. */
export function collectGauges({ db, metrics, log }: Pick<Runtime, 'db' | 'metrics' | 'log'>): void {
  const onScrape = scraped(log);
  /** Null: it was not measured yet. */
  const measure = (gauge: Gauge, ask: () => Promise<number | null>) =>
    onScrape(gauge, async () => {
      const value = await ask();
      if (value !== null) gauge.set(value);
    });
  collectCanary({ db, metrics }, onScrape);
  const events = shared(() => inboxBacklog(db));
  onScrape(metrics.eventBacklog, async () => {
    const backlog = await events();
    for (const state of ['received', 'failed', 'dead'] as const) metrics.eventBacklog.set({ state }, backlog[state]);
  });
  const webhooks = shared(() => webhookFacts(db, new Date()));
  measure(metrics.webhooksBeforeSilence, async () => (await webhooks()).webhooks.before);
  measure(metrics.serviceSignaturesRefused, async () => Number(refusesService((await webhooks()).invalidSignatures)));
  measure(metrics.eventBacklogOldest, async () => (await events()).oldestSeconds);
  collectOnCall({ db, metrics }, onScrape, measure);
  onScrape(metrics.breaksOpen, async () => {
    const open = await countOpenBreaks(db);
    metrics.breaksOpen.reset();
    for (const { kind, severity, count } of open) metrics.breaksOpen.set({ kind, severity }, count);
  });
  const callbacks = shared(() => callbackBacklog(db));
  onScrape(metrics.callbackBacklog, async () => {
    const { pending, dead } = await callbacks();
    metrics.callbackBacklog.set({ state: 'pending' }, pending);
    metrics.callbackBacklog.set({ state: 'dead' }, dead);
  });
  measure(metrics.callbackOldest, async () => (await callbacks()).oldestSeconds);
  measure(metrics.sealOldestUnsealed, () => oldestUnsealedSeconds(db, new Date()));
  measure(metrics.sealFindings, async () => (await decidingSealCheck(db))?.findings ?? null);
  measure(metrics.sealUnverified, () => unverifiedSeconds(db, new Date()));
  measure(metrics.sealVerified, async () => {
    const last = await lastSealCheck(db, { whole: true });
    return secondsOf(last === null ? null : Date.parse(last.finishedAt));
  });
  collectDeliveries({ db, metrics }, measure);
  onScrape(metrics.alertsFiring, async () => {
    const open = await openAlerts(db);
    for (const severity of ['critical', 'warning']) {
      const firing = open.filter((alert) => alert.fired_at !== null && alert.severity === severity);
      metrics.alertsFiring.set({ severity }, firing.length);
    }
  });
  onScrape(metrics.alertChannelFailing, async () => {
    for (const { channel, failing } of await channelStates(db))
      metrics.alertChannelFailing.set({ channel }, failing ? 1 : 0);
  });
  onScrape(metrics.reconcileLastSuccess, async () => {
    for (const { kind, at } of await lastCompleteRuns(db, kinds))
      metrics.reconcileLastSuccess.set({ kind }, at.getTime() / 1000);
  });
}

type Measure = (gauge: Gauge, ask: () => Promise<number | null>) => void;

function collectDeliveries({ db, metrics }: Pick<Runtime, 'db' | 'metrics'>, measure: Measure): void {
  measure(metrics.missedDeliveries, () => countMissed(db));
  measure(metrics.swallowedDeliveries, async () => (await countSwallowed(db, new Date())).count);
  measure(metrics.swallowedToRecover, async () => {
    const awaited = await countAwaited(db, new Date());
    return awaited.find((of) => of.class === 'phantom')?.recoverable ?? 0;
  });
  measure(metrics.unrecoverableDeliveries, () => countUnrecoverable(db));
}

/** As a metric names a time. */
const secondsOf = (ms: number | null): number | null => (ms === null ? null : ms / 1_000);

/** One answer for all that ask while it is on its way: the gauges of one scrape. */
function shared<T>(ask: () => Promise<T>): () => Promise<T> {
  let asked: Promise<T> | undefined;
  return () => {
    asked ??= ask().finally(() => {
      asked = undefined;
    });
    return asked;
  };
}

type OnScrape = (gauge: object, update: () => Promise<void>) => void;

function scraped(log: Logger): OnScrape {
  return (gauge, update) =>
    void Object.assign(gauge, {
      collect: () => update().catch((error: unknown) => log.debug({ err: error }, 'gauge not updated')),
    });
}

/** Nothing is said where none is sent. */
function collectCanary({ db, metrics }: Pick<Runtime, 'db' | 'metrics'>, onScrape: OnScrape): void {
  onScrape(metrics.canaryFailures, async () => {
    const [canary, came] = [await canaryFacts(db), await lastCanary(db)];
    metrics.canaryStage.reset();
    metrics.canaryFailures.remove();
    if (came !== null) metrics.canaryCame.set(came);
    if (canary === null) return;
    metrics.canaryFailures.set(canary.failures);
    for (const [stage, ms] of Object.entries(stagesOf(canary))) {
      if (ms !== null) metrics.canaryStage.set({ stage }, ms / 1_000);
    }
  });
}

const stagesOf = ({ storedMs, answeredMs, appliedMs }: CanaryFacts) => ({
  stored: storedMs,
  answered: answeredMs,
  applied: appliedMs,
});

/** What only a person can settle. */
function collectOnCall({ db, metrics }: Pick<Runtime, 'db' | 'metrics'>, onScrape: OnScrape, measure: Measure): void {
  measure(metrics.serviceAway, () => serviceAwaySeconds(db, new Date()));
  measure(metrics.serviceAnswered, async () => secondsOf((await lastCalls(db)).answeredAt));
  measure(metrics.ordersHeldByRefund, () => heldByRefund(db));
  onScrape(metrics.callsLost, async () => {
    metrics.callsLost.reset();
    for (const { operation, count } of await lostCalls(db)) metrics.callsLost.set({ operation }, count);
  });
  onScrape(metrics.settingsDiffering, async () => {
    metrics.settingsDiffering.reset();
    for (const { setting, values } of await differingSettings(db))
      metrics.settingsDiffering.set({ setting }, values.length);
  });
}

/** The process's metrics in Prometheus' text format. */
export async function renderMetrics({ metrics }: { metrics: Metrics }): Promise<{ contentType: string; body: string }> {
  return { contentType: metrics.registry.contentType, body: await metrics.registry.metrics() };
}
