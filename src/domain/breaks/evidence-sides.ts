import { sameJson } from '../canonical-json.js';
import { spaced, words } from '../in-words.js';
import { isJsonObject, type Json, type JsonObject } from '../json.js';
import { isSignedAmount } from '../money.js';
import { textField } from '../records.js';
import type { BreakKind } from './breaks.js';
import type { contractBreaks } from './contract-violation.js';
import type { deliveryBreaks } from './deliveries.js';
import type { payoutBreaks, settlementBreaks } from './payouts.js';
import type { recordBreaks } from './records.js';

/** What stands against each other under two names: a name for both, ours, the service's. */
type Pair = readonly [name: string, ours: string, theirs: string];
type TwoSided = typeof recordBreaks & typeof deliveryBreaks & typeof payoutBreaks & typeof settlementBreaks;

const DELIVERY: readonly Pair[] = [['delivery', 'held', 'status']];
const SETTLEMENT: readonly Pair[] = [
  ['amount', 'expected', 'arrived'],
  ['day', 'settledOn', 'on'],
];

/** Of each kind whose evidence says a side as a whole. Names that both sides have need no pair, nor do checks that say field by field (`finding`). */
const pairs: Readonly<Record<keyof TwoSided | keyof typeof contractBreaks, readonly Pair[]>> = {
  phantom_delivery: DELIVERY,
  missed_webhook: DELIVERY,
  rejected_delivery: DELIVERY,
  event_not_sent: [],
  event_never_generated: [],
  id_collision: [],
  endpoint_inactive: [],
  endpoint_unsubscribed: [['event types', 'needed', 'events']],
  history_differs: [],
  secret_still_in_use: [],
  record_not_at_service: [['record', 'status', 'listed']],
  duplicate_payment: [],
  payment_moved: [],
  balance_residual: [['balance', 'explained', 'balance']],
  balance_identity: [],
  transaction_mismatch: [],
  product_count: [],
  payout_stuck: [],
  payout_untracked: [],
  settlement_late: SETTLEMENT,
  settlement_short: SETTLEMENT,
  settlement_over: SETTLEMENT,
  contract_violation: [],
};

type Side = 'ours' | 'theirs';

/** What both sides speak of. Null: that side says nothing. */
export interface EvidenceField {
  name: string;
  /** As each side calls it. */
  names: Record<Side, string>;
  ours: Json;
  theirs: Json;
  /** Where it is known from; null: as the rest of its side. */
  source: Json;
  /** Both sides say something, and not the same. */
  differs: boolean;
}

export interface EvidenceSides {
  fields: EvidenceField[];
  /** What one side alone says; `source`: where the side is known from. */
  alone: Record<Side, JsonObject>;
  /** Records that a field names several of, beside one another. */
  records: EvidenceRecords[];
  /** What else is said, beside the two sides. */
  besides: JsonObject;
}

export interface EvidenceRecords {
  name: string;
  /** A column for each. */
  ids: string[];
  /** `values`: of each record its own; null: it says nothing. */
  fields: { name: string; values: Json[]; differs: boolean }[];
}

/** Evidence as two sides, whether it says each as a whole or, as `finding` does, both of each field. */
export function evidenceSides(kind: BreakKind, evidence: JsonObject): EvidenceSides {
  const { ours: _ours, theirs: _theirs, source = null, ...rest } = evidence;
  const single = Object.entries(rest).filter((entry): entry is [string, FieldSides] => isSides(entry[1]));
  const of = (side: Side): JsonObject => {
    const own = single.map(([name, said]) => [name, said[side]] as const);
    return { ...sideOf(evidence[side] ?? null), ...Object.fromEntries(own) };
  };
  const [ours, { source: theirSource = null, ...theirs }] = [of('ours'), of('theirs')];
  const sources = new Map(single.map(([name, said]) => [name, said['source'] ?? null]));
  const [firstSource = null] = sources.values();
  const same = Object.keys(ours).map((name): Pair => [name, name, name]);
  const met = [...((pairs as Readonly<Record<string, readonly Pair[]>>)[kind] ?? []), ...same]
    .filter(([, one, other]) => one in ours && other in theirs)
    .map(([name, one, other]): EvidenceField => {
      const [mine, its] = [ours[one] ?? null, theirs[other] ?? null];
      const differs = mine !== null && its !== null && !sameJson(mine, its);
      const names = { ours: one, theirs: other };
      return { name, names, ours: mine, theirs: its, source: sources.get(name) ?? null, differs };
    });
  const saysAny = (side: Side) => met.some((field) => field[side] !== null);
  const fields = saysAny('ours') && saysAny('theirs') ? met : [];
  const alone = (side: Side, said: JsonObject) => {
    const isShown = (name: string) => fields.some(({ names }) => names[side] === name);
    return Object.fromEntries(Object.entries(said).filter(([name, value]) => isSaid(value) && !isShown(name)));
  };
  const others = Object.entries(rest).filter(([, value]) => !isSides(value));
  const records = others.flatMap(([name, value]) => recordsOf(name, value));
  const from = theirSource ?? source ?? (fields.length === 0 ? firstSource : null);
  return {
    fields,
    alone: { ours: alone('ours', ours), theirs: alone('theirs', { ...theirs, source: from }) },
    records,
    besides: Object.fromEntries(others.filter(([name]) => records.every((one) => one.name !== name))),
  };
}

