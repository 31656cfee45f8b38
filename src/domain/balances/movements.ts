import { isJsonObject, type Json, type JsonObject } from '../json.js';
import { addAmounts, isSignedAmount, subtractAmounts } from '../money.js';
import { textField } from '../records.js';
import { operationsOf } from './movement-operation.js';
import type {
  MovementLine,
  MovementOperation,
  MovementRecord,
  MovementStates,
  MovementTable,
  ShownBy,
} from './movement-table.js';

type BalanceRef = { owner: 'operating' } | { owner: 'account'; id: string };

/** What one operation did to one balance. */
interface Movement {
  balance: BalanceRef;
  assetCode: string;
  /** A signed decimal string, never zero. */
  delta: string;
  operation: MovementOperation;
  /** When, as the service wrote it; null where it does not show that. */
  at: string | null;
  shownBy: Exclude<ShownBy, 'nothing'>;
}

/**
 * What no list of the service shows: this record of it is known by other ways, others may not be. `delta` null: not even
 * the record says the amount, and `assetCode` null: nor the asset.
 */
interface Unobservable extends Omit<Movement, 'delta' | 'assetCode' | 'shownBy'> {
  assetCode: string | null;
  delta: string | null;
}

export interface MovementsOfRecord {
  movements: Movement[];
  unobservable: Unobservable[];
  /** Why an effect is not known. Nothing is guessed: a balance with an unclear record is unproven. */
  unclear: { operation: MovementOperation | null; why: string }[];
}

/**
 * All that a record, as it stands now, has done to balances since it began: its whole effect, not a change. So what a
 * record did between two polls is the difference of the two results.
 */
export function movementsOf(record: MovementRecord, table: MovementTable): MovementsOfRecord {
  const found = operationsOf(record, table);
  const result: MovementsOfRecord = { movements: [], unobservable: [], unclear: [] };
  if ('unclear' in found) {
    result.unclear.push({ operation: null, why: found.unclear });
    return result;
  }
  for (const operation of found.operations) read(operation, record, table, result);
  return result;
}

/** The operations of which no list shows all: what a balance can't be proven without. */
export function unobservableOperations(table: MovementTable): MovementOperation[] {
  return Object.entries(table.operations)
    .filter(([, lines]) => lines.some((line) => line.shownBy === 'nothing' && holds(line, table)))
    .map(([operation]) => operation as MovementOperation);
}

function read(
  operation: MovementOperation,
  record: MovementRecord,
  table: MovementTable,
  result: MovementsOfRecord,
): void {
  const active = table.operations[operation].filter((line) => holds(line, table));
  const stateless = active.find((line) => isStateless(line, record.fields));
  if (stateless !== undefined) {
    result.unclear.push({ operation, why: 'its state is not shown' });
    return;
  }
  const chosen = active.filter((line) => stands(line.states, record.fields));
  const lines = chosen.filter((line) => matches(line, record.fields));
  // Where lines distinguish cases (who bears the fee), one of them must be the case.
  const missed = lines.length > 0 ? undefined : chosen.find((line) => !isOptional(line));
  if (missed !== undefined) {
    const { where = {} } = missed;
    const why = `${Object.keys(where).join(', ')}: no line of the table has what is shown`;
    result.unclear.push({ operation, why });
    return;
  }
  for (const group of grouped(lines)) {
    const effect = effectOf(group, record);
    if ('why' in effect) result.unclear.push({ operation, why: effect.why });
    else if (effect.delta !== '0') add(result, { operation, group, record, ...effect });
  }
}

/** A line about a flag of the record that is simply off. */
function isOptional({ where = {} }: MovementLine): boolean {
  return Object.values(where).every((value) => typeof value === 'boolean');
}

function holds({ when = {} }: MovementLine, { choices }: MovementTable): boolean {
  const chosen = new Map(Object.entries(choices));
  return Object.entries(when).every(([choice, value]) => value === undefined || chosen.get(choice) === value);
}

/** Whether a line that moves something hangs on a state that the record does not show. */
function isStateless(line: MovementLine, fields: JsonObject): boolean {
  const { states, effect } = line;
  if ('any' in states || effect?.length === 0 || (isOptional(line) && !matches(line, fields))) return false;
  return textField(fields, states.field) === null;
}

