import type { Severity } from '../breaks/findings.js';
import type { Money } from '../family/money.js';
import { counted } from '../in-words.js';
import type { AlertFacts } from './facts.js';

export const alertSeverities = ['critical', 'warning'] as const;
export type AlertSeverity = (typeof alertSeverities)[number];

/** From when on something is late: for alerts, the status line of the console and the doctor alike. */
export const lateSeconds = {
  /** A process heartbeat. They come several times a minute; a restart, and a rolling upgrade, are done in less. */
  heartbeat: 120,
  /** The queue's answer. It is asked twice a minute; a restart takes less. */
  queue: 60,
  /** An answer of the service: it is asked three times a minute where nothing else calls it. */
  answer: 60,
  /** A channel that takes no alert. */
  channel: 300,
  /** The oldest stored event that is not applied. */
  event: 120,
  callback: 600,
  /** What was not read while the service was away, once it answers again: runs begin at once. */
  catchUp: 300,
  /** The oldest row without a seal. */
  seal: 1_800,
  /** A verification of all seals. */
  verification: 3 * 86_400,
} as const;

/** Of the heartbeat of who checks for alerts: nobody does. */
export const isUnwatched = ({ part, secondsAgo }: AlertFacts['parts'][number]): boolean =>
  part === 'alerts' && secondsAgo > lateSeconds.heartbeat;

/** What Prometheus fires on; deploy/prometheus/rules.yml is made of these. */
interface Rule {
  /** PromQL, or its lines. */
  expr: string | readonly string[];
  /** How long it holds before it fires; left out: it fires at once. */
  for?: string;
  /** The label that distinguishes those of one name. */
  by?: string;
}

export interface Alert {
  name: string;
  severity: AlertSeverity | 'none';
  runbook: string;
  summary: string;
  remedy: string;
  rule: Rule;
}

/** Something that is not as it should be, as the facts show it. */
export interface Found {
  /** Distinguishes those of one name; left out: there is one at most. */
  subject?: string;
  /** With numbers, without anything that identifies a person. */
  detail: string;
  /** What it is called, where the summary alone does not say it. */
  title?: string;
  /** Where it is not that of its condition. */
  severity?: Severity;
  /** All that there are, never a sample of them. */
  count?: number;
  /** How long it has been so. */
  seconds?: number;
  money?: readonly Money[];
  /** Subjects with whose money stands what this is about too. */
  countedWith?: readonly string[];
  /** What the money comes to by rates: what is worth more stands before. */
  worth?: number;
  /** Where they are not those of its condition. */
  remedy?: string;
  check?: string;
  /** Others that fail with it. */
  alsoChecks?: readonly string[];
}

/** What is looked for in the facts, and what is said where it is found. */
export interface Watched {
  name: string;
  summary: string;
  /** What to do first; empty: nothing is to be done. */
  remedy: string;
  /** The page of the console that shows it; the subject goes behind a final `=`. */
  page: string;
  /** Nobody fixes it here: it ends by itself. */
  isWatched?: true;
  /** What the doctor calls the check that finds it; left out: as its subject. */
  check?: string;
  found: (facts: AlertFacts) => readonly Found[];
}

/** An alert that the database shows as well: people are sent it. */
export interface Condition extends Alert, Watched {
  severity: AlertSeverity;
  /** What it was, once it is over. */
  past: string;
  /** Deliveries are lost meanwhile. */
  losesDeliveries?: true;
  /** People are sent it when it has held for so long; left out: at once. */
  holdSeconds?: number;
  /** It fires again no sooner than so long after it fired last; left out: at any time. */
  apartSeconds?: number;
}

export type Named<A extends { name: string }> = Readonly<Record<string, Omit<A, 'name'>>>;

export const when = (holds: boolean, detail: string, more: Omit<Found, 'detail'> = {}): Found[] =>
  holds ? [{ detail, ...more }] : [];
/** A moment that was so long ago. */
export const before = (now: Date, seconds = 0): Date => new Date(Math.round(now.getTime() - seconds * 1_000));
export const minutes = (seconds: number) => counted(Math.round(seconds / 60), 'minute');

/** What alerts are sent by. */
export const channelNames = ['slack', 'webhook', 'mail'] as const;

export const LONGEST_SILENCE_MS = 7 * 86_400_000;

/** As an alert holds it; null: nobody silenced it. */
export interface Silence {
  silenced_until: Date | null;
  /** How grave it was then. */
  silenced_severity: AlertSeverity | null;
}

/** Whether nothing is sent of the alert now: until its time, and while it is no graver than when somebody silenced it. */
export function isSilent(
  { silenced_until, silenced_severity, severity }: Silence & { severity: AlertSeverity },
  now: Date,
) {
  if (silenced_until === null || silenced_severity === null || silenced_until <= now) return false;
  return alertSeverities.indexOf(severity) >= alertSeverities.indexOf(silenced_severity);
}

/** Why an alert may not be silent until then; null: it may. */
export function silenceRefusal(until: Date, now: Date): string | null {
  const ms = until.getTime() - now.getTime();
  if (Number.isNaN(ms) || ms <= 0) return 'a silence ends at a time that is yet to come';
  return ms > LONGEST_SILENCE_MS ? 'a silence lasts a week at most' : null;
}
