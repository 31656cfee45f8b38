import { isJsonObject, type Json, type JsonObject } from '../json.js';
import { isAmount, isZero } from '../money.js';

/** What one save showed otherwise of a payment, in the order of the history. */
export interface ShownStep {
  /** Steps of one save were seen at once. */
  save: string;
  /** Null: the whole of a payment that was not known before. */
  field: string | null;
  from: Json;
  to: Json;
  /** Milliseconds of the service's clock: of the event or poll that showed it. */
  at: number;
}

/** What the history of a payment shows of its dispute: the specification shows no time at which one opens (2.1). */
export interface DisputeSeen {
  /** When each state was last seen to begin; that of an open dispute also when another part came into question. */
  begun: ReadonlyMap<string, number>;
  /** The merchant's net as it was shown before the dispute; null: the payment was never seen without it. */
  netBefore: string | null;
  /** The net with which it was first seen, where it was in dispute then; else null. */
  firstNet: string | null;
}

/** A payment as it was shown in a state that is over; `seen`: of its dispute until then, null: there was none. */
export interface DisputeStage {
  /** Of `disputeFields`. */
  shown: JsonObject;
  seen: DisputeSeen | null;
}

export const disputeFields = [
  'irregularStatus',
  'irregularActionAt',
  'amountRejected',
  'amountNetMerchant',
  'feeAmountTotal',
] as const;

/** Null: it was never seen in a dispute. */
export function disputeSeen(steps: readonly ShownStep[]): DisputeSeen | null {
  const begun = new Map<string, number>();
  let state: string | null = null;
  let net: string | null = null;
  let netBefore: string | null = null;
  let firstNet: string | null = null;
  let isOpen = false;
  for (const save of savesOf(steps)) {
    const [{ at }] = save;
    const next: string | null = textTo(save, 'irregularStatus') ?? state;
    const netNow: string | null = textTo(save, 'amountNetMerchant') ?? net;
    if (next !== state && next !== null && (next !== 'none' || begun.size > 0)) {
      if (!isOpen) netBefore = net;
      isOpen = next === 'pending_decision';
      if (save.some(({ field }) => field === null)) firstNet = netNow;
      begun.set(next, at);
    } else if (isOpen && save.some(isOtherPart)) begun.set('pending_decision', at);
    [state, net] = [next, netNow];
  }
  return begun.size === 0 ? null : { begun, netBefore, firstNet };
}

/** What was shown before each state of its dispute, the oldest first. */
export function stagesBefore(steps: readonly ShownStep[]): DisputeStage[] {
  const found: DisputeStage[] = [];
  const past: ShownStep[] = [];
  let shown: JsonObject = {};
  let seen: DisputeSeen | null = null;
  for (const save of savesOf(steps)) {
    const isFirst = past.length === 0;
    past.push(...save);
    const next = disputeSeen(past);
    if (!isFirst && !isSameBegin(seen, next)) found.push({ shown, seen });
    shown = { ...shown, ...shownBy(save) };
    seen = next;
  }
  return found;
}

function isSameBegin(one: DisputeSeen | null, other: DisputeSeen | null): boolean {
  const [before, after] = [one?.begun, other?.begun];
  return before?.size === after?.size && [...(after ?? [])].every(([state, at]) => before?.get(state) === at);
}

function shownBy(save: readonly ShownStep[]): JsonObject {
  const isOne = (name: string) => disputeFields.some((one) => one === name);
  const named = save.flatMap(({ field, to }) =>
    field !== null ? [[field, to] as const] : isJsonObject(to) ? Object.entries(to) : [],
  );
  return Object.fromEntries(named.filter(([name]) => isOne(name)));
}

type Save = [ShownStep, ...ShownStep[]];

function savesOf(steps: readonly ShownStep[]): Save[] {
  const saves: Save[] = [];
  for (const step of steps) {
    const last = saves.at(-1);
    if (last?.[0].save === step.save) last.push(step);
    else saves.push([step]);
  }
  return saves;
}

/** What the field became; null: nothing was said of it. */
function textTo(save: readonly ShownStep[], name: string): string | null {
  const values = save.map(({ field, to }) =>
    field === null && isJsonObject(to) ? to[name] : field === name ? to : null,
  );
  return values.findLast((value) => typeof value === 'string') ?? null;
}

/** Not where an event reported the dispute and the next poll shows its amount. */
function isOtherPart({ field, from, to }: ShownStep): boolean {
  return field === 'amountRejected' && isAmount(from) && isAmount(to) && !isZero(from);
}
