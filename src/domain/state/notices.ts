import { type Found, isUnwatched, lateSeconds, minutes, type Named, type Watched, when } from '../alerts/condition.js';
import { type AlertFacts, type KindFacts, notHere } from '../alerts/facts.js';
import { metricAlerts } from '../alerts/metric-alerts.js';
import { isAway, isSilent } from '../alerts/outage-words.js';
import { callIsLost, isAlerted, MOVES_MONEY } from '../alerts/record-conditions.js';
import { recoverFrom } from '../alerts/recover-words.js';
import { alertCounts, hardlyAnyIsTaken } from '../alerts/rejected-facts.js';
import type { Severity } from '../breaks/findings.js';
import { counted, duration, minuteOf, words } from '../in-words.js';
import { rejectionWords } from '../rejection-words.js';
import { isNotOffered, MOVED, NO_RUN } from '../run-kinds.js';
import { openBreakWords } from './new-payout-type.js';
import { secretNotices } from './secret-notices.js';
import { serviceNotices } from './service-notices.js';

/** What is shown to who looks, and sent to nobody. */
export interface Notice extends Watched {
  severity: Severity;
}

const keyRefused = metricAlerts['TallyhookKeyRefused'];

/** What is not sent, but is not well either. */
export const notices: Named<Notice> = {
  Unwatched: {
    severity: 'critical',
    summary: 'No scheduler is at work',
    remedy: 'Start it: “tallyhook schedule”; the last lines that it logged say why it ended. All goes on by itself.',
    page: '/alerts',
    check: 'alerts',
    found: ({ parts }) =>
      parts.filter(isUnwatched).map(({ secondsAgo: seconds }) => ({
        detail: `For ${minutes(seconds)} nobody has read the service’s lists, nor checked for alerts.`,
        seconds,
      })),
  },
  KeyRefused: {
    severity: 'critical',
    summary: keyRefused?.summary ?? '',
    remedy: keyRefused?.remedy ?? '',
    page: '/runs',
    check: 'key',
    found: ({ outage }) => (outage?.why === 'refused' ? [{ detail: `${outage.error}.`, seconds: outage.seconds }] : []),
  },
  ...serviceNotices,
  ServiceSilent: {
    severity: 'medium',
    summary: 'Whether the service answers is not known',
    remedy: '',
    page: '/runs',
    check: 'service',
    found: ({ outage, answeredSeconds: seconds }) => {
      if (!isSilent(seconds) || (outage?.attempts ?? 0) > 1 || isAway(outage)) return [];
      return [{ detail: `It answered last ${duration(seconds)} ago. It is asked again.`, seconds }];
    },
  },
  KindUnproven: {
    severity: 'medium',
    summary: 'What the service’s lists show is not proven',
    remedy: 'The page Runs says why; “tallyhook reconcile all” reads everything now.',
    page: '/runs?kind=',
    found: ({ kinds, ageSeconds }) =>
      kinds.flatMap((of): Found[] => {
        const detail = unprovenText(of);
        if (detail === null || isTriedAgain(of, ageSeconds)) return [];
        const seconds = of.ageSeconds === null ? {} : { seconds: of.ageSeconds };
        return [{ subject: of.kind, detail, ...seconds, ...(isForNobody(of) ? NOBODYS : {}) }];
      }),
  },
  NothingRead: {
    severity: 'low',
    summary: 'Nothing is read, so nothing is proven',
    remedy: 'Every kind of run is switched off: see the settings RECONCILE_…_CRON.',
    page: '/runs',
    check: 'runs',
    found: ({ kinds }) => when(kinds.length === 0, 'No kind of record is read from the service.'),
  },
  ...secretNotices,
  Rejected: {
    severity: 'low',
    summary: 'Webhooks are rejected',
    remedy: '',
    page: '/rejections?reason=',
    check: 'rejections',
    found: (facts) =>
      facts.rejected.filter(({ reason }) => !alertCounts(reason, facts)).map((of) => rejectedWords(of, facts)),
  },
  EventsFail: {
    severity: 'medium',
    summary: 'Events could not be applied, and are tried again',
    remedy: 'See their errors on the page Events.',
    page: '/events?status=failed',
    check: 'events',
    found: ({ backlog: { failed } }) =>
      when(failed > 0, `${counted(failed, 'is', 'are')} tried again.`, { count: failed }),
  },
  NotHereYet: {
    severity: 'low',
    summary: 'Deliveries that are not here are not overdue yet',
    remedy: '',
    page: '/deliveries?show=',
    check: 'missed deliveries',
    found: (facts) => notHere(facts).map((of) => notHereYet(of, facts)),
  },
  MissedUnknown: {
    severity: 'low',
    summary: 'Missed deliveries are not measured yet',
    remedy: '',
    page: '/runs?kind=deliveries',
    check: 'missed deliveries',
    found: ({ missed, ageSeconds }) =>
      when(missed === null && ageSeconds > FIRST_SECONDS, 'The delivery history was never read completely.'),
  },
  OpenBreak: {
    severity: 'low',
    summary: 'Our records and the service’s differ',
    remedy: '',
    page: '/breaks?kind=',
    check: 'breaks',
    found: (facts) => facts.breaks.filter((one) => !isAlerted(one)).map((one) => openBreakWords(one, facts)),
  },
  BalanceUnproven: {
    severity: 'medium',
    summary: 'A balance is not proven',
    remedy:
      'See on the page Balances what is not accounted for; “tallyhook balances attribute ASSET” says what it was.',
    page: '/balances',
    check: 'balances accounted for',
    found: ({ balances: { unproven }, kinds, ageSeconds }) => {
      const isMoving = kinds.some((of) => of.kind === 'balances' && isTriedAgain(of, ageSeconds));
      return unproven
        .filter(({ why }) => !isMoving || !why.includes(MOVED))
        .map(({ assetCode, why }) => ({ subject: assetCode, detail: `${assetCode}: ${why}.` }));
    },
  },
  CallLost: {
    severity: 'high',
    summary: 'Nobody knows what came of a call of ours',
    remedy: callIsLost,
    page: '/doctor',
    check: 'calls with unknown outcome',
    found: ({ lostCalls }) =>
      lostCalls
        .filter(({ operation }) => !MOVES_MONEY.includes(operation))
        .map(({ operation, count }) => ({ subject: operation, detail: `${count} without an outcome.`, count })),
  },
  CallsOpen: {
    severity: 'low',
    summary: 'Calls of ours wait for their outcome',
    remedy: '',
    page: '/doctor',
    check: 'calls with unknown outcome',
    found: ({ openCalls }) =>
      when(openCalls > 0, `${counted(openCalls, 'is', 'are')} being settled by the scheduler.`, { count: openCalls }),
  },
  DecisionsWait: {
    severity: 'medium',
    summary: 'What finance was asked for waits for another person',
    remedy: 'Approve or refuse it on the page Decisions; who asked can withdraw it.',
    page: '/decisions',
    check: 'decisions',
    found: ({ decisions: { waiting: count, oldestSeconds: seconds } }) =>
      when(seconds > DAY_SECONDS, `${counted(count, 'decision')}, the oldest for ${duration(seconds)}.`, {
        count,
        seconds,
      }),
  },
  ChannelFails: {
    severity: 'medium',
    summary: 'An alert channel failed just now',
    remedy: '“tallyhook alerts test” says what it answers.',
    page: '/alerts',
    found: ({ channels }) =>
      channels
        .filter(({ failingSeconds }) => failingSeconds <= lateSeconds.channel)
        .map(({ channel, failingSeconds: seconds, error }) => ({
          subject: channel,
          check: `alerts by ${channel}`,
          detail: `${channel} has failed for ${duration(seconds)}: ${error}`,
          seconds,
        })),
  },
};