function stands(states: MovementStates, fields: JsonObject): boolean {
  return 'any' in states || isAmong(textField(fields, states.field), states);
}

/** A state that is not shown is none in which an effect stands. */
function isAmong(state: string | null, states: Exclude<MovementStates, { any: true }>): boolean {
  if (state === null) return false;
  return 'only' in states ? states.only.includes(state) : !states.except.includes(state);
}

function matches({ where = {} }: MovementLine, fields: JsonObject): boolean {
  return Object.entries(where).every(([field, value]) => valueAt(fields, field) === value);
}

/** Lines of one balance, asset and source: their terms add up. */
function grouped(lines: readonly MovementLine[]): (readonly [MovementLine, ...MovementLine[]])[] {
  const groups = new Map<string, [MovementLine, ...MovementLine[]]>();
  for (const line of lines) {
    const key = JSON.stringify([line.balance, line.asset, line.shownBy]);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [line]);
    else group.push(line);
  }
  return [...groups.values()];
}

type Effect = { delta: string | null } | { why: string };

function effectOf(group: readonly MovementLine[], { fields }: MovementRecord): Effect {
  if (group.some(({ effect }) => effect === null)) return { delta: null };
  let delta = '0';
  for (const [field, times] of weights(group.flatMap(({ effect }) => effect ?? []))) {
    const amount = amountAt(fields, field);
    if (amount === undefined) return { why: `${field} is not shown, or is no amount` };
    for (let n = 0; n < Math.abs(times); n++) {
      delta = times > 0 ? addAmounts(delta, amount) : subtractAmounts(delta, amount);
    }
  }
  return { delta };
}

/** How often each field counts; those that cancel out need not be known. */
function weights(terms: readonly string[]): [string, number][] {
  const counted = new Map<string, number>();
  for (const term of terms) {
    const field = term.slice(1);
    counted.set(field, (counted.get(field) ?? 0) + (term.startsWith('-') ? -1 : 1));
  }
  return [...counted].filter(([, times]) => times !== 0);
}

/** A fee of null is none (2.4, 4.6). Undefined: it is not known. */
function amountAt(fields: JsonObject, field: string): string | undefined {
  const value = valueAt(fields, field);
  if (value === null && /fee/i.test(field)) return '0';
  return isSignedAmount(value) ? value : undefined;
}

function valueAt(fields: JsonObject, path: string): Json | undefined {
  return path
    .split('.')
    .reduce<Json | undefined>((value, key) => (isJsonObject(value) ? value[key] : undefined), fields);
}

interface Moved {
  operation: MovementOperation;
  group: readonly [MovementLine, ...MovementLine[]];
  record: MovementRecord;
  delta: string | null;
}

function add(result: MovementsOfRecord, { operation, group: [line], record, delta }: Moved): void {
  const balance = balanceOf(line, record);
  const assetCode = textField(record.fields, line.asset);
  if (balance === null) {
    result.unclear.push({ operation, why: 'accountId is not shown' });
  } else if (line.shownBy === 'nothing') {
    result.unobservable.push({ balance, assetCode, delta, operation, at: timeOf(line, record) });
  } else if (delta === null || assetCode === null) {
    const why = delta === null ? 'the amount is not shown' : `${line.asset} is not shown`;
    result.unclear.push({ operation, why });
  } else {
    result.movements.push({
      balance,
      assetCode,
      delta,
      operation,
      at: timeOf(line, record),
      shownBy: line.shownBy,
    });
  }
}

function balanceOf({ balance }: MovementLine, { fields }: MovementRecord): BalanceRef | null {
  if (balance === 'operating') return { owner: 'operating' };
  const id = textField(fields, 'accountId');
  return id === null ? null : { owner: 'account', id };
}

function timeOf({ time, states }: MovementLine, { fields }: MovementRecord): string | null {
  if (time !== 'statusHistory') return time === null ? null : textField(fields, time);
  const entries = fields['statusHistory'];
  if ('any' in states || !Array.isArray(entries)) return null;
  const first = entries.filter(isJsonObject).find((entry) => isAmong(textField(entry, 'status'), states));
  return first === undefined ? null : textField(first, 'timestamp');
}
