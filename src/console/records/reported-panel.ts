import { stringify } from 'lossless-json';
import { isJsonObject, type Json, type JsonObject } from '../../domain/json.js';
import { facts, panel } from '../view/pieces.js';
import type { Section } from '../view/sections.js';
import { text, type Value } from '../view/values.js';
import { fieldLabel, fieldValue, isDeep } from './field-value.js';
import type { Sheet } from './sheet.js';

/** What a signing secret is enough to write: apart from the record, without its colours, and nothing of it to be copied. */
export function reportedPanel({ kind }: Sheet, fields: JsonObject): Section[] {
  const { reported = null } = fields;
  if (!isJsonObject(reported)) return [];
  const names = Object.keys(reported).filter((name) => saysSomething(reported[name] ?? null, fields[name] ?? null));
  const deep = names.filter((name) => isDeep(reported[name] ?? null));
  // A report of an amount alone is in the unit that the record has.
  const units = { ...fields, ...reported };
  const known = names
    .filter((name) => !deep.includes(name))
    .map((name) => [fieldLabel(kind, name), plain(fieldValue(kind, units, name))] as const);
  const codes = deep.map((name): Section => {
    return { is: 'code', title: fieldLabel(kind, name), text: stringify(reported[name], null, 2) ?? '' };
  });
  const intro =
    'Webhooks say this, and the service’s own answers do not show it. Never pay to an address that stands here.';
  return [panel('Only reported', [...(known.length > 0 ? [facts(known)] : []), ...codes], { intro })];
}

/** That a record has nothing in a field is news only where it has something. */
function saysSomething(reported: Json, shown: Json): boolean {
  const isNothing = (value: Json): boolean => value === null || (Array.isArray(value) && value.length === 0);
  return !isNothing(reported) || !isNothing(shown);
}

function plain(value: Value): Value {
  if (value.is === 'badge') return text(value.text);
  return value.is === 'id' && value.href === undefined ? text(value.id) : value;
}
