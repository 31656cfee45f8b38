import type { BreakKind, Severity } from './break.js';

/** What the database knows of the whole at one moment. Null: it was not measured yet. */
export interface AlertFacts {
  /** Webhooks of the last 30 minutes, refused ones included, and of the six hours before. */
  webhooks: { halfHour: number; before: number };
  /** `share`: how many of all requests were refused so. */
  invalidSignatures: { fiveMinutes: number; share: number };
  expiredTimestamps: { quarterHour: number };
  backlog: { dead: number; oldestSeconds: number };
  missed: number | null;
  breaks: readonly { kind: BreakKind; severity: Severity; count: number; oldestSeconds: number }[];
  /** Of each kind that is read: how far apart its runs are at most, and how long ago one ended complete. */
  kinds: readonly { kind: string; everySeconds: number; provenSecondsAgo: number | null }[];
  callbacks: { dead: number; oldestSeconds: number };
  channels: readonly { channel: string; failingSeconds: number; error: string }[];
  /** How long this database has been at work. */
  ageSeconds: number;
}

type AlertSeverity = 'critical' | 'warning';

/** A condition that holds. `subject` tells those of one name apart. */
export interface FoundAlert {
  name: string;
  subject: string;
  severity: AlertSeverity;
  summary: string;
  /** With numbers, without anything that tells of a person. */
  detail: string;
}

interface Condition {
  name: string;
  severity: AlertSeverity;
  /** It is told when it has held for so long. */
  holdSeconds: number;
  /** The section of docs/runbook.md. */
  runbook: string;
  summary: string;
  /** Each that holds, in words, by its subject. */
  found: (facts: AlertFacts) => readonly { subject?: string; detail: string }[];
}

const when = (holds: boolean, detail: string) => (holds ? [{ detail }] : []);
const isEndpointOff = (kind: BreakKind) => kind === 'endpoint_inactive' || kind === 'endpoint_unsubscribed';
const minutes = (seconds: number) => `${Math.round(seconds / 60)} minutes`;

/** Those of deploy/prometheus/rules.yml that the database can tell, by the same names and limits. */
export const conditions: readonly Condition[] = [
  {
    name: 'TallyhookNoWebhooks',
    severity: 'warning',
    holdSeconds: 300,
    runbook: 'no-webhooks',
    summary: 'No webhook came for half an hour',
    found: ({ webhooks: { halfHour, before } }) =>
      when(halfHour === 0 && before > 120, `${before} came in the six hours before.`),
  },
  {
    name: 'TallyhookInvalidSignatures',
    severity: 'critical',
    holdSeconds: 0,
    runbook: 'invalid-signatures',
    summary: 'Webhooks are refused for their signature',
    found: ({ invalidSignatures: { fiveMinutes, share } }) =>
      when(
        fiveMinutes >= 3 && share > 0.2,
        `${fiveMinutes} or more in five minutes carry a signature that no secret of ours made.`,
      ),
  },
  {
    name: 'TallyhookExpiredTimestamps',
    severity: 'warning',
    holdSeconds: 60,
    runbook: 'expired-timestamps',
    summary: 'Webhooks are refused as too old',
    found: ({ expiredTimestamps: { quarterHour } }) =>
      when(quarterHour >= 3, `${quarterHour} or more in fifteen minutes: a clock is wrong, or retries come late.`),
  },
  {
    name: 'TallyhookEventsWait',
    severity: 'critical',
    holdSeconds: 60,
    runbook: 'events-wait',
    summary: 'Stored events are not applied',
    found: ({ backlog: { oldestSeconds } }) =>
      when(oldestSeconds > 120, `The oldest has waited for ${minutes(oldestSeconds)}: no worker runs, or too few.`),
  },
  {
    name: 'TallyhookDeadEvents',
    severity: 'critical',
    holdSeconds: 60,
    runbook: 'dead-events',
    summary: 'Events were given up',
    found: ({ backlog: { dead } }) => when(dead > 0, `${dead} failed eight times.`),
  },
  {
    name: 'TallyhookMissedDeliveries',
    severity: 'critical',
    holdSeconds: 120,
    runbook: 'missed-deliveries',
    summary: 'Deliveries of the service are missing here',
    found: ({ missed }) => when((missed ?? 0) > 0, `${missed} that no retry will bring are not recovered yet.`),
  },
  {
    name: 'TallyhookUnproven',
    severity: 'critical',
    holdSeconds: 60,
    runbook: 'a-kind-is-unproven',
    summary: 'What the service says of a kind is not known any more',
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
    found: ({ breaks }) => breaks.filter(({ severity }) => severity === 'critical').map(breakWords),
  },
  {
    name: 'TallyhookEndpointOff',
    severity: 'critical',
    holdSeconds: 0,
    runbook: 'our-endpoint-is-switched-off',
    summary: 'The service does not send what we need',
    found: ({ breaks }) => breaks.filter(({ kind }) => isEndpointOff(kind)).map(breakWords),
  },
  {
    name: 'TallyhookHighBreak',
    severity: 'warning',
    holdSeconds: 0,
    runbook: 'a-high-break-is-open',
    summary: 'A break of high severity stays open',
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
    found: ({ callbacks: { dead } }) => when(dead > 0, `${dead} wait to be replayed.`),
  },
  {
    name: 'TallyhookCallbacksWait',
    severity: 'warning',
    holdSeconds: 60,
    runbook: 'callbacks-wait',
    summary: 'The store does not take callbacks',
    found: ({ callbacks: { oldestSeconds } }) =>
      when(oldestSeconds > 600, `The oldest has waited for ${minutes(oldestSeconds)}.`),
  },
  {
    name: 'TallyhookAlertChannelFails',
    severity: 'warning',
    holdSeconds: 0,
    runbook: 'an-alert-channel-fails',
    summary: 'A way of telling people fails',
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

/** Everything that holds now, told or not. */
export function findAlerts(facts: AlertFacts): FoundAlert[] {
  return conditions.flatMap(({ name, severity, summary, found }) =>
    found(facts).map(({ subject = '', detail }) => ({ name, subject, severity, summary, detail })),
  );
}

export function conditionNamed(name: string): Pick<Condition, 'holdSeconds' | 'runbook'> | undefined {
  return conditions.find((condition) => condition.name === name);
}
