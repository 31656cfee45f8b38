import type { BreakDefinitions } from './findings.js';

const ITS_EVENT_IS_HERE = 'Its event is here.';
const SET_UP_ENDPOINT = 'Switch it on, or subscribe it to what it lacks, in the service’s dashboard.';
const LEAKED = 'tallyhook secrets retire LABEL --leaked (docs/rotate-secrets.md, “When a secret leaked”)';

export const deliveryBreaks = {
  phantom_delivery: {
    severity: 'critical',
    sharedBy: ['/theirs/httpStatus', '/theirs/endpointId'],
    means: 'The service logged an answer 2xx of ours, and we hold no such event.',
    ends: 'It is recovered from the delivery history.',
    remedy: 'Check what answers before the receiver: a proxy with a default page, an old deployment or a tunnel.',
  },
  event_not_sent: {
    severity: 'critical',
    sharedBy: ['/ours/secret'],
    means:
      'The service did not send an event that came under a secret of ours: its delivery history lacks it, or has its id with another content. “many”, about a secret: more than 100 in a day, and this break counts the rest.',
    ends: 'The history lists it after all.',
    remedy: `Somebody may hold the secret: rotate it at once, with ${LEAKED}. The event released nothing; “names” says which records it reports. Was it a test send of the dashboard? Then resolve it, and set deliveries.testSends of the contract.`,
  },
  id_collision: {
    severity: 'critical',
    sharedBy: ['/eventType'],
    means: 'One event id stands for two records. Both events were applied.',
    ends: 'Never by itself.',
    remedy: 'EVENT_ID_POINTER does not point at the event id: correct it, then resolve this by hand.',
  },
  missed_webhook: {
    severity: 'high',
    sharedBy: ['/theirs/httpStatus', '/theirs/endpointId'],
    means: 'A delivery never reached us, for longer than MISSED_GRACE_SECONDS.',
    ends: ITS_EVENT_IS_HERE,
    remedy:
      'It is recovered automatically, or at once with “Recover”. If there are many: check the network, the proxy and the receivers (docs/operate.md, “Missed deliveries”).',
  },
  event_never_generated: {
    severity: 'medium',
    sharedBy: ['/ours/eventType'],
    means:
      'The service never generated an event to which an active endpoint of ours subscribes: it shows the payment in that state, and its delivery history has no delivery of it, to anybody.',
    ends: 'The event comes or the history lists a delivery of it, or the payment is in another state.',
    remedy:
      'The payment is right here, by its list. Ask the service why it generated no event. If it never does for this state, say so in CONTRACT_FILE (events.generated, docs/contract.md).',
  },
  rejected_delivery: {
    severity: 'high',
    sharedBy: ['/ours/refusal', '/theirs/endpointId'],
    means: 'We rejected an event that the service did send, for longer than MISSED_GRACE_SECONDS.',
    ends: ITS_EVENT_IS_HERE,
    remedy:
      'The rejection says why: a secret that is missing, a proxy that changes bodies, or a clock. Fix that; the event is recovered.',
  },
  endpoint_inactive: {
    severity: 'high',
    sharedBy: ['/theirs/url', '/ours/url'],
    means: 'No active endpoint of ours takes the event types of this one.',
    ends: 'It is switched on, or another endpoint takes its event types.',
    remedy: SET_UP_ENDPOINT,
  },
  endpoint_unsubscribed: {
    severity: 'high',
    sharedBy: ['/theirs/url'],
    means: 'Our active endpoints lack an event type that is needed.',
    ends: 'They subscribe to it.',
    remedy: SET_UP_ENDPOINT,
  },
  history_differs: {
    severity: 'high',
    sharedBy: { none: 'An account has one of it at most.' },
    also: { severity: 'critical', where: 'all are under one secret, and the history has everything else' },
    means:
      'The delivery history lacks more than one in a hundred of a day’s events, and more than five. Nobody knows which of them the service did not send, so they have no breaks of their own.',
    ends: 'The next poll of the history lacks fewer. A critical one: the history lists them after all.',
    remedy: `Critical: the secret may have leaked. Compare the events of “some” with the service’s dashboard; if it does not show them: ${LEAKED}. Else ask the service what its history leaves out.`,
  },
  secret_still_in_use: {
    severity: 'low',
    sharedBy: ['/theirs/endpointId'],
    means: 'A retired secret still signs deliveries.',
    ends: 'It no longer does.',
    remedy: 'Delete its endpoint in the service’s dashboard: docs/rotate-secrets.md, step 6.',
  },
} as const satisfies BreakDefinitions;
