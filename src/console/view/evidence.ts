import { isLosslessNumber } from 'lossless-json';
import { canonicalJson } from '../../domain/canonical-json.js';
import { words } from '../../domain/in-words.js';
import { isJsonObject, type Json, type JsonObject, toJsonText } from '../../domain/json.js';
import type { EntityKind } from '../../domain/records.js';
import { entityHref } from './links.js';
import { sourceLink } from './record-words.js';
import { code, factsPanel, type Section, table } from './sections.js';
import { badge, id, list, none, stack, text, type Value } from './values.js';

/** The evidence of a break, field by field: ours, theirs, where each is known from, and what else is said. */
export function evidenceSections(evidence: Json): Section[] {
  if (!isJsonObject(evidence)) return [code('Evidence', toJsonText(evidence))];
  const { ours: givenOurs = null, theirs: givenTheirs = null, ...rest } = evidence;
  const [ours, theirs] = [sideOf(givenOurs), sideOf(givenTheirs)];
  const fields = [...new Set([...Object.keys(ours), ...Object.keys(theirs)])].filter((name) => name !== 'source');
  const common = rest['source'] ?? null;
  const single = Object.entries(rest).filter((entry): entry is [string, FieldSides] => isSides(entry[1]));
  const rows: EvidenceRow[] = [
    ...fields.map((name) => rowOf(name, ours[name], theirs[name])),
    ...single.map(([name, one]) => rowOf(name, one['ours'], one['theirs'], one['source'])),
  ];
  if (fields.length > 0)
    rows.push({
      name: 'known from',
      ours: sourceValue(ours['source'] ?? null),
      theirs: sourceValue(theirs['source'] ?? common),
      differs: false,
    });
  const sides = table(rows, {
    caption: 'Evidence, field by field',
    columns: [
      ['Field', ({ name }) => text(name)],
      ['Ours', (row) => row.ours],
      ['Theirs', (row) => row.theirs],
      ['', ({ differs }) => (differs ? badge('differs', 'warn') : none(''))],
    ],
  });
  const besides = Object.entries(rest)
    .filter(([name, value]) => name !== 'source' && !isSides(value))
    .map(([name, value]) => [name, fieldValue(name, value)] as const);
  return [
    ...(rows.length === 0 ? [] : [sides]),
    ...(besides.length === 0 ? [] : [factsPanel(rows.length === 0 ? 'Evidence' : 'Besides', besides)]),
  ];
}

interface EvidenceRow {
  name: string;
  ours: Value;
  theirs: Value;
  differs: boolean;
}

/** Both sides of one field, as `finding` says them. */
type FieldSides = JsonObject & Record<'ours' | 'theirs', Json>;

function isSides(value: Json | undefined): value is FieldSides {
  return isJsonObject(value) && 'ours' in value && 'theirs' in value;
}

/** Marked where both sides say something, and not the same. */
function rowOf(name: string, ours: Json = null, theirs: Json = null, source: Json = null): EvidenceRow {
  const [own, other] = [fieldValue(name, ours), fieldValue(name, theirs)];
  const isSaid = ours !== null && theirs !== null;
  return {
    name,
    ours: own,
    theirs: source === null ? other : stack([other, sourceValue(source)]),
    differs: isSaid && canonicalJson(ours) !== canonicalJson(theirs),
  };
}

/** A side that is one value and not an object has no names of its own. */
function sideOf(given: Json): JsonObject {
  if (isJsonObject(given)) return given;
  return given === null ? {} : { value: given };
}

/** Fields that name another record. */
const named: Readonly<Record<string, EntityKind>> = {
  eventId: 'event',
  eventIds: 'event',
  paymentIntentId: 'payment_intent',
  paymentIntentIds: 'payment_intent',
  paymentIntents: 'payment_intent',
  intentId: 'payment_intent',
  invoiceId: 'invoice',
  payoutId: 'payout',
  payinId: 'payin',
  accountId: 'account',
  assetCode: 'balance',
  endpointId: 'endpoint',
  deliveryId: 'delivery',
  merchantReference: 'order',
  reference: 'order',
  similarReferences: 'order',
};

function fieldValue(name: string, value: Json | undefined): Value {
  if (value === undefined || value === null || value === '') return none();
  if (Array.isArray(value)) {
    const values = value.map((item) => fieldValue(name, item));
    return list(values, 'none');
  }
  const kind = named[name];
  if (kind !== undefined && typeof value === 'string') return id(value, entityHref(kind, value));
  if (typeof value === 'string') return text(value);
  if (typeof value === 'boolean') return text(value ? 'yes' : 'no');
  if (isLosslessNumber(value) || typeof value === 'number') return text(String(value));
  const inner = Object.entries(value).map(([key, one]) => `${key}: ${plain(one ?? null)}`);
  return list(inner.map((line) => text(line)));
}

function plain(value: Json): string {
  return typeof value === 'string' ? value : toJsonText(value);
}

function sourceValue(source: Json): Value {
  if (!isJsonObject(source)) return none();
  const { type = null, ref = null } = source;
  const [kind, own] = [typeof type === 'string' ? type : null, typeof ref === 'string' ? ref : null];
  if (kind === null) return none();
  if (own === null) return text(words(kind));
  return sourceLink({ type: kind, ref: own }) ?? text(`${words(kind)} ${own}`);
}
