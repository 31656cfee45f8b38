import type { AlertFacts } from './alert-facts.js';
import type { BreakKind } from './break.js';

export const alertSeverities = ['critical', 'warning'] as const;
export type AlertSeverity = (typeof alertSeverities)[number];

export interface Condition {
  name: string;
  severity: AlertSeverity;
  /** It is told when it has held for so long. */
  holdSeconds: number;
  /** The section of docs/runbook.md. */
  runbook: string;
  summary: string;
  /** What to do first, in a sentence or two. */
  remedy: string;
  /** Each that holds, in words, by its subject. */
  found: (facts: AlertFacts) => readonly { subject?: string; detail: string }[];
}

const when = (holds: boolean, detail: string) => (holds ? [{ detail }] : []);
const isEndpointOff = (kind: BreakKind) => kind === 'endpoint_inactive' || kind === 'endpoint_unsubscribed';
const minutes = (seconds: number) => `${Math.round(seconds / 60)} minutes`;

/** A restart, and a rolling upgrade, are done in less. */
const SILENT_SECONDS = 120;
/** The queue is asked twice a minute; a restart takes less. */
export const QUEUE_SECONDS = 60;
const silenceMeans: Readonly<Record<string, string>> = {
  receiver: 'Webhooks are not taken',
  worker: 'Events are stored and not applied',
};

