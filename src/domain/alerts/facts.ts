import type { Severity } from '../breaks/findings.js';
import type { OpenBreaks } from '../breaks/money-once.js';
import type { DeliveryClass } from '../deliveries/delivery-class.js';
import type { SecretsFrom } from '../deliveries/last-secret.js';
import type { ReplacedEndpoint } from '../deliveries/replaced-endpoint.js';
import type { Money } from '../family/money.js';
import { duration } from '../in-words.js';

/** What the database knows of the whole at one moment. Null: it was not measured yet. */
export interface AlertFacts {
  /** Webhooks of the service: 0 where none came in the last 30 minutes, then those of the six hours before, and those of the 30 minutes that nothing bears out. */
  webhooks: { halfHour: number; before: number; unproven: number };
  /** What was rejected under the service's headers: since one of its webhooks was taken, and of five minutes. `share`: of these and those that were taken. */
  invalidSignatures: { sinceMatch: number; fiveMinutes: number; share: number };
  /** `share`: how many of all that carried a signature of ours; where the clocks agree, what is new is taken. */
  expiredTimestamps: { halfHour: number; share: number };
  /** Null: it could not be read. */
  noSecretAccepted: boolean | null;
  /** Where receivers have their secrets from. */
  secretsFrom: SecretsFrom;
  /** Of secrets in use. */
  replacedEndpoints: readonly ReplacedEndpoint[];
  /** All requests that were rejected in the last hour, by reason; `likeService`: those with the service's headers. */
  rejected: readonly { reason: string; count: number; likeService: number; oldestSeconds: number }[];
  /** Null: none is sent. */
  canary: CanaryFacts | null;
  /** `waiting`: tried again or not; `failed`: those that are tried again. */
  backlog: { waiting: number; failed: number; dead: number; oldestSeconds: number };
  missed: number | null;
  /** Deliveries that the service notes as taken and that are not here, of all since the newest that came; `seconds`: since the first of them. */
  swallowed: { count: number; seconds: number } & Sent;
  /** What is not made good, how many of it are missed by now, how many are recovered and not applied yet, and how many could be recovered by when they were sent. */
  awaited: readonly ({
    class: DeliveryClass;
    awaited: number;
    missed: number;
    recovered: number;
    recoverable: number;
    oldestSeconds: number;
  } & Sent)[];
  /** All that nobody has closed, acknowledged ones included. */
  breaks: readonly OpenBreaks[];
  kinds: readonly KindFacts[];
  /** Null: the newest run of all had its answers. */
  outage: Outage | null;
  /** Of a service that was away: since when it answers again, ISO 8601; null: it never was, or is. */
  serviceBack: { since: string; seconds: number } | null;
  /** Orders that were paid, or said to be, while it was away, and that are held until it is polled. */
  heldByOutage: number;
  /** Since a call of the scheduler was answered; null: none was noted yet. */
  answeredSeconds: number | null;
  /** How many assets have a balance, and those whose balance is not proven. */
  balances: { total: number; unproven: readonly UnprovenBalance[] };
  /** Types of payouts that no class of the contract has, as far as nobody has closed their break. */
  newPayoutTypes: readonly string[];
  /** All payouts of these types, and a sum for each asset. */
  newPayouts: { count: number; money: readonly Money[] };
  /** Creating calls of ours of which only a person can say what came. */
  lostCalls: readonly { operation: string; count: number }[];
  /** Those whose outcome the scheduler is still to find. */
  openCalls: number;
  heldByRefund: number;
  /** What one person asked of finance and another is to approve. */
  decisions: { waiting: number; oldestSeconds: number };
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

interface UnprovenBalance {
  assetCode: string;
  why: string;
  /** Something is missing, or too much. */
  isUnexplained: boolean;
  /** Payouts of `newPayoutTypes` are why, and what is missing is no more than they can have taken. Left out: no. */
  isOfNewType?: boolean;
}

/** When the first and the last of some deliveries were made, ISO 8601; null: there are none, or the service does not say. */
export interface Sent {
  from: string | null;
  to: string | null;
}

/** Of the newest canary that was followed to its end. Times of its way since it was sent; null: it did not come so far. */
export interface CanaryFacts {
  everySeconds: number;
  secondsAgo: number;
  answeredMs: number | null;
  storedMs: number | null;
  appliedMs: number | null;
  /** In words; null: it came back whole. */
  error: string | null;
  /** Since the last that came back whole was sent; null: none did. */
  cameSecondsAgo: number | null;
  /** How many in a row did not. */
  failures: number;
}

/** Runs, or attempts of calls, that failed alike, one after the other, and none since had its answers. */
export interface Outage {
  why: 'away' | 'refused';
  /** When the first of them began, ISO 8601. */
  since: string;
  seconds: number;
  runs: number;
  /** Attempts of the scheduler’s calls since the last that was answered, and of how many operations; 0: it was the last. */
  attempts: number;
  operations: number;
  /** What they read or called, in the order of the alphabet. */
  what: string;
  /** Of the newest. */
  error: string;
  /** When a webhook came last, ISO 8601; null: none is kept. */
  webhookAt: string | null;
}

/** Of one kind of records that runs read. */
export interface KindFacts {
  kind: string;
  /** How far apart its runs are at most; null: they are switched off. */
  everySeconds: number | null;
  /** How long ago a run ended complete. */
  provenSecondsAgo: number | null;
  /** When the newest complete run began, ISO 8601, and how long ago that is. */
  completeUntil: string | null;
  ageSeconds: number | null;
  /** What the newest run did not prove, and why; null: it proved all. */
  reason: string | null;
}

/** All that can be recovered now, and since when it was sent; `from` is null where nothing can. */
export function toRecover({ awaited }: Pick<AlertFacts, 'awaited'>): { count: number; from: string | null } {
  const some = awaited.filter(({ recoverable }) => recoverable > 0);
  const count = some.reduce((sum, { recoverable }) => sum + recoverable, 0);
  return { count, from: sentOf(some).from };
}

/** Longer than a restart takes, and the first retries after it. */
const FAILING_SECONDS = 180;

type NotOverdue = AlertFacts['awaited'][number] & { count: number };

/** What is not here and not missed yet, by class; all of it where missed deliveries were not measured. */
export function notOverdue({ missed, awaited }: Pick<AlertFacts, 'missed' | 'awaited'>): NotOverdue[] {
  return awaited
    .map((of) => ({ ...of, count: of.awaited - (missed === null ? 0 : of.missed) }))
    .filter(({ count }) => count > 0);
}

/** The same without what the service may just be sending. */
export function notHere(facts: Pick<AlertFacts, 'missed' | 'awaited'>): NotOverdue[] {
  return notOverdue(facts).filter((of) => of.class !== 'pending_retry' || of.oldestSeconds > FAILING_SECONDS);
}

/** How many are not here, overdue or not, also those that the service may just be sending; null: it was not measured. */
export function countNotHere(facts: Pick<AlertFacts, 'missed' | 'awaited'>): number | null {
  const others = notOverdue(facts).reduce((sum, of) => sum + of.count, 0);
  return facts.missed === null && others === 0 ? null : (facts.missed ?? 0) + others;
}

/** What recovers all that was sent since then. */
export function recoverCommand(from: string | null): string {
  return `tallyhook deliveries recover --since ${from === null ? '2h' : `${from.slice(0, 16)}Z`}`;
}

export function sentOf(some: readonly Sent[]): Sent {
  return {
    from: some.flatMap(({ from }) => from ?? []).sort()[0] ?? null,
    to:
      some
        .flatMap(({ to }) => to ?? [])
        .sort()
        .at(-1) ?? null,
  };
}

/** How many breaks of these severities nobody has closed. */
export function breaksOf({ breaks }: Pick<AlertFacts, 'breaks'>, ...of: readonly Severity[]): number {
  return breaks.reduce((sum, { severity, count }) => sum + (of.includes(severity) ? count : 0), 0);
}

/** Its age and its way in one line. */
export function canaryWords(canary: CanaryFacts | null): string {
  if (canary === null) return 'none is sent';
  const { secondsAgo, cameSecondsAgo, error, failures, answeredMs, storedMs, appliedMs } = canary;
  if (error === null)
    return `came back ${duration(secondsAgo)} ago: stored after ${storedMs} ms, answered ${answeredMs}, applied ${appliedMs}`;
  const came = cameSecondsAgo === null ? 'none came back yet' : `the last came back ${duration(cameSecondsAgo)} ago`;
  return `failed ${duration(secondsAgo)} ago, ${failures} in a row: ${error}; ${came}`;
}
