import { isJsonObject, type Json, type JsonObject, toJsonText } from '../../domain/json.js';
import { fieldOf, type RecordKind, unitField } from '../../domain/kinds/kinds.js';
import { entityHref } from './links.js';
import { stateBadge } from './record-words.js';
import { amount, badge, id, link, list, none, text, time, type Value } from './values.js';

export function isAmountField(kind: RecordKind, field: string): boolean {
  const type = fieldOf(kind, field)?.type;
  return type === 'amount' || type === 'signed' || type === 'total';
}

/** A field as it is read: amounts with their unit, times, what can be followed, what is copied. */
export function fieldValue(kind: RecordKind, fields: JsonObject, field: string): Value {
  const value = fields[field] ?? null;
  if (value === null || value === '') return none();
  if (isAmountField(kind, field)) return amount(asText(value), unit(kind, fields, field));
  if (kind === 'endpoint' && field === 'isActive' && fields['absentSince'] != null) return none('gone');
  if (kind === 'endpoint' && field === 'isActive')
    return value === true ? badge('active', 'good') : badge('switched off', 'bad');
  if (typeof value === 'boolean') return text(value ? 'yes' : 'no');
  if (Array.isArray(value)) return list(value.map((item) => text(asText(item))));
  const shown = asText(value);
  const known = fieldOf(kind, field);
  if (known?.type === 'state') return stateBadge(field, shown);
  if (field.endsWith('At')) return time(shown);
  if (known?.type === 'text' && known.link !== undefined) return id(shown, entityHref(known.link, shown));
  // The service's word leads nowhere but to the web.
  if (field === 'txUrl' && /^https:\/\/[^\s]{1,2000}$/.test(shown)) return link('in the block explorer', shown);
  return known?.copied === true ? id(shown) : text(shown);
}

/** Too much for a line: shown by itself, below. */
export function isDeep(value: Json): boolean {
  if (Array.isArray(value)) return value.some((item) => typeof item === 'object' && item !== null);
  return isJsonObject(value);
}

/** `amountNetMerchant` as `Amount net merchant`, unless its definition has a label. */
export function fieldLabel(kind: RecordKind, field: string): string {
  if (field === 'id') return 'ID';
  const label = fieldOf(kind, field)?.label;
  if (label !== undefined) return label;
  const parted = field
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replace(/ Id$/, '')
    .toLowerCase();
  return parted.charAt(0).toUpperCase() + parted.slice(1);
}

function unit(kind: RecordKind, fields: JsonObject, field: string): string | null {
  const known = fieldOf(kind, field);
  const named = unitField(known);
  const own = named === null ? known !== null && 'unit' in known && known.unit : fields[named];
  return typeof own === 'string' ? own : null;
}

const asText = (value: Json): string => (typeof value === 'string' ? value : toJsonText(value));