/** Those of deploy/prometheus/rules.yml that the database can tell, by the same names and limits. */
export const conditions: readonly Condition[] = [
  {
    name: 'TallyhookDown',
    severity: 'critical',
    // After an outage of the database everybody is silent until the next sign.
    holdSeconds: 30,
    runbook: 'tallyhook-is-down',
    summary: 'A part of Tallyhook is not at work',
    remedy:
      'Start it: “tallyhook serve” is the receiver, “tallyhook work” the worker; the last lines that it logged say why it ended. Then recover what was sent meanwhile: “tallyhook deliveries recover --since 2h”.',
    found: ({ parts }) =>
      parts.flatMap(({ part, secondsAgo }) => {
        const means = silenceMeans[part];
        if (means === undefined || secondsAgo <= SILENT_SECONDS) return [];
        return [{ subject: part, detail: `No ${part} has been at work for ${minutes(secondsAgo)}. ${means}.` }];
      }),
  },
  {
    name: 'TallyhookQueueDown',
    severity: 'warning',
    // One look more: another leader may have been away for longer.
    holdSeconds: 30,
    runbook: 'the-queue-is-down',
    summary: 'The queue does not answer',
    remedy: 'Start Redis, or correct REDIS_URL; all goes on by itself. “tallyhook doctor” asks it from where you are.',
    found: ({ parts }) =>
      parts.flatMap(({ part, secondsAgo }) =>
        part === 'queue' && secondsAgo > QUEUE_SECONDS
          ? [
              {
                detail: `Redis has not answered for ${minutes(secondsAgo)}. Webhooks are applied some seconds later, and commands of the console wait. Nothing is lost: events are in Postgres.`,
              },
            ]
          : [],
      ),
  },
  {
    name: 'TallyhookNoWebhooks',
    severity: 'warning',
    holdSeconds: 300,
    runbook: 'no-webhooks',
    summary: 'No webhook came for half an hour',
    remedy:
      'See “Missed deliveries” for what the service says it sent: never reached means the network, the proxy or a certificate; nothing sent means that the endpoint is off, or that nobody pays. Try the way with “tallyhook trigger payment_intent.completed”.',
    found: ({ webhooks: { halfHour, before } }) =>
      when(halfHour === 0 && before > 120, `${before} came in the six hours before.`),
  },
  {
    name: 'TallyhookInvalidSignatures',
    severity: 'critical',
    holdSeconds: 0,
    runbook: 'invalid-signatures',
    summary: 'Webhooks are refused for their signature',
    remedy:
      'Put the endpoint’s secret, prefix included, into WEBHOOK_SECRETS_FILE (with WEBHOOK_SECRETS, restart the receivers). The page Rejections says what was found. Then recover what was refused: “tallyhook deliveries recover --since 2h”.',
    found: ({ invalidSignatures: { fiveMinutes, share } }) =>
      when(
        fiveMinutes >= 3 && share > 0.2,
        `${fiveMinutes} or more in five minutes carry a signature that no secret of ours made.`,
      ),
  },
  {
    name: 'TallyhookExpiredTimestamps',
    severity: 'warning',
    holdSeconds: 300,
    runbook: 'expired-timestamps',
    summary: 'Webhooks are refused as too old',
    remedy:
      'Synchronize this machine’s clock (NTP); “tallyhook doctor” compares it with the service’s. If it is right, raise WEBHOOK_TOLERANCE_SECONDS.',
    // Late retries after an outage come beside new events that are taken.
    found: ({ expiredTimestamps: { halfHour, share } }) =>
      when(
        halfHour >= 3 && share > 0.9,
        `${halfHour} or more in half an hour, and hardly any was taken: a clock is wrong, or nothing comes but late retries.`,
      ),
  },
  {
    name: 'TallyhookEventsWait',
    severity: 'critical',
    holdSeconds: 60,
    runbook: 'events-wait',
    summary: 'Stored events are not applied',
    remedy: 'Start a worker: “tallyhook work”, or more of them. Failing events say why on the page Events.',
    found: ({ backlog: { oldestSeconds } }) =>
      when(oldestSeconds > 120, `The oldest has waited for ${minutes(oldestSeconds)}: no worker runs, or too few.`),
  },
  {
    name: 'TallyhookDeadEvents',
    severity: 'critical',
    holdSeconds: 60,
    runbook: 'dead-events',
    summary: 'Events were given up',
    remedy: 'Read their errors on the page Events, take the cause away, and replay them there.',
    found: ({ backlog: { dead } }) => when(dead > 0, `${dead} failed eight times.`),
  },
  {
    name: 'TallyhookMissedDeliveries',
    severity: 'critical',
    holdSeconds: 120,
    runbook: 'missed-deliveries',
    summary: 'Deliveries of the service are missing here',
    remedy:
      'Take the cause away that the page Missed deliveries names, then recover them there, all of a range of time at once.',
    found: ({ missed }) => when((missed ?? 0) > 0, `${missed} that no retry will bring are not recovered yet.`),
  },
  {
    name: 'TallyhookUnproven',
    severity: 'critical',
    holdSeconds: 60,
    runbook: 'a-kind-is-unproven',
    summary: 'What the service says of a kind is not known any more',
    remedy:
      'The page Runs says why its runs fail: the key, the rate or the service. Goods of claimed orders stay held until then.',
    found: ({ kinds }) =>
      kinds.flatMap(({ kind, everySeconds, provenSecondsAgo: ago }) =>
        ago !== null && ago > Math.max(3 * everySeconds, 180)
          ? [{ subject: kind, detail: `The last complete run of ${kind} ended ${minutes(ago)} ago.` }]
          : [],
      ),
  },
  {
    name: 'TallyhookNeverProven',
    severity: 'warning',
    holdSeconds: 0,
    runbook: 'a-kind-was-never-proven',
    summary: 'A kind was never proven',
    remedy:
      'The page Runs says why its runs fail. A kind that your account has no right to is switched off by its RECONCILE_…_CRON=off.',
    found: ({ kinds, ageSeconds }) =>
      kinds
        .filter(({ provenSecondsAgo }) => provenSecondsAgo === null && ageSeconds > 3_600)
        .map(({ kind }) => ({ subject: kind, detail: `No run of ${kind} has ever ended complete.` })),
  },
  {
    name: 'TallyhookCriticalBreak',
    severity: 'critical',
    holdSeconds: 0,
    runbook: 'a-critical-break-is-open',
    summary: 'Our records and the service’s contradict one another where money may be lost',
    remedy: 'Ship and pay nothing on what it names until you have looked at both sides on the page Breaks.',
    found: ({ breaks }) => breaks.filter(({ severity }) => severity === 'critical').map(breakWords),
  },
  {
    name: 'TallyhookEndpointOff',
    severity: 'critical',
    holdSeconds: 0,
    runbook: 'our-endpoint-is-switched-off',
    summary: 'The service does not send what we need',
    remedy:
      'Switch the endpoint on in the service’s dashboard, or subscribe it to what the break names on the page Breaks. Payments made meanwhile are found by reading the lists.',
    found: ({ breaks }) => breaks.filter(({ kind }) => isEndpointOff(kind)).map(breakWords),
  },
  {
    name: 'TallyhookHighBreak',
    severity: 'warning',
    holdSeconds: 0,
    runbook: 'a-high-break-is-open',
    summary: 'A break of high severity stays open',
    remedy: 'Look at both sides on the page Breaks; docs/breaks.md says what each kind asks for.',
    found: ({ breaks }) =>
      breaks
        .filter(
          ({ kind, severity, oldestSeconds }) => severity === 'high' && !isEndpointOff(kind) && oldestSeconds > 900,
        )
        .map(breakWords),
  },
  {
    name: 'TallyhookDeadCallbacks',
    severity: 'critical',
    holdSeconds: 0,
    runbook: 'dead-callbacks',
    summary: 'The store was not told of orders, and the callbacks were given up',
    remedy: 'Mend the store, then replay them on the page Callbacks.',
    found: ({ callbacks: { dead } }) => when(dead > 0, `${dead} wait to be replayed.`),
  },
  {
    name: 'TallyhookCallbacksWait',
    severity: 'warning',
    holdSeconds: 60,
    runbook: 'callbacks-wait',
    summary: 'The store does not take callbacks',
    remedy: 'See what the store answers on the page Callbacks; what waits follows by itself once it takes them.',
    found: ({ callbacks: { oldestSeconds } }) =>
      when(oldestSeconds > 600, `The oldest has waited for ${minutes(oldestSeconds)}.`),
  },
  {
    name: 'TallyhookSealingLags',
    severity: 'warning',
    holdSeconds: 60,
    runbook: 'sealing-lags',
    summary: 'What is written is not sealed',
    remedy: 'See that a scheduler runs: “tallyhook schedule”. Its log says why nothing could be sealed.',
    found: ({ seals: { oldestUnsealedSeconds } }) =>
      when(oldestUnsealedSeconds > 1_800, `The oldest row has waited for ${minutes(oldestUnsealedSeconds)}.`),
  },
  {
    name: 'TallyhookSealsUnverified',
    severity: 'warning',
    holdSeconds: 60,
    runbook: 'seals-are-not-verified',
    summary: 'Nobody knows whether what was sealed is as it was',
    remedy:
      'Run “tallyhook audit verify”. If it ends well, see that a scheduler runs, and what its log says: it verifies once a day.',
    found: ({ seals: { unverifiedSeconds } }) =>
      when(
        unverifiedSeconds > 3 * 86_400,
        `All seals were not verified for ${Math.floor(unverifiedSeconds / 86_400)} days.`,
      ),
  },
  {
    name: 'TallyhookSealsBroken',
    severity: 'critical',
    holdSeconds: 0,
    runbook: 'seals-are-broken',
    summary: 'Something was changed after it had been sealed',
    remedy:
      'Run “tallyhook audit verify”: it names every place. Change nothing, and keep a copy of the database first.',
    found: ({ seals: { findings } }) =>
      when((findings ?? 0) > 0, `${findings} findings when the seals were verified last.`),
  },
  {
    name: 'TallyhookAlertChannelFails',
    severity: 'warning',
    holdSeconds: 0,
    runbook: 'an-alert-channel-fails',
    summary: 'A way of telling people fails',
    remedy:
      '“tallyhook alerts test” says what it answers: set the address or the secret that is wrong, and restart the schedulers.',
    found: ({ channels }) =>
      channels
        .filter(({ failingSeconds }) => failingSeconds > 300)
        .map(({ channel, failingSeconds, error }) => ({
          subject: channel,
          detail: `${channel} has failed for ${minutes(failingSeconds)}: ${error}`,
        })),
  },
];

function breakWords({ kind, count }: AlertFacts['breaks'][number]) {
  return { subject: kind, detail: `${count} open of kind ${kind}.` };
}