/** So long nothing is said of what waits for a person. */
const DAY_SECONDS = 86_400;

/** What is not proven of a kind now, in words; null: it is proven, and lately. */
export function unprovenText(of: KindFacts): string | null {
  const { kind, completeUntil } = of;
  const why = whyUnproven(of);
  if (why === null) return null;
  const unproven = completeUntil === null ? 'was never proven' : `is unproven since ${minuteOf(completeUntil)} UTC`;
  return `${kind} ${unproven}: ${why}`;
}

/** Null: it is proven, and lately. */
export function whyUnproven(of: KindFacts): string | null {
  const { reason, completeUntil, everySeconds, ageSeconds } = of;
  if (completeUntil === null) return reason ?? 'no complete run yet';
  if (reason !== null) return reason;
  if (everySeconds === null) return 'its runs are switched off';
  return isStale(of) ? `no run for ${duration(ageSeconds ?? 0)}` : null;
}

/** Lists of a new installation are read for the first time; nothing is said of what was not yet. */
const FIRST_SECONDS = 600;

/** Nothing failed, and the next runs read it again: it is said of the kind, and asks nobody for anything until two more did not. */
function isTriedAgain({ everySeconds, ageSeconds, reason }: KindFacts, installedSeconds: number): boolean {
  if (everySeconds === null || reason === null) return false;
  if (reason === NO_RUN) return installedSeconds <= FIRST_SECONDS;
  return reason.includes(MOVED) && (ageSeconds ?? installedSeconds) <= 3 * everySeconds;
}

