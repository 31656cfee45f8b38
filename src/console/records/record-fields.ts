import { stringify } from 'lossless-json';
import { isJsonObject, type Json, type JsonObject } from '../../domain/json.js';
import { isHidden } from '../../domain/personal.js';
import { textField } from '../../domain/records.js';
import { fieldLabel, fieldValue, isDeep } from '../view/field-value.js';
import {
  code,
  type Facts,
  facts,
  factsPanel,
  panel,
  type Section,
  type TableSection,
  table,
} from '../view/sections.js';
import { text, time, type Value } from '../view/values.js';
import type { Sheet } from './sheet.js';

/** Ours, not the service's; shown in a panel of their own. */
const ours: ReadonlySet<string> = new Set([
  'id',
  'status',
  'verified',
  'doubted',
  'reported',
  'verifiedAt',
  'observedAt',
  'observedBy',
  'absentSince',
]);

/** The fields of a record, together as they are read together; those that no group names come in a last one. */
export function fieldGroups(sheet: Sheet, fields: JsonObject, knowsPeople: boolean): Section[] {
  const named = new Set(sheet.groups.flatMap((group) => group.fields));
  const rest = Object.keys(fields).filter(
    (name) => !named.has(name) && !ours.has(name) && !isShownApart(fields[name] ?? null, name),
  );
  const groups = [...sheet.groups, { title: 'Other fields', fields: rest }];
  const panels = groups.flatMap(({ title, fields: names }) => {
    const shown = names.filter((name) => Object.hasOwn(fields, name) && !isDeep(fields[name] ?? null));
    if (shown.length === 0) return [];
    const isSmall = shown.length <= SMALL;
    const isMasked = !knowsPeople && names.some((name) => isHidden(sheet.kind, name));
    const known: Facts = shown.map((name) => [fieldLabel(sheet.kind, name), fieldValue(sheet.kind, fields, name)]);
    const hint = isMasked ? 'Personal data is masked for the role viewer.' : undefined;
    return [{ isSmall, panel: factsPanel(title, known, hint) }];
  });
  const sections: Section[] = [];
  for (let place = 0; place < panels.length; place += 1) {
    const [one, next] = panels.slice(place);
    if (one?.isSmall && next?.isSmall) {
      sections.push({ is: 'columns', columns: [[one.panel], [next.panel]] });
      place += 1;
    } else if (one !== undefined) sections.push(one.panel);
  }
  return sections;
}

/** Panels of so few fields, one after the other, stand beside each other. */
const SMALL = 2;

/** What is shown by itself: the history of states as a table, whatever else is deep as it came. */
export function deepFields({ kind, related }: Sheet, fields: JsonObject): Section[] {
  const drawn = new Set(related.flatMap(({ named }) => named ?? []));
  return Object.keys(fields).flatMap((name): Section[] => {
    const value = fields[name] ?? null;
    if (ours.has(name) || drawn.has(name) || !isDeep(value)) return [];
    if (name === 'statusHistory' && Array.isArray(value)) return [historyTable(value)];
    if (isJsonObject(value) && Object.keys(value).length === 0) return [];
    return [code(fieldLabel(kind, name), stringify(value, null, 2) ?? '')];
  });
}

const TIMES = ['timestamp', 'createdAt', 'at', 'changedAt', 'date', 'time'];
const STATES = ['status', 'to', 'state'];

/** The specification does not show the names of an entry's fields: whatever is no time and no state is shown as it is. */
function historyTable(entries: readonly Json[]): TableSection {
  const rows = entries.map((entry) => {
    if (!isJsonObject(entry)) return { time: null, state: null, more: stringify(entry) ?? '' };
    const textOf = (names: readonly string[]) => names.find((name) => typeof entry[name] === 'string');
    const shown = [textOf(TIMES), textOf(STATES)];
    const [at, state] = shown.map((name) => (name === undefined ? null : textField(entry, name)));
    const more = Object.entries(entry)
      .filter(([name, value]) => !shown.includes(name) && value !== null)
      .map(([name, value]) => `${name}: ${typeof value === 'string' ? value : (stringify(value) ?? '')}`);
    return { time: at, state, more: more.length === 0 ? null : more.join(', ') };
  });
  return table(rows, {
    caption: 'States, as the service shows them',
    columns: [
      ['When', (row) => time(row.time)],
      ['State', ({ state }) => text(state)],
      ['More', ({ more }) => text(more)],
    ],
    empty: ['No history', 'The service shows none.'],
  });
}

/** An empty list says nothing by itself. */
function isShownApart(value: Json, name: string): boolean {
  return (
    isDeep(value) || (Array.isArray(value) && value.length === 0 && (name === 'payins' || name === 'statusHistory'))
  );
}

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
  const codes = deep.map((name) => code(fieldLabel(kind, name), stringify(reported[name], null, 2) ?? ''));
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