/** More are no columns any more. */
const MOST_BESIDE = 3;

function recordsOf(name: string, value: Json | undefined): EvidenceRecords[] {
  const all = Array.isArray(value) ? value.filter(isJsonObject) : [];
  const ids = all.flatMap(({ id }) => (typeof id === 'string' ? [id] : []));
  const isWhole = Array.isArray(value) && ids.length === value.length && new Set(ids).size === ids.length;
  if (!isWhole || ids.length < 2 || ids.length > MOST_BESIDE) return [];
  const names = [...new Set(all.flatMap((one) => Object.keys(one)))].filter((field) => field !== 'id');
  const fields = names.map((field) => {
    const values = all.map((one) => one[field] ?? null);
    const [first, ...more] = values.filter((one) => one !== null);
    return { name: field, values, differs: more.some((one) => !sameJson(one, first)) };
  });
  return [{ name, ids, fields }];
}

const isSaid = (value: Json | undefined): boolean => value !== undefined && value !== null && value !== '';

type FieldSides = JsonObject & Record<Side, Json>;

function isSides(value: Json | undefined): value is FieldSides {
  return isJsonObject(value) && 'ours' in value && 'theirs' in value;
}

/** A side that is one value and not an object has no names of its own. */
function sideOf(given: Json): JsonObject {
  if (isJsonObject(given)) return given;
  return given === null ? {} : { value: given };
}

/** What a side says in money; `asset` null: the evidence does not say of what. */
export interface SideAmount {
  amount: string;
  asset: string | null;
}

/** Where an object has an amount, and of what: what came in before what was asked for. */
const inObjects = [
  ['amount', 'currency'],
  ['amount', 'assetCode'],
  ['totalAmountReceived', 'assetCode'],
  ['amountRequested', 'currencyRequested'],
] as const;
/** Numbers of something else. */
const NO_MONEY = /count|hours|intents|confirmations/i;

/** The amounts that stand against each other: of the fields the first where they differ, else where both sides say one, else one of them. */
export function sideAmounts(
  { kind, entity }: { kind: BreakKind; entity: { kind: string; id: string } },
  evidence: JsonObject,
): Record<Side, SideAmount | null> {
  const { fields, alone, besides } = evidenceSides(kind, evidence);
  const shown = fields.map(({ name, theirs, ours }) => [name, theirs ?? ours] as const);
  const said = [Object.fromEntries(shown), alone.theirs, alone.ours, besides];
  const named = said.flatMap((one) => textField(one, 'assetCode') ?? textField(one, 'currency') ?? [])[0] ?? null;
  const asset = entity.kind === 'balance' ? entity.id : named;
  const aloneOf = (side: Side) =>
    Object.entries(alone[side]).map(([name, value]) => ({
      ours: null,
      theirs: null,
      differs: false,
      [side]: amountIn(name, value ?? null, asset),
    }));
  const amounts = [
    ...fields.map(({ names, ours, theirs, differs }) => {
      return { ours: amountIn(names.ours, ours, asset), theirs: amountIn(names.theirs, theirs, asset), differs };
    }),
    ...aloneOf('ours'),
    ...aloneOf('theirs'),
  ];
  const both = amounts.filter((one) => one.ours !== null && one.theirs !== null);
  const any = amounts.find((one) => one.ours !== null || one.theirs !== null);
  const { ours = null, theirs = null } = both.find(({ differs }) => differs) ?? both[0] ?? any ?? {};
  return { ours, theirs };
}

function amountIn(name: string, said: Json, asset: string | null): SideAmount | null {
  if (isSignedAmount(said)) return NO_MONEY.test(name) ? null : { amount: said, asset };
  if (!isJsonObject(said)) return null;
  for (const [of, unit] of inObjects) {
    const amount = said[of];
    if (isSignedAmount(amount) && !/^0(\.0+)?$/.test(amount)) return { amount, asset: textField(said, unit) };
  }
  return null;
}

/** Names that say little by themselves. */
const labels: Readonly<Record<string, string>> = {
  source: 'known from',
  httpStatus: 'HTTP status',
  endpointUrl: 'address of the endpoint',
  refusal: 'rejected because',
  class: 'what happened',
  firstSeen: 'first seen in',
  mayBe: 'it may be',
  names: 'what it reports',
  now: 'look at',
  some: 'some of them',
  assetCode: 'asset',
  crypto: 'paid out',
  unobservable: 'what no list shows',
};

/** Why a field says nothing, where that is known. */
const unsaid: Readonly<Record<string, string>> = { expected: 'not registered by the store' };

export const unsaidWords = (name: string): string | null => unsaid[name] ?? null;

/** A name of evidence in plain words: `lastAttemptAt` as `last attempt`, `payin_net` as `payin net`. */
export function evidenceLabel(name: string): string {
  const plain = (part: string) => spaced(words(part)).replace(/(?<=.) (id|at)$/, '');
  return labels[name] ?? plain(name);
}
