import { type BreakKind, breakWordsOf } from '../breaks/breaks.js';
import { severities } from '../breaks/findings.js';
import type { OpenBreaks } from '../breaks/money-once.js';
import { grouped } from '../grouped.js';
import { counted, duration, words } from '../in-words.js';
import { type Condition, type Found, lateSeconds, minutes, type Named, when } from './condition.js';
import type { AlertFacts, KindFacts } from './facts.js';
import { isAway, outageWords, SERVICE_AWAY } from './outage-words.js';
import { isOfNewTypes, SEE_RUNS, unprovenRemedy } from './unproven-words.js';

const ENDPOINT_OFF: readonly BreakKind[] = ['endpoint_inactive', 'endpoint_unsubscribed'];
export const MOVES_MONEY: readonly string[] = ['createRefund', 'createPayout', 'createTransfer'];

export const callIsLost =
  'Do not send it again. “tallyhook calls list” names it: look in the service’s dashboard, then “tallyhook calls settle KEY --as done:ID” or “--as not_done”.';

/** What the lists of the service show, what we send, and what is kept. */
export const recordConditions: Named<Condition> = {
  TallyhookServiceAway: {
    severity: 'critical',
    runbook: 'the-service-does-not-answer',
    summary: 'The service does not answer',
    past: 'The service did not answer',
    remedy:
      'Nothing is to be fixed here: watch the service’s status page. All goes on by itself once it answers. Orders stay as they are: those that are safe stay safe, and what only webhooks report waits. If that page says that all is well: SERVICE_BASE_URL, DNS, proxy and certificates on the way.',
    page: '/runs',
    isWatched: true,
    check: 'service',
    rule: { expr: 'max(tallyhook_service_away_seconds) > 0' },
    found: ({ outage }) => (isAway(outage) ? [{ detail: outageWords(outage), seconds: outage.seconds }] : []),
  },
  TallyhookUnproven: {
    severity: 'critical',
    holdSeconds: 60,
    runbook: 'a-kind-is-unproven',
    summary: 'What the service says of a kind is not known any more',
    past: 'What the service says of a kind was not known any more',
    remedy: SEE_RUNS,
    page: '/runs?kind=',
    rule: {
      expr: [
        'time() - max by (kind) (tallyhook_reconcile_last_success_timestamp_seconds)',
        '> on (kind) 3 * max by (kind) (tallyhook_reconcile_interval_seconds)',
        'unless on () max(tallyhook_service_away_seconds) > 0',
      ],
      for: '1m',
      by: 'kind',
    },
    found: (facts) =>
      facts.kinds.flatMap((of) => {
        const { kind, everySeconds, provenSecondsAgo: ago } = of;
        if (everySeconds === null || ago === null || ago <= Math.max(3 * everySeconds, 180)) return [];
        if (isOfService(of, facts)) return [];
        const detail = `The last complete run of ${kind} ended ${minutes(ago)} ago.`;
        return [{ subject: kind, detail, seconds: ago, remedy: unprovenRemedy(of, facts) }];
      }),
  },
  TallyhookNeverProven: {
    severity: 'warning',
    runbook: 'a-kind-was-never-proven',
    summary: 'A kind was never proven',
    past: 'A kind had never been proven',
    remedy:
      'The page Runs says why its runs fail. A kind that your account has no right to is switched off by its RECONCILE_…_CRON=off.',
    page: '/runs?kind=',
    rule: {
      expr: [
        'max by (kind) (tallyhook_reconcile_interval_seconds)',
        'unless on (kind) max by (kind) (tallyhook_reconcile_last_success_timestamp_seconds)',
        'unless on () max(tallyhook_service_away_seconds) > 0',
      ],
      for: '1h',
      by: 'kind',
    },
    found: ({ kinds, ageSeconds, ...facts }) =>
      kinds
        .filter((of) => of.everySeconds !== null && of.provenSecondsAgo === null && ageSeconds > 3_600)
        .filter((of) => !isOfService(of, facts))
        .map((of) => ({
          subject: of.kind,
          detail: `No run of ${of.kind} has ever ended complete.`,
          seconds: ageSeconds,
          ...(isOfNewTypes(of, facts) ? { remedy: unprovenRemedy(of, facts) } : {}),
        })),
  },
  TallyhookCriticalBreak: {
    severity: 'critical',
    runbook: 'a-critical-break-is-open',
    summary: 'Our records and the service’s contradict one another where money may be lost',
    past: 'Our records and the service’s contradicted one another where money may be lost',
    remedy: 'Ship and pay nothing on what it names until you have looked at both sides on the page Breaks.',
    page: '/breaks?kind=',
    check: 'breaks',
    rule: { expr: 'max by (kind) (tallyhook_breaks_open{severity="critical"}) > 0', by: 'kind' },
    found: ({ breaks }) => breaks.filter(({ severity }) => severity === 'critical').map(breakWords),
  },
  TallyhookEndpointOff: {
    severity: 'critical',
    runbook: 'our-endpoint-is-switched-off',
    summary: 'The service does not send what we need',
    past: 'The service did not send what we need',
    remedy:
      'Switch the endpoint on in the service’s dashboard, or subscribe it to what the break names on the page Breaks. Payments made meanwhile are found by polling the lists.',
    page: '/breaks?kind=',
    check: 'breaks',
    rule: { expr: `max by (kind) (tallyhook_breaks_open{kind=~"${ENDPOINT_OFF.join('|')}"}) > 0`, by: 'kind' },
    found: ({ breaks }) => ofEachKind(breaks.filter(isEndpointOff)).map(breakWords),
  },
  TallyhookHighBreak: {
    severity: 'warning',
    runbook: 'a-high-break-is-open',
    summary: 'A break of high severity stays open',
    past: 'A break of high severity stayed open',
    remedy: 'Look at both sides on the page Breaks; docs/breaks.md says what each kind asks for.',
    page: '/breaks?kind=',
    check: 'breaks',
    rule: {
      expr: `max by (kind) (tallyhook_breaks_open{severity="high", kind!~"${ENDPOINT_OFF.join('|')}"}) > 0`,
      for: '15m',
      by: 'kind',
    },
    found: ({ breaks }) => breaks.filter(isHigh).map(breakWords),
  },
  TallyhookLostCall: {
    severity: 'critical',
    runbook: 'a-call-is-lost',
    summary: 'Nobody knows whether a call of ours moved money',
    past: 'Nobody knew whether a call of ours had moved money',
    remedy: callIsLost,
    page: '/doctor',
    check: 'calls with unknown outcome',
    rule: { expr: `max by (operation) (tallyhook_calls_lost{operation=~"${MOVES_MONEY.join('|')}"}) > 0` },
    found: ({ lostCalls }) =>
      lostCalls
        .filter(({ operation }) => MOVES_MONEY.includes(operation))
        .map(({ operation, count }) => ({
          subject: operation,
          detail: `${count} without an answer, and no list shows what came of it. A refund holds its order.`,
          count,
        })),
  },
  TallyhookRefundUnlinked: {
    severity: 'warning',
    // Most are linked when their payment is read.
    holdSeconds: 900,
    runbook: 'a-refund-holds-orders',
    summary: 'Orders wait until a refund is assigned',
    past: 'Orders waited until a refund was assigned',
    remedy: '“tallyhook refunds list” names it; “tallyhook refunds assign” says whose it is.',
    page: '/orders?goods=paid_held&reason=refund_unlinked',
    check: 'refunds',
    rule: { expr: 'max(tallyhook_orders_held_by_refund) > 0', for: '15m' },
    found: ({ heldByRefund }) =>
      when(
        heldByRefund > 0,
        `${counted(heldByRefund, 'paid order')} held: nothing says which payment the refund is of.`,
        { count: heldByRefund },
      ),
  },
  TallyhookDeadCallbacks: {
    severity: 'critical',
    runbook: 'dead-callbacks',
    summary: 'Callbacks to the store were given up',
    past: 'Callbacks to the store had been given up',
    remedy: 'Fix the store, then replay them on the page Callbacks.',
    page: '/callbacks?status=dead',
    check: 'callbacks',
    rule: { expr: 'max(tallyhook_callback_backlog{state="dead"}) > 0' },
    found: ({ callbacks: { dead } }) =>
      when(dead > 0, `${counted(dead, 'waits', 'wait')} to be replayed.`, { count: dead }),
  },
  TallyhookCallbacksWait: {
    severity: 'warning',
    holdSeconds: 60,
    runbook: 'callbacks-wait',
    summary: 'The store does not take callbacks',
    past: 'The store did not take callbacks',
    remedy: 'See what the store answers on the page Callbacks; what waits follows by itself once it takes them.',
    page: '/callbacks?status=pending',
    check: 'callbacks',
    rule: { expr: `max(tallyhook_callback_backlog_oldest_seconds) > ${lateSeconds.callback}`, for: '1m' },
    found: ({ callbacks: { oldestSeconds } }) =>
      when(oldestSeconds > lateSeconds.callback, `The oldest has waited for ${minutes(oldestSeconds)}.`, {
        seconds: oldestSeconds,
      }),
  },
};

