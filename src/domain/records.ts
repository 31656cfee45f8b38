import { isJsonObject, type Json, type JsonObject } from './json.js';
import { isAmount, isSignedAmount, isTotal } from './money.js';
import type { Axis, RecordKind } from './record-kinds.js';
import { recordRules } from './record-rules.js';

export type { Axis, Column, EntityKind, EntityRef, RecordKind, RecordRules } from './record-kinds.js';
export { recordRules } from './record-rules.js';

export const recordKinds = Object.keys(recordRules) as readonly RecordKind[];

/** The state that the fields name on an axis; null where they name none. */
export function stateOn(axis: Axis, fields: JsonObject): string | null {
  return textField(fields, axis.field);
}

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
  const { main, vanishing } = recordRules[kind];
  if (typeof vanishing === 'string') return vanishing === 'quiet';
  return vanishing.quietIn.includes(stateOn(main, fields) ?? '');
}

/**
 * Amounts that are given and are not decimal strings of the allowed length (specification section 8): a JSON number
 * above all. `path` is a JSON pointer into the record.
 */
export function amountViolations(kind: RecordKind, fields: JsonObject): { path: string; given: string }[] {
  const { amounts, signedAmounts, totals, nestedAmounts } = recordRules[kind];
  const found = [
    ...violationsOf(amounts, fields, '', isAmount),
    ...violationsOf(signedAmounts, fields, '', isSignedAmount),
    ...violationsOf(totals, fields, '', isTotal),
  ];
  for (const [list, names] of Object.entries(nestedAmounts)) {
    const items = Object.hasOwn(fields, list) ? fields[list] : null;
    if (!Array.isArray(items)) continue;
    for (const [index, item] of items.entries()) {
      if (isJsonObject(item)) found.push(...violationsOf(names, item, `/${list}/${index}`, isAmount));
    }
  }
  return found;
}

/** The field where it holds a string; null where it is absent, null or anything else. */
export function textField(fields: JsonObject, name: string): string | null {
  const value = Object.hasOwn(fields, name) ? fields[name] : null;
  return typeof value === 'string' ? value : null;
}

function violationsOf(
  names: readonly string[],
  fields: JsonObject,
  at: string,
  isRight: (value: Json) => boolean,
): { path: string; given: string }[] {
  const found: { path: string; given: string }[] = [];
  for (const name of names) {
    const value = Object.hasOwn(fields, name) ? fields[name] : null;
    if (value === null || value === undefined || isRight(value)) continue;
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
