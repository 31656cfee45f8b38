import { type RecordKind, recordRules } from '../domain/records.js';

/** The kind of record that an event is about, by the prefix of its type (specification 6.2, and the same pattern). */
const prefixes: Readonly<Record<string, RecordKind>> = {
  payment_intent: 'payment_intent',
  payin: 'payin',
  invoice: 'invoice',
  payout: 'payout',
  wallet_account: 'account',
};

export interface EventKind {
  kind: RecordKind;
  /** What the type says beyond the kind: `completed`, `deposit.completed`. */
  suffix: string;
  /** It tells of money that a sub-wallet got or gave, not of the sub-wallet itself. */
  isMovement: boolean;
}

/** Null: records of such events are not kept here. */
export function eventKind(type: string): EventKind | null {
  const dot = type.indexOf('.');
  const prefix = type.slice(0, Math.max(dot, 0));
  const kind = Object.hasOwn(prefixes, prefix) ? prefixes[prefix] : undefined;
  if (kind === undefined) return null;
  const suffix = type.slice(dot + 1);
  return { kind, suffix, isMovement: kind === 'account' && suffix.includes('.') };
}

/** The types that the specification names, and those of the same pattern that name a listed state. */
export const knownEventTypes: ReadonlySet<string> = new Set([
  ...Object.entries(prefixes).flatMap(([prefix, kind]) =>
    [...recordRules[kind].main.ranks.keys()].map((state) => `${prefix}.${state}`),
  ),
  'wallet_account.deposit.completed',
  'wallet_account.transfer.completed',
]);