const isEndpointOff = ({ kind }: OpenBreaks): boolean => ENDPOINT_OFF.includes(kind);

const isHigh = (one: OpenBreaks): boolean => one.severity === 'high' && !isEndpointOff(one) && one.oldestSeconds > 900;

/** Whether one of the alerts above is about it. */
export function isAlerted(one: OpenBreaks): boolean {
  return one.severity === 'critical' || isEndpointOff(one) || isHigh(one);
}

/** Those of every severity as one, as bad as the worst: an alert is about a kind. */
function ofEachKind(breaks: readonly OpenBreaks[]): OpenBreaks[] {
  return [...grouped(breaks, ({ kind }) => kind)].map(([kind, some]) => ({
    kind,
    severity: severities.find((severity) => some.some((one) => one.severity === severity)) ?? 'critical',
    count: some.reduce((sum, { count }) => sum + count, 0),
    inHand: some.reduce((sum, { inHand = 0 }) => sum + inHand, 0),
    oldestSeconds: Math.max(...some.map(({ oldestSeconds }) => oldestSeconds)),
    money: some.flatMap(({ money }) => money),
    countedWith: some.flatMap(({ countedWith = [] }) => countedWith),
    worth: some.reduce((sum, { worth = 0 }) => sum + worth, 0),
  }));
}

