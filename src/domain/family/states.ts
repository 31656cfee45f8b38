import { kinds, type RecordKind, recordKinds } from '../kinds/kinds.js';

/** What each is says `State` of domain/kinds/kind.ts. */
type States = Readonly<Record<'final' | 'active' | 'off', readonly string[]>>;

/** Of each kind. A state on no list is open: it may still change. */
export const states = Object.fromEntries(recordKinds.map((kind) => [kind, statesOf(kind)])) as Record<
  RecordKind,
  States
>;

function statesOf(kind: RecordKind): States {
  const status = kinds[kind].fields['status'];
  const listed = Object.entries((status?.type === 'state' ? status.states : undefined) ?? {});
  const that = (...meanings: string[]) =>
    listed.flatMap(([name, { is = '' }]) => (meanings.includes(is) ? [name] : []));
  return { final: that('final', 'off'), active: that('active'), off: that('off') };
}

export function isFinal(kind: RecordKind, status: string | null): boolean {
  return status !== null && states[kind].final.includes(status);
}

export function isActive(kind: RecordKind, status: string | null): boolean {
  return status !== null && states[kind].active.includes(status);
}

export function isOff(kind: RecordKind, status: string | null): boolean {
  return status !== null && states[kind].off.includes(status);
}
