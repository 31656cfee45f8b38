import type { AlertFacts } from './facts.js';

export const alertSeverities = ['critical', 'warning'] as const;
export type AlertSeverity = (typeof alertSeverities)[number];

export interface Condition {
  name: string;
  severity: AlertSeverity;
  /** It is told when it has held for so long. */
  holdSeconds: number;
  /** It fires again no sooner than so long after it fired last; left out: at any time. */
  apartSeconds?: number;
  /** The section of docs/runbook.md. */
  runbook: string;
  summary: string;
  /** What to do first, in a sentence or two. */
  remedy: string;
  /** Each that holds, in words, by its subject. */
  found: (facts: AlertFacts) => readonly { subject?: string; detail: string }[];
}

export const when = (holds: boolean, detail: string) => (holds ? [{ detail }] : []);
export const minutes = (seconds: number) => `${Math.round(seconds / 60)} minutes`;
