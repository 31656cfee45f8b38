import { stringify } from 'lossless-json';
import { isJsonObject, type Json, type JsonObject } from '../../domain/json.js';
import { isHidden } from '../../domain/personal.js';
import { textField } from '../../domain/records.js';
import type { Section, TableSection } from '../view/sections.js';
import { none, text, time, type Value } from '../view/values.js';
import { fieldLabel, fieldValue, isDeep } from './field-value.js';
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
  return groups.flatMap(({ title, fields: names }): Section[] => {
    const shown = names.filter((name) => Object.hasOwn(fields, name) && !isDeep(fields[name] ?? null));
    if (shown.length === 0) return [];
    const isMasked = !knowsPeople && names.some((name) => isHidden(sheet.kind, name));
    return [
      {
        is: 'panel',
        title,
        ...(isMasked ? { intro: 'Personal data is masked for the role viewer.' } : {}),
        sections: [
          {
            is: 'facts',
            facts: shown.map((name) => [fieldLabel(sheet.kind, name), fieldValue(sheet.kind, fields, name)]),
          },
        ],
      },
    ];
  });
}

/** What is shown by itself: the history of states as a table, whatever else is deep as it came. */
export function deepFields({ kind, related }: Sheet, fields: JsonObject): Section[] {
  const drawn = new Set(related.flatMap(({ named }) => named ?? []));
  return Object.keys(fields).flatMap((name): Section[] => {
    const value = fields[name] ?? null;
    if (ours.has(name) || drawn.has(name) || !isDeep(value)) return [];
    if (name === 'statusHistory' && Array.isArray(value)) return [historyTable(value)];
    if (isJsonObject(value) && Object.keys(value).length === 0) return [];
    return [{ is: 'code', title: fieldLabel(kind, name), text: stringify(value, null, 2) ?? '' }];
  });
}

const TIMES = ['timestamp', 'createdAt', 'at', 'changedAt', 'date', 'time'];
const STATES = ['status', 'to', 'state'];

/** The specification does not show the names of an entry's fields: whatever is no time and no state is shown as it is. */
function historyTable(entries: readonly Json[]): TableSection {
  const rows = entries.map((entry): Value[] => {
    if (!isJsonObject(entry)) return [none(), none(), text(stringify(entry) ?? '')];
    const timeName = TIMES.find((name) => typeof entry[name] === 'string');
    const stateName = STATES.find((name) => typeof entry[name] === 'string');
    const rest = Object.entries(entry).filter(
      ([name, value]) => name !== timeName && name !== stateName && value !== null,
    );
    const others = rest.map(
      ([name, value]) => `${name}: ${typeof value === 'string' ? value : (stringify(value) ?? '')}`,
    );
    return [
      timeName === undefined ? none() : time(textField(entry, timeName)),
      stateName === undefined ? none() : text(textField(entry, stateName) ?? ''),
      others.length === 0 ? none() : text(others.join(', ')),
    ];
  });
  return {
    is: 'table',
    caption: 'States, as the service shows them',
    showCaption: true,
    columns: [{ label: 'When' }, { label: 'State' }, { label: 'More' }],
    rows,
    empty: { title: 'No history', text: 'The service shows none.' },
  };
}

/** An empty list says nothing by itself. */
function isShownApart(value: Json, name: string): boolean {
  return (
    isDeep(value) || (Array.isArray(value) && value.length === 0 && (name === 'payins' || name === 'statusHistory'))
  );
}
