import { isJsonObject, type Json, type JsonObject, ownField } from './json.js';
import { type Field, fieldsThat, kinds, type RecordKind, recordKinds } from './kinds/kinds.js';
import { isAmount, isSignedAmount, isTotal } from './money.js';

export { type RecordKind, recordKinds } from './kinds/kinds.js';

export const entityKinds = [...recordKinds, 'delivery', 'order', 'secret', 'event'] as const;
export type EntityKind = (typeof entityKinds)[number];

export interface EntityRef {
  kind: EntityKind;
  id: string;
}

/** One state machine of a record: the field that holds its state, and how far on each listed state stands. */
export interface Axis {
  field: string;
  /** None: the specification gives the kind no states. */
  ranks: ReadonlyMap<string, number>;
  /** The rank of states that the specification implies without naming them; null: its list is complete. */
  unlisted: number | null;
}

/** A column that records are searched by. Its name is the field's in snake case. */
export interface Column {
  name: string;
  field: string;
  type: 'text' | 'amount' | 'time';
}

export interface RecordRules {
  main: Axis;
  /** A second state machine, and the fields that move with it and with it alone. */
  side: (Axis & { travels: readonly string[] }) | null;
  amounts: readonly string[];
  signedAmounts: readonly string[];
  totals: readonly string[];
  /** Amounts of the objects in an array field. */
  nestedAmounts: Readonly<Record<string, readonly string[]>>;
  kept: readonly string[];
  decisive: readonly string[];
  columns: readonly Column[];
}

/** By which a list is ordered: every kind has it. */
const CREATED: Column = { name: 'created_at', field: 'createdAt', type: 'time' };

const columnTypes: Readonly<Partial<Record<Field['type'], Column['type']>>> = {
  text: 'text',
  state: 'text',
  amount: 'amount',
  signed: 'amount',
  total: 'amount',
  time: 'time',
};

export const recordRules: Readonly<Record<RecordKind, RecordRules>> = Object.fromEntries(
  recordKinds.map((kind) => [kind, rulesOf(kind)]),
) as Record<RecordKind, RecordRules>;

function rulesOf(kind: RecordKind): RecordRules {
  const { fields } = kinds[kind];
  const of = (type: Field['type']) => fieldsThat(kind, (field) => field.type === type);
  const [second] = fieldsThat(kind, (field) => field.type === 'state' && 'states' in field && field.with !== undefined);
  return {
    main: axisOf('status', fields['status']),
    side:
      second === undefined
        ? null
        : { ...axisOf(second, fields[second]), travels: fieldsThat(kind, (field) => field.with === second) },
    amounts: of('amount'),
    signedAmounts: of('signed'),
    totals: of('total'),
    nestedAmounts: Object.fromEntries(Object.entries(fields).flatMap(([name, field]) => nestedIn(name, field))),
    kept: fieldsThat(kind, ({ kept }) => kept === true),
    decisive: fieldsThat(kind, ({ decisive }) => decisive === true),
    columns: [...Object.entries(fields).flatMap(([name, field]) => columnOf(name, field)), CREATED],
  };
}

function axisOf(field: string, found: Field | undefined): Axis {
  const { states = {}, unlisted = null } = found?.type === 'state' ? found : {};
  return { field, ranks: new Map(Object.entries(states).map(([state, { rank }]) => [state, rank])), unlisted };
}

function nestedIn(name: string, field: Field): [string, string[]][] {
  if (field.type !== 'records') return [];
  return [[name, Object.entries(field.of).flatMap(([inner, { type }]) => (type === 'amount' ? [inner] : []))]];
}

function columnOf(field: string, { type, column }: Field): Column[] {
  const columnType = columnTypes[type];
  if (column === undefined) return [];
  if (columnType === undefined) throw new Error(`${field} is a ${type}, which has no column`);
  return [{ name: snakeCase(field), field, type: columnType }];
}

