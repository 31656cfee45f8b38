import type { RecordKind } from '../record-kinds.js';

interface States {
  /** Nothing happens to it any more by itself. */
  final: readonly string[];
  /** It waits for the customer or the chain: minutes to hours. */
  active: readonly string[];
  /** It asks for nothing any more, and nothing came. */
  off: readonly string[];
}

/** Specification 3.1, 3.3, 3.4, 3.5. A state on no list is open: it may still change. */
export const states = {
  payment_intent: {
    final: ['completed', 'expired', 'cancelled'],
    active: ['waiting_address_selection', 'pending', 'confirming'],
    off: ['expired', 'cancelled'],
  },
  payin: { final: ['confirmed', 'unmatched'], active: [], off: [] },
  invoice: { final: ['paid', 'expired', 'cancelled'], active: [], off: ['expired', 'cancelled'] },
  payout: { final: ['confirmed', 'failed'], active: ['pending', 'approved'], off: ['failed'] },
} as const satisfies Partial<Record<RecordKind, States>>;

type StatedKind = keyof typeof states;

export function isFinal(kind: StatedKind, status: string | null): boolean {
  return isIn(states[kind].final, status);
}

export function isActive(kind: StatedKind, status: string | null): boolean {
  return isIn(states[kind].active, status);
}

export function isOff(kind: StatedKind, status: string | null): boolean {
  return isIn(states[kind].off, status);
}

function isIn(list: readonly string[], status: string | null): boolean {
  return status !== null && list.includes(status);
}
