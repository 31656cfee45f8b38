import type { BreakKind } from '../breaks/breaks.js';
import type { Severity } from '../breaks/findings.js';

/** What the database knows of the whole at one moment. Null: it was not measured yet. */
export interface AlertFacts {
  /** Webhooks of the last 30 minutes, rejected ones included, and of the six hours before. */
  webhooks: { halfHour: number; before: number };
  /** Rejected under the service's headers: since a secret matched last, and of five minutes. `share`: of these and all that were taken. */
  invalidSignatures: { sinceMatch: number; fiveMinutes: number; share: number };
  /** `share`: how many of all that carried a signature of ours; where the clocks agree, what is new is taken. */
  expiredTimestamps: { halfHour: number; share: number };
  noSecretAccepted: boolean;
  backlog: { dead: number; oldestSeconds: number };
  missed: number | null;
  breaks: readonly { kind: BreakKind; severity: Severity; count: number; oldestSeconds: number }[];
  /** Of each kind that is read: how far apart its runs are at most, and how long ago one ended complete. */
  kinds: readonly { kind: string; everySeconds: number; provenSecondsAgo: number | null }[];
  /** Creating calls of ours of which only a person can say what came. */
  lostCalls: readonly { operation: string; count: number }[];
  heldByRefund: number;
  callbacks: { dead: number; oldestSeconds: number };
  /** `findings`: when the seals were verified last; null: never. `unverifiedSeconds`: since all were, or since sealing began. */
  seals: { oldestUnsealedSeconds: number; unverifiedSeconds: number; findings: number | null };
  channels: readonly { channel: string; failingSeconds: number; error: string }[];
  /** How long ago each part that was ever at work, or expected to be, gave its last sign. */
  parts: readonly { part: string; secondsAgo: number }[];
  /** Settings that roles at work have otherwise than others, and who has which value. */
  settings: readonly { setting: string; values: string }[];
  ageSeconds: number;
}
