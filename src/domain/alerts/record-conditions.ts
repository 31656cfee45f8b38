import type { BreakKind } from '../breaks/breaks.js';
import { type Condition, minutes, when } from './condition.js';
import type { AlertFacts } from './facts.js';

const isEndpointOff = (kind: BreakKind) => kind === 'endpoint_inactive' || kind === 'endpoint_unsubscribed';
const movesMoney: ReadonlySet<string> = new Set(['createPayout', 'createRefund', 'createTransfer']);

/** What the lists of the service show, what we send, and what is kept. */
export const recordConditions: readonly Condition[] = [
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
    name: 'TallyhookSettingsDiffer',
    severity: 'critical',
    // A rolling restart is done in less.
    holdSeconds: 120,
    runbook: 'settings-differ',
    summary: 'Roles work with different settings',
    remedy:
      'Set it alike for every role, and restart those that differ. Until then which role decides an order counts.',
    found: ({ settings }) =>
      settings.map(({ setting, values }) => ({ subject: setting, detail: `${setting}: ${values}.` })),
  },
  {
    name: 'TallyhookLostCall',
    severity: 'critical',
    holdSeconds: 0,
    runbook: 'a-call-is-lost',
    summary: 'Nobody knows whether a call of ours moved money',
    remedy:
      'Do not send it again. “tallyhook calls list” names it: look in the service’s dashboard, then “tallyhook calls settle KEY --as done:ID” or “--as not_done”.',
    found: ({ lostCalls }) =>
      lostCalls
        .filter(({ operation }) => movesMoney.has(operation))
        .map(({ operation, count }) => ({
          subject: operation,
          detail: `${count} without an answer, and no list shows what came of it. A refund holds its order.`,
        })),
  },
  {
    name: 'TallyhookRefundUnlinked',
    severity: 'warning',
    // Most are linked when their payment is read.
    holdSeconds: 900,
    runbook: 'a-refund-holds-orders',
    summary: 'Orders wait for a word about a refund',
    remedy: '“tallyhook refunds list” names it; “tallyhook refunds assign” says whose it is.',
    found: ({ heldByRefund }) =>
      when(heldByRefund > 0, `${heldByRefund} paid orders are held: nothing says which payment the refund is of.`),
  },
  {
    name: 'TallyhookDeadCallbacks',
    severity: 'critical',
    holdSeconds: 0,
    runbook: 'dead-callbacks',
    summary: 'Callbacks to the store were given up',
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
    summary: 'An alert channel fails',
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
