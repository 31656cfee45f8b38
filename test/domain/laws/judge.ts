import { type Family, type FamilyRecords, familyOf, linksOf, type Said } from '../../../src/domain/family/family.js';
import { defaultPayoutWords, familyKinds, type ShownRecord } from '../../../src/domain/family/links.js';
import {
  isSaidAlone,
  isUndecided,
  type SaidRefund,
  saidRefunds,
  shownRecordOf,
} from '../../../src/domain/family/said.js';
import { absorb, joinStates, type Shown, show } from '../../../src/domain/merge.js';
import type { Observation } from '../../../src/domain/observation.js';
import { holdByReports } from '../../../src/domain/orders/hold-by-reports.js';
import type { DerivedOrder } from '../../../src/domain/orders/order.js';
import { factsOf, type OrderFacts } from '../../../src/domain/orders/order-facts.js';
import { intentOutcome } from '../../../src/domain/orders/order-intent.js';
import { emptyState, type RecordState, type Statement } from '../../../src/domain/record-state.js';
import { textField } from '../../../src/domain/records.js';
import { END, references, type World } from './worlds.js';

export interface JudgedOrder {
  reference: string;
  family: Family;
  facts: OrderFacts;
  order: DerivedOrder;
}

export interface Judged {
  records: FamilyRecords;
  orders: JudgedOrder[];
}

/** Of an order that reports never held before. */
export function heard(facts: OrderFacts): DerivedOrder {
  const { status, release } = holdByReports(facts, { held: false, refutedAt: [] }, END);
  return { status, release };
}

/** From observations to orders, as the installation does it, without one. */
export function judge(world: World, observations = [...world.proofs, ...world.reports]): Judged {
  const states = statesOf(observations);
  const records = recordsOf(states);
  return { records, orders: ordersOf(world, records, saidOf(world, states)) };
}

/** By what polls, own calls, deliveries and persons say alone. */
export function judgeProofs(world: World): Judged {
  return judge(world, world.proofs);
}

export function ordersOf(world: World, records: FamilyRecords, said: Said): JudgedOrder[] {
  const links = linksOf(records, said, defaultPayoutWords);
  return references.map((reference) => {
    const family = familyOf(reference, links, said, defaultPayoutWords);
    const expected = world.expected[reference] ?? null;
    const facts = factsOf(family, { reference, expected, history: new Set(world.history) });
    return { reference, family, facts, order: heard(facts) };
  });
}

/** `said`: all that was ever said of the payout, also what its state has no room for. */
type States = Map<string, { observation: Observation; shown: Shown; said: Statement[] }>;

export function statesOf(observations: readonly Observation[]): States {
  const known = new Map<string, { observation: Observation; state: RecordState; said: Statement[] }>();
  for (const observation of observations) {
    const { kind, id } = observation;
    const { state, said } = known.get(`${kind} ${id}`) ?? { state: emptyState, said: [] };
    const alone = aloneOf(observation);
    known.set(`${kind} ${id}`, {
      observation,
      state: joinStates(state, alone),
      said: kind === 'payout' ? [...said, ...alone.claims] : said,
    });
  }
  return new Map(
    [...known].map(([key, { observation, state, said }]) => {
      return [key, { observation, shown: show(observation.kind, state), said }];
    }),
  );
}

/** The state after each observation alone: worlds are judged again and again, with a little more in them. */
const singles = new WeakMap<Observation, RecordState>();

function aloneOf(observation: Observation): RecordState {
  const state = singles.get(observation) ?? absorb(observation.kind, emptyState, observation);
  singles.set(observation, state);
  return state;
}

export function recordsOf(states: States): FamilyRecords {
  const of = (kind: string): ShownRecord[] =>
    [...states.values()].flatMap(({ observation, shown }) =>
      observation.kind === kind ? [shownRecordOf(observation.id, shown)] : [],
    );
  return Object.fromEntries(familyKinds.map((kind) => [kind, of(kind)])) as unknown as FamilyRecords;
}

export function saidOf(world: World, states: States): Said {
  const assigned = new Map(world.assigned);
  const searched = new Map(world.searched);
  const all = [...states.values()];
  const undecided = all.flatMap(({ observation: { kind, id }, shown, said }) => {
    if (kind !== 'payout') return [];
    const state = {
      known: shown.known,
      absent: shown.absent,
      linked: (textField(shown.fields, 'paymentIntentId') ?? '') !== '',
      assigned: assigned.has(id),
    };
    const isOpen = ({ until, by }: SaidRefund) =>
      isUndecided({
        ...state,
        searched: (searched.get(id) ?? 0) >= until,
        disproved: world.disproved.includes(by),
      });
    const open = saidRefunds(shown.fields, said, defaultPayoutWords).filter(isOpen);
    // By how many payouts, each once, however many reports say it.
    return [...new Map(open.map((one) => [`${one.of} ${one.name}`, one])).values()];
  });
  const said = all.filter(
    ({ observation: { kind, id }, shown }) => kind === 'payment_intent' && isSaidAlone(shownRecordOf(id, shown)),
  );
  return {
    assigned,
    reportedReferences: countOf(undecided.flatMap(({ of, name }) => (of === 'order' ? [name] : []))),
    reportedIntents: countOf(undecided.flatMap(({ of, name }) => (of === 'payment' ? [name] : []))),
    saysPaid: new Set(said.flatMap(({ shown }) => textField(shown.reported ?? {}, 'merchantReference') ?? [])),
    openCalls: world.calls,
    showsKyt: world.showsKyt,
    polledLate: world.polledLate,
  };
}

function countOf(names: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
}

/** Payments whose money the order counts: those that are given back wholly are not among them. */
export function collectedOf({ intents, refunds }: OrderFacts): { intent: ShownRecord }[] {
  return intents
    .filter(({ id, ...intent }) => {
      const own = refunds.filter(({ paymentIntentId }) => paymentIntentId === id);
      return intentOutcome({ id, ...intent }, own).type === 'collected';
    })
    .map((intent) => ({ intent }));
}

/** The same for any order of rows. */
export function plain({ family, order }: JudgedOrder): unknown {
  const lists = Object.entries(family).map(([name, value]) => [
    name,
    Array.isArray(value) ? value.map((one) => JSON.stringify(one, keysInOrder)).sort() : value,
  ]);
  return { family: Object.fromEntries(lists) as unknown, order };
}

function keysInOrder(_key: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}

export function safe({ orders }: Judged): string[] {
  return orders.flatMap(({ reference, order }) => (order.release.safe ? [reference] : []));
}

export const says = ({ fields }: Pick<ShownRecord, 'fields'>, name: string, id: string) => fields[name] === id;

export const listedIn = ({ fields }: ShownRecord): string[] =>
  (Array.isArray(fields['payins']) ? fields['payins'] : []).flatMap((one) =>
    typeof one === 'object' && one !== null && 'id' in one && typeof one.id === 'string' ? [one.id] : [],
  );
