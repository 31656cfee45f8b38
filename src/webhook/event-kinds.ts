import { kinds } from '../domain/kinds/kinds.js';
import { type RecordKind, recordKinds, recordRules } from '../domain/records.js';

/** The kind of record that an event is about, by the prefix of its type (specification 6.2, and the same pattern). */
const prefixes: ReadonlyMap<string, RecordKind> = new Map(
  recordKinds.flatMap((kind) => {
    const { eventPrefix } = kinds[kind];
    return eventPrefix === undefined ? [] : [[eventPrefix, kind] as const];
  }),
);

export interface EventKind {
  kind: RecordKind;
  /** What the type says beyond the kind: `completed`, `deposit.completed`. */
  suffix: string;
  /** It is about money that a sub-wallet got or gave, not about the sub-wallet itself. */
  isTransaction: boolean;
}

/** Null: records of such events are not kept here. */
export function eventKind(type: string): EventKind | null {
  const dot = type.indexOf('.');
  const kind = prefixes.get(type.slice(0, Math.max(dot, 0)));
  if (kind === undefined) return null;
  const suffix = type.slice(dot + 1);
  return { kind, suffix, isTransaction: kind === 'account' && suffix.includes('.') };
}

/** The types that the specification names, and those of the same pattern that name a listed state. */
const knownEventTypes: ReadonlySet<string> = new Set([
  ...[...prefixes].flatMap(([prefix, kind]) =>
    [...recordRules[kind].main.ranks.keys()].map((state) => `${prefix}.${state}`),
  ),
  'wallet_account.deposit.completed',
  'wallet_account.transfer.completed',
]);

/** An event's type as a label of a metric: whoever sends events can't make up ever new ones. */
export function eventLabel(type: string): string {
  return knownEventTypes.has(type) ? type : 'other';
}