/** Two runs may be left out before it is said. */
function isStale({ everySeconds, ageSeconds }: KindFacts): boolean {
  return everySeconds !== null && (ageSeconds ?? 0) > Math.max(3 * everySeconds, everySeconds + 600);
}

/** What the service does not offer, and what was switched off, is nobody's to fix. */
export function isForNobody({ everySeconds, reason }: KindFacts): boolean {
  return everySeconds === null || isNotOffered(reason);
}

const NOBODYS = { severity: 'low', remedy: '' } as const;

/** Whoever finds the address can send what is no webhook; the service's headers, or a right signature, are not chance. */
function rejectedWords(
  { reason, count, likeService, oldestSeconds: seconds }: AlertFacts['rejected'][number],
  { invalidSignatures: { sinceMatch, fiveMinutes }, expiredTimestamps }: AlertFacts,
): Found {
  const known = rejectionWords[reason];
  const found = {
    subject: reason,
    title: `${counted(count, 'request')} rejected: ${words(reason)}`,
    detail: `${count} in the last hour. ${known?.means ?? ''}`.trim(),
    count,
    seconds,
  };
  if (reason === 'invalid_signature' && sinceMatch + fiveMinutes === 0)
    return { ...found, detail: `${found.detail} None more for five minutes.` };
  if (reason === 'expired_timestamp' && !hardlyAnyIsTaken(expiredTimestamps))
    return { ...found, detail: `${found.detail} Others are taken, so these are late retries: the clocks agree.` };
  const isOfService = reason === 'invalid_signature' ? likeService > 0 : known?.isAuthentic === true;
  return isOfService ? { ...found, severity: 'medium', remedy: known?.remedy ?? '' } : found;
}

type NotHere = ReturnType<typeof notHere>[number];

/** Attempts fail, and more are to come: what is on its way for long does not arrive. */
const FAILING =
  'See on the page what each attempt was answered. No answer: the way from the service to the receiver (address, DNS, proxy, certificate, firewall). Another answer than ours: what answers there instead.';
const IMPOSTOR = 'Look at what else answers at that address: a proxy’s default page, an old deployment, a tunnel.';

function notHereYet(of: NotHere, facts: AlertFacts): Found {
  const { class: kind, count, oldestSeconds: seconds } = of;
  const isFailing = kind === 'pending_retry';
  const missing = `${counted(count, 'delivery', 'deliveries')} not here`;
  const remedy = remedyOf(of, facts);
  return {
    subject: kind,
    title: isFailing
      ? `${missing}: attempts failed, the service tries again`
      : `${missing}, not overdue yet: ${words(kind)}`,
    detail: isFailing
      ? `The oldest for ${duration(seconds)}. What it gives up is recovered.`
      : `${count} of class ${words(kind)}, for less than MISSED_GRACE_SECONDS.`,
    count,
    seconds,
    ...(remedy === '' ? {} : { severity: 'medium', remedy }),
  };
}

/** What takes the cause away, while it lasts, and what recovers them. */
function remedyOf({ class: kind, recoverable, from }: NotHere, facts: AlertFacts): string {
  // Of what was sent nobody knows when, nobody knows either whether anything came since.
  const isSwallowed = kind === 'phantom' && (facts.swallowed.count > 0 || from === null);
  const first = kind === 'pending_retry' ? [FAILING] : isSwallowed ? [IMPOSTOR] : [];
  return [...first, ...(recoverable > 0 ? [`Recover them: ${recoverFrom(facts)}.`] : [])].join(' ');
}
