import type { AlertFacts } from './facts.js';

export const alertSeverities = ['critical', 'warning'] as const;
export type AlertSeverity = (typeof alertSeverities)[number];

/** From when on something is late: for alerts, the status line of the console and the doctor alike. */
export const lateSeconds = {
  /** A process heartbeat. They come several times a minute; a restart, and a rolling upgrade, are done in less. */
  heartbeat: 120,
  /** The queue's answer. It is asked twice a minute; a restart takes less. */
  queue: 60,
  /** The oldest stored event that is not applied. */
  event: 120,
  callback: 600,
  /** The oldest row without a seal. */
  seal: 1_800,
  /** A verification of all seals. */
  verification: 3 * 86_400,
} as const;

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

/** An alert that the database shows as well: people are sent it. */
export interface Condition extends Alert {
  severity: AlertSeverity;
  /** People are sent it when it has held for so long; left out: at once. */
  holdSeconds?: number;
  /** It fires again no sooner than so long after it fired last; left out: at any time. */
  apartSeconds?: number;
  /** The page of the console that shows it; the subject goes behind a final `=`. */
  page: string;
  /** Each that holds, in words, by its subject. */
  found: (facts: AlertFacts) => readonly { subject?: string; detail: string }[];
}

export type Named<A extends Alert> = Readonly<Record<string, Omit<A, 'name'>>>;

export const when = (holds: boolean, detail: string) => (holds ? [{ detail }] : []);
export const minutes = (seconds: number) => `${Math.round(seconds / 60)} minutes`;
