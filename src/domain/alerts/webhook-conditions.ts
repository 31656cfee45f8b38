import { acceptAgain, NONE_ACCEPTED } from '../deliveries/last-secret.js';
import { putRightSecret } from '../deliveries/replaced-endpoint.js';
import { counted } from '../in-words.js';
import { type Condition, isUnwatched, lateSeconds, minutes, type Named, when } from './condition.js';
import { sentOf } from './facts.js';
import {
  canRecover,
  NOT_KNOWN,
  recoverRejected,
  removeImpostor,
  sentWords,
  setClock,
  startPart,
  takeCauseAway,
  thenRecoverRejected,
} from './recover-words.js';
import { expiredTimestamps, invalidSignatures } from './rejected-facts.js';

const silenceMeans: Readonly<Record<string, string>> = {
  receiver: 'Webhooks are not taken',
  worker: 'Events are stored and not applied',
};

/** Fewer may be chance: a restart of a proxy, a deployment. */
const SWALLOWED = 3;

/** One may be lost to a restart. */
const CANARY_FAILURES = 3;

/** So many webhooks of six hours that half an hour without one is no chance. */
const BUSY = 120;

/** From the request of the service to the record. */
export const webhookConditions: Named<Condition> = {
  TallyhookDown: {
    severity: 'critical',
    // After an outage of the database everybody is silent until the next sign.
    holdSeconds: 30,
    runbook: 'tallyhook-is-down',
    summary: 'A part of Tallyhook is not at work',
    past: 'A part of Tallyhook was not at work',
    losesDeliveries: true,
    remedy: startPart(NOT_KNOWN),
    page: '/deliveries',
    rule: { expr: 'up{job="tallyhook"} == 0', for: '2m', by: 'instance' },
    found: ({ parts, awaited }) =>
      parts.flatMap(({ part, secondsAgo }) => {
        const means = silenceMeans[part];
        if (means === undefined || secondsAgo <= lateSeconds.heartbeat) return [];
        const detail = `No ${part} has been at work for ${minutes(secondsAgo)}. ${means}.`;
        return [{ subject: part, detail, seconds: secondsAgo, remedy: startPart({ awaited }) }];
      }),
  },
  TallyhookQueueDown: {
    severity: 'warning',
    // One check more: another leader may have been away for longer.
    holdSeconds: 30,
    runbook: 'the-queue-is-down',
    summary: 'The queue does not answer',
    past: 'The queue did not answer',
    remedy: 'Start Redis, or correct REDIS_URL; all goes on by itself. “tallyhook doctor” asks it from where you are.',
    page: '/queues',
    check: 'queue',
    rule: {
      // Consoles say how many jobs each queue holds, and nothing of one that does not answer.
      expr: 'absent(tallyhook_queue_jobs) and on () count(count_over_time(tallyhook_queue_jobs[1d])) > 0',
      for: '2m',
    },
    // Each check for alerts asks the queue: where nobody checks, nobody knows.
    found: ({ parts }) =>
      parts
        .filter(
          ({ part, secondsAgo }) => part === 'queue' && secondsAgo > lateSeconds.queue && !parts.some(isUnwatched),
        )
        .map(({ secondsAgo }) => ({
          detail: `Redis has not answered for ${minutes(secondsAgo)}. Webhooks are applied some seconds later, and commands of the console wait. Nothing is lost: events are in Postgres.`,
          seconds: secondsAgo,
        })),
  },
  TallyhookNoWebhooks: {
    severity: 'warning',
    holdSeconds: 300,
    runbook: 'no-webhooks',
    summary: 'No webhook of the service came for half an hour',
    past: 'No webhook of the service had come for half an hour',
    losesDeliveries: true,
    remedy:
      'See “Missed deliveries” for what the service says it sent: never reached means the network, the proxy or a certificate; nothing sent means that the endpoint is off, or that nobody pays. Try the way from outside: “tallyhook trigger payment_intent.completed --url” with WEBHOOK_PUBLIC_URL.',
    page: '/deliveries',
    check: 'webhooks',
    rule: {
      expr: [
        'sum(increase(tallyhook_webhook_requests_total{result!="canary"}[30m])) == 0',
        `and sum(increase(tallyhook_webhook_requests_total{result!="canary"}[6h])) > ${BUSY}`,
        // What others send is no webhook of the service: the database knows.
        `or max(tallyhook_webhooks_before_silence) > ${BUSY}`,
      ],
      for: '5m',
    },
    found: ({ webhooks: { halfHour, before, unproven } }) => {
      const others = `${unproven} came that the service’s own lists do not bear out: whoever holds a secret may have sent them. `;
      return when(
        halfHour === 0 && before > BUSY,
        `${unproven > 0 ? others : ''}${before} came in the six hours before.`,
      );
    },
  },
  TallyhookNothingArrives: {
    severity: 'critical',
    runbook: 'nothing-arrives',
    summary: 'Something else answers the service in our place: nothing that it sends arrives',
    past: 'Something else answered the service in our place',
    losesDeliveries: true,
    remedy: removeImpostor(NOT_KNOWN),
    page: '/deliveries?show=phantom',
    check: 'webhooks',
    rule: {
      expr: [
        `max(tallyhook_swallowed_deliveries) >= ${SWALLOWED}`,
        // Once it fires, until they are here.
        'or max(tallyhook_swallowed_to_recover) > 0',
        '  and on () ALERTS{alertname="TallyhookNothingArrives", alertstate="firing"}',
      ],
    },
    found: ({ swallowed: { count, seconds, ...sent }, awaited }) =>
      when(
        count >= SWALLOWED,
        `${counted(count, 'delivery in a row is', 'deliveries in a row are')} noted as taken by the service, and none of them is here.${sentWords(sent)}`,
        { count, seconds, remedy: removeImpostor({ awaited }) },
      ),
  },
  TallyhookCanaryFails: {
    severity: 'warning',
    runbook: 'the-canary-fails',
    summary: 'Our own test event does not come back',
    past: 'Our own test event did not come back',
    losesDeliveries: true,
    remedy:
      'The words say how far it came: a name, a certificate or a proxy before the receiver, the receiver, or the worker. Try the way from outside: “tallyhook trigger payment_intent.completed --url” with WEBHOOK_PUBLIC_URL.',
    page: '/deliveries',
    check: 'canary',
    rule: { expr: `max(tallyhook_canary_failures) >= ${CANARY_FAILURES}` },
    found: ({ canary }) =>
      canary === null || canary.failures < CANARY_FAILURES
        ? []
        : [
            {
              detail: `${canary.failures} in a row: ${canary.error ?? ''}.`,
              seconds: canary.cameSecondsAgo ?? canary.failures * canary.everySeconds,
            },
          ],
  },
  TallyhookNoSecretAccepted: {
    severity: 'critical',
    runbook: 'no-secret-is-accepted',
    summary: 'Every webhook is rejected: no secret is accepted',
    past: 'Every webhook was rejected: no secret was accepted',
    losesDeliveries: true,
    remedy: `${acceptAgain('LABEL', null)}. ${recoverRejected(NOT_KNOWN)}`,
    page: '/secrets',
    check: 'secrets',
    rule: { expr: 'tallyhook_secrets{state="accepted"} == 0', by: 'instance' },
    found: ({ noSecretAccepted, secretsFrom, awaited }) =>
      when(noSecretAccepted === true, `At a receiver ${NONE_ACCEPTED}.`, {
        remedy: `${acceptAgain('LABEL', secretsFrom)}. ${recoverRejected({ awaited })}`,
      }),
  },
  TallyhookInvalidSignatures: {
    severity: 'critical',
    // Whoever imitates the service's headers raises it: once in so long at most.
    apartSeconds: 1_800,
    runbook: 'invalid-signatures',
    summary: 'Webhooks are rejected for their signature',
    past: 'Webhooks were rejected for their signature',
    losesDeliveries: true,
    remedy: `${putRightSecret([], null)} ${thenRecoverRejected(NOT_KNOWN)}`,
    page: '/rejections?reason=invalid_signature',
    check: 'rejections',
    rule: {
      // With the headers of the service: all of two minutes, or a fifth of five.
      expr: [
        'sum(increase(tallyhook_signatures_like_service_total[2m])) >= 3',
        '  unless sum(increase(tallyhook_webhook_requests_total{result=~"accepted|duplicate"}[1m])) > 0',
        'or sum(increase(tallyhook_signatures_like_service_total[5m])) >= 3',
        '  and sum(increase(tallyhook_signatures_like_service_total[5m]))',
        '    > 0.25 * sum(increase(tallyhook_webhook_requests_total{result=~"accepted|duplicate"}[5m]))',
        // What is taken under a stolen secret hides nothing: the database knows.
        'or max(tallyhook_service_signatures_refused) > 0',
      ],
    },
    found: invalidSignatures,
  },
  TallyhookExpiredTimestamps: {
    severity: 'warning',
    holdSeconds: 300,
    runbook: 'expired-timestamps',
    summary: 'Webhooks are rejected as too old',
    past: 'Webhooks were rejected as too old',
    losesDeliveries: true,
    remedy: setClock(NOT_KNOWN),
    page: '/rejections?reason=expired_timestamp',
    check: 'rejections',
    rule: {
      // After an outage late retries come beside new events, which are taken; a clock that is wrong makes both rejected.
      expr: [
        'sum by (instance) (increase(tallyhook_webhook_requests_total{result="expired_timestamp"}[30m])) >= 3',
        'and sum by (instance) (increase(tallyhook_webhook_requests_total{result="expired_timestamp"}[30m]))',
        '  > 0.9 * sum by (instance) (increase(tallyhook_webhook_requests_total{result=~"expired_timestamp|accepted|duplicate"}[30m]))',
      ],
      for: '5m',
    },
    found: expiredTimestamps,
  },
  TallyhookEventsWait: {
    severity: 'critical',
    holdSeconds: 60,
    runbook: 'events-wait',
    summary: 'Stored events are not applied',
    past: 'Stored events were not applied',
    remedy: 'Start a worker: “tallyhook work”, or more of them. Failing events say why on the page Events.',
    page: '/events?status=waiting',
    check: 'events',
    rule: { expr: `max(tallyhook_event_backlog_oldest_seconds) > ${lateSeconds.event}`, for: '2m' },
    found: ({ backlog: { oldestSeconds } }) =>
      when(
        oldestSeconds > lateSeconds.event,
        `The oldest has waited for ${minutes(oldestSeconds)}: no worker runs, or too few.`,
        { seconds: oldestSeconds },
      ),
  },
  TallyhookDeadEvents: {
    severity: 'critical',
    holdSeconds: 60,
    runbook: 'dead-events',
    summary: 'Events were given up',
    past: 'Events had been given up',
    remedy: 'Read their errors on the page Events, take the cause away, and replay them there.',
    page: '/events?status=dead',
    check: 'dead events',
    rule: { expr: 'max(tallyhook_event_backlog{state="dead"}) > 0', for: '1m' },
    found: ({ backlog: { dead } }) => when(dead > 0, `${dead} failed eight times.`, { count: dead }),
  },
  TallyhookMissedDeliveries: {
    severity: 'critical',
    holdSeconds: 120,
    runbook: 'missed-deliveries',
    summary: 'Deliveries of the service are missing here',
    past: 'Deliveries of the service were missing here',
    losesDeliveries: true,
    remedy: takeCauseAway(NOT_KNOWN),
    page: '/deliveries?show=lost',
    check: 'missed deliveries',
    rule: { expr: 'max(tallyhook_missed_deliveries) > 0', for: '2m' },
    found: ({ missed, awaited, outage }) => {
      const overdue = awaited.filter((one) => one.missed > 0);
      const count = missed ?? 0;
      const detail = `${counted(count, 'that no retry will bring is', 'that no retry will bring are')} not made good yet.${sentWords(sentOf(overdue))}${canRecover({ awaited, outage }, count)}`;
      const seconds = overdue.map(({ oldestSeconds }) => oldestSeconds);
      return when(count > 0, detail, {
        count,
        remedy: takeCauseAway({ awaited }),
        ...(seconds.length > 0 ? { seconds: Math.max(...seconds) } : {}),
      });
    },
  },
};
