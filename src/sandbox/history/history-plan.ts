import { createDraw, type Draw } from '../base/random.js';

/** How a past payment came out. */
export type Outcome =
  | 'exact'
  | 'slight'
  | 'over'
  | 'under'
  | 'late'
  | 'disputed'
  | 'expired'
  | 'cancelled'
  | 'pending'
  | 'waiting_address_selection';

export interface PastPayment {
  outcome: Outcome;
  decision: 'pending_decision' | 'encashed' | 'refunded';
  createdAt: number;
  longOpen: boolean;
}

export type HistoryPlan = (position: number) => PastPayment;

export const DAY_MS = 86_400_000;
export const SPAN_MS = 730 * DAY_MS;
export const NEWEST_MS = 120_000;

/** Cumulated shares of the ways a closed payment came out. */
const CLOSED: readonly [number, Outcome][] = [
  [0.78, 'exact'],
  [0.79, 'slight'],
  [0.81, 'over'],
  [0.82, 'under'],
  [0.83, 'late'],
  [0.84, 'disputed'],
  [0.98, 'expired'],
  [1, 'cancelled'],
];

export interface PlanInput {
  count: number;
  seed: number;
  startedAt: number;
  expirySeconds: number;
  /** Without payouts nothing was given back. */
  hasPayouts: boolean;
}

/** What became of the payment at a position: the same answer each time, without anything kept. */
export function createPlan({ count, seed, startedAt, expirySeconds, hasPayouts }: PlanInput): HistoryPlan {
  const jitter = createDraw(seed, 'history-time');
  const sameMoment = createDraw(seed, 'history-same-moment');
  const outcome = createDraw(seed, 'history-outcome');
  const open = createDraw(seed, 'history-open');
  const decision = createDraw(seed, 'history-decision');
  const oldest = startedAt - SPAN_MS;
  const step = (SPAN_MS - NEWEST_MS) / count;
  // A payment younger than this cannot have expired before the start.
  const lastEnd = expirySeconds * 1000 + NEWEST_MS;
  const time = (position: number): number => Math.floor(oldest + step * (position + jitter(position)));

  return (position) => {
    // Some payments are made in the same millisecond as the one before.
    const twin = position > 0 && sameMoment(position) < 0.02;
    const createdAt = time(twin ? position - 1 : position);
    const age = startedAt - createdAt;
    const longOpen = age < 60 * DAY_MS && open(position) < 0.005;
    const isOpen = longOpen || (age < expirySeconds * 1000 && open(position) < 0.6);
    return {
      createdAt,
      longOpen,
      outcome: isOpen ? openOutcome(outcome, position) : closedOutcome(outcome(position), age > lastEnd),
      decision: decide(hasPayouts ? decision(position) : decision(position) * LEAST_REFUND, age),
    };
  };
}

function openOutcome(draw: Draw, position: number): Outcome {
  return draw(position) < 0.5 ? 'pending' : 'waiting_address_selection';
}

function closedOutcome(draw: number, mayHaveExpired: boolean): Outcome {
  const outcome = CLOSED.find(([share]) => draw < share)?.[1] ?? 'exact';
  return !mayHaveExpired && (outcome === 'expired' || outcome === 'late') ? 'exact' : outcome;
}

/** Draws from here on are decided for a refund. */
const LEAST_REFUND = 0.9;

/** Disputes are decided within a month; few of them by a refund, so that few payments stay unmatched for good. */
function decide(draw: number, age: number): PastPayment['decision'] {
  if (age < 30 * DAY_MS && draw < 0.4) return 'pending_decision';
  return draw < LEAST_REFUND ? 'encashed' : 'refunded';
}