/** `paymentIntentId` as `payment_intent_id`. */
export function snakeCase(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

export const stateOn = (axis: Axis, fields: JsonObject): string | null => textField(fields, axis.field);

/** How far on a state stands: −1 where there is none yet, null where it can't be compared. */
export function rankOn(axis: Axis, state: string | null): number | null {
  return state === null ? -1 : (axis.ranks.get(state) ?? axis.unlisted);
}

/** States of the record, on any axis whose list is complete, that are not on it: each is worth one low break per value. */
export function unlistedStates(kind: RecordKind, fields: JsonObject): { field: string; value: string }[] {
  const { main, side } = recordRules[kind];
  return [main, side].flatMap((axis) => {
    if (axis === null || axis.ranks.size === 0 || axis.unlisted !== null) return [];
    const value = stateOn(axis, fields);
    return value === null || axis.ranks.has(value) ? [] : [{ field: axis.field, value }];
  });
}

/** The service may cease to show a record that was last seen so, and nothing is wrong. */
export function mayVanish(kind: RecordKind, fields: JsonObject): boolean {
  const { vanishing } = kinds[kind];
  if (typeof vanishing === 'string') return vanishing === 'quiet';
  return vanishing.quietIn.includes(textField(fields, 'status') ?? '');
}
/** Amounts that are no decimal strings of the allowed length (section 8), JSON numbers above all. `path`: a JSON pointer. */
export function amountViolations(kind: RecordKind, fields: JsonObject): { path: string; given: string }[] {
  const { amounts, signedAmounts, totals, nestedAmounts } = recordRules[kind];
  const found = [
    ...violationsOf(amounts, fields, '', isAmount),
    ...violationsOf(signedAmounts, fields, '', isSignedAmount),
    ...violationsOf(totals, fields, '', isTotal),
  ];
  for (const [list, names] of Object.entries(nestedAmounts)) {
    const items = ownField(fields, list);
    if (!Array.isArray(items)) continue;
    for (const [index, item] of items.entries()) {
      if (isJsonObject(item)) found.push(...violationsOf(names, item, `/${list}/${index}`, isAmount));
    }
  }
  return found;
}

/** The field where it holds a string; null where it is absent, null or anything else. */
export function textField(fields: JsonObject | null, name: string): string | null {
  const value = fields === null ? null : ownField(fields, name);
  return typeof value === 'string' ? value : null;
}

/** The objects of an array field; none where it is no array. */
export function objectsIn(fields: JsonObject | null, name: string): JsonObject[] {
  const value = fields === null ? null : ownField(fields, name);
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}

function violationsOf(
  names: readonly string[],
  fields: JsonObject,
  at: string,
  isRight: (value: Json) => boolean,
): { path: string; given: string }[] {
  const found: { path: string; given: string }[] = [];
  for (const name of names) {
    const value = ownField(fields, name) ?? null;
    if (value === null || isRight(value)) continue;
    found.push({ path: `${at}/${name}`, given: describe(value) });
  }
  return found;
}

function describe(value: NonNullable<JsonObject[string]>): string {
  if (typeof value === 'string') return `the string ${JSON.stringify(value.slice(0, 60))}`;
  if (typeof value === 'boolean') return `the boolean ${value}`;
  if (Array.isArray(value)) return 'an array';
  return isJsonObject(value) ? 'an object' : `the number ${value.toString().slice(0, 60)}`;
}

/** Names under which a payload may carry a record of a kind, or its id alone. Payload shapes: not shown (6.2). */
interface RecordNames {
  wrappers: readonly string[];
  ids: readonly string[];
}

export const recordNames = Object.fromEntries(recordKinds.map((kind) => [kind, namesOf(kind)])) as Readonly<
  Record<RecordKind, RecordNames>
>;

/** `paymentIntent`, `payment_intent`; `paymentIntentId`, `payment_intent_id`. */
function namesOf(kind: RecordKind): RecordNames {
  const { names, oddNames = { wrappers: [], ids: [] } } = kinds[kind];
  const wrappers = names.flatMap((name) => [...new Set([name, snakeCase(name)])]);
  const ids = wrappers.map((name) => (name.includes('_') ? `${name}_id` : `${name}Id`));
  return { wrappers: [...wrappers, ...oddNames.wrappers], ids: [...ids, ...oddNames.ids] };
}