export function breakWords({ kind, severity, count, inHand = 0, oldestSeconds, ...of }: OpenBreaks): Found {
  const theirs = inHandWords(inHand);
  const title = `${inHand === 0 ? counted(count, 'open break') : `${counted(count, 'break')} not closed`}: ${words(kind)}${theirs}`;
  const state = inHand === 0 ? 'open' : 'not closed';
  const detail =
    `${count} ${state} of kind ${kind}${theirs}, the oldest for ${duration(oldestSeconds)}. ${breakWordsOf(kind).means}`.trimEnd();
  return { subject: kind, detail, title, severity, count, seconds: oldestSeconds, ...of };
}

/** How many of what is not closed somebody has in hand; of none nothing is said. */
export function inHandWords(inHand: number): string {
  return inHand === 0 ? '' : `, ${inHand} acknowledged or assigned`;
}

/** Whether the newest run of the kind ended so. */
export function endedBy({ everySeconds, reason }: KindFacts, ...codes: readonly string[]): boolean {
  return everySeconds !== null && codes.some((code) => reason?.includes(`${code}: `));
}

/** Alerts about a kind say nothing of what the service is the cause of. */
function isOfService(of: KindFacts, { outage, serviceBack }: Pick<AlertFacts, 'outage' | 'serviceBack'>): boolean {
  const isJustBack = serviceBack !== null && serviceBack.seconds <= lateSeconds.catchUp;
  return (isAway(outage) || isJustBack) && endedBy(of, ...SERVICE_AWAY);
}
