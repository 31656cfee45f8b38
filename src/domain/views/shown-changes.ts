import { counted, words } from '../in-words.js';
import { isJsonObject, type Json, type JsonObject, toJsonText } from '../json.js';
import type { Change } from './proof-shapes.js';

/** Of a record seen for the first time these say the most. */
const NOTABLE = [
  'status',
  'irregularStatus',
  'amountRequested',
  'currencyRequested',
  'totalAmountReceived',
  'amount',
  'amountGross',
  'assetCode',
  'kytStatus',
];

/** What one source made of one record at once. `said`: it is new here, or was only reported before. */
export interface Step<One extends Change> {
  first: One;
  said: 'first seen' | 'first shown' | null;
  /** Those of its changes that say something. */
  changes: One[];
}

/** What changed of a field, in the shortest form. `from` null: nothing was there. */
export interface ShownChange {
  field: string;
  from: Json;
  to: Json;
}

/** Changes, oldest first, as steps: those that one source made of one record at once are one step. */
export function stepsOf<One extends Change>(timeline: readonly One[]): Step<One>[] {
  const groups: [One, ...One[]][] = [];
  for (const one of timeline) {
    const last = groups.at(-1);
    if (last !== undefined && keyOf(last[0]) === keyOf(one)) last.push(one);
    else groups.push([one]);
  }
  return groups.map((changes) => {
    const [first] = changes;
    if (changes.some(({ field }) => field === '*')) return { first, said: 'first seen', changes };
    // Webhooks reported the record before: what the service shows of it now is as much as of one that is new.
    if (first.entity.kind === 'order' || !changes.some(isFirstShown)) return { first, said: null, changes };
    const most = changes.filter(({ field, from }) => from !== null || NOTABLE.includes(field));
    return { first, said: 'first shown', changes: most };
  });
}

function keyOf({ entity, source, changedAt }: Change): string {
  return [entity.kind, entity.id, source.type, source.ref, changedAt].join('\n');
}

const isFirstShown = ({ field, from, to }: Change): boolean => field === 'id' && from === null && to !== null;

/** Of a whole record what says the most, of a list its length, of an object those of its fields that changed: the records themselves have the rest. */
export function shownChanges({ field, from, to }: Pick<Change, 'field' | 'from' | 'to'>): ShownChange[] {
  if (field === '*') return isJsonObject(to) ? ofNew(to, notable(to)) : [];
  if (isJsonObject(from) && isJsonObject(to) && !('safe' in to)) {
    const names = Object.keys(to).filter((name) => toJsonText(from[name] ?? null) !== toJsonText(to[name] ?? null));
    return names.map((name) => ({ field: `${field}.${name}`, from: from[name] ?? null, to: to[name] ?? null }));
  }
  return field === 'reported' ? reportedChange(from, to) : [{ field, from, to }];
}

/** Reports begin, or end: the service shows what they said. Of the first report what says the most. */
function reportedChange(from: Json, to: Json): ShownChange[] {
  if (!isJsonObject(to)) return [{ field: 'reported', from: isJsonObject(from) ? 'something' : null, to: null }];
  const most = notable(to);
  return ofNew(to, most.length > 0 ? most : Object.keys(to), 'reported.');
}

function ofNew(fields: JsonObject, names: readonly string[], before = ''): ShownChange[] {
  return names.map((name) => ({ field: `${before}${name}`, from: null, to: fields[name] ?? null }));
}

const notable = (fields: JsonObject): string[] => NOTABLE.filter((name) => (fields[name] ?? null) !== null);

/** A value of a change in words, cut behind so many characters. */
export function shownValue(value: Json, longest = 120): string {
  if (value === null) return 'nothing';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (Array.isArray(value)) return counted(value.length, 'entry', 'entries');
  if (isJsonObject(value) && typeof value['safe'] === 'boolean') {
    const { safe, reason } = value;
    return safe ? 'safe to release' : `hold: ${typeof reason === 'string' ? words(reason) : 'no reason given'}`;
  }
  const shown = typeof value === 'string' ? value : toJsonText(value);
  return shown.length > longest ? `${shown.slice(0, longest)}…` : shown;
}
