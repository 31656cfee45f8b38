import { isLosslessNumber } from 'lossless-json';
import { type EvidenceField, evidenceSides } from '../../domain/breaks/evidence-sides.js';
import { words } from '../../domain/in-words.js';
import { isJsonObject, type Json, type JsonObject, toJsonText } from '../../domain/json.js';
import { isSignedAmount } from '../../domain/money.js';
import type { EntityKind, RecordKind } from '../../domain/records.js';
import { fieldLabel, fieldValue as recordField } from './field-value.js';
import { entityHref } from './links.js';
import { sourceLink } from './record-words.js';
import { code, factsPanel, type Section, table } from './sections.js';
import { amount, badge, id, line, list, none, quiet, stack, text, type Value } from './values.js';

/** The evidence of a break, field by field: ours, theirs, where each is known from, and what else is said. `asset`: of all its amounts. */
export function evidenceSections(evidence: Json, asset: string | null = null): Section[] {
  if (!isJsonObject(evidence)) return [code('Evidence', toJsonText(evidence))];
  const { fields, knownFrom, besides } = evidenceSides(evidence);
  const from: EvidenceRow[] =
    knownFrom === null ? [] : [{ name: 'known from', isSource: true, differs: false, ...knownFrom }];
  const valueOf = (name: string, said: Json): Value =>
    asset !== null && typeof said === 'string' && isSignedAmount(said) ? amount(said, asset) : fieldValue(name, said);
  const value = ({ name, isSource = false }: EvidenceRow, said: Json): Value =>
    isSource ? sourceValue(said) : valueOf(name, said);
  const sides = table([...fields, ...from], {
    caption: 'Evidence, field by field',
    columns: [
      ['Field', ({ name }) => text(name)],
      ['Ours', (row) => value(row, row.ours)],
      ['Theirs', (row) => stack([value(row, row.theirs), ...(row.source == null ? [] : [sourceValue(row.source)])])],
      ['', ({ differs }) => (differs ? badge('differs', 'warn') : none(''))],
    ],
  });
  const others = besides.map(([name, said]) => [name, valueOf(name, said)] as const);
  return [
    ...(fields.length === 0 ? [] : [sides]),
    ...(others.length === 0 ? [] : [factsPanel(fields.length === 0 ? 'Evidence' : 'Besides', others)]),
  ];
}

type EvidenceRow = Omit<EvidenceField, 'source'> & { source?: Json; isSource?: boolean };

/** Fields that name another record. */
const named: Readonly<Record<string, EntityKind>> = {
  eventId: 'event',
  eventIds: 'event',
  paymentIntentId: 'payment_intent',
  paymentIntentIds: 'payment_intent',
  paymentIntents: 'payment_intent',
  paymentIntent: 'payment_intent',
  intentId: 'payment_intent',
  invoiceId: 'invoice',
  payoutId: 'payout',
  payinId: 'payin',
  accountId: 'account',
  account: 'account',
  assetCode: 'balance',
  endpointId: 'endpoint',
  deliveryId: 'delivery',
  merchantReference: 'order',
  reference: 'order',
  similarReferences: 'order',
};

/** Fields that hold records. */
const holding: Readonly<Record<string, RecordKind>> = {
  payments: 'payment_intent',
  candidates: 'payment_intent',
  refunds: 'payout',
};

function fieldValue(name: string, value: Json | undefined): Value {
  if (value === undefined || value === null || value === '') return none();
  if (Array.isArray(value)) {
    const values = value.map((item) => fieldValue(name, item));
    return name in holding ? stack(values) : list(values, 'none');
  }
  const kind = named[name];
  if (kind !== undefined && typeof value === 'string') return id(value, entityHref(kind, value));
  if (typeof value === 'string') return text(value);
  if (typeof value === 'boolean') return text(value ? 'yes' : 'no');
  if (isLosslessNumber(value) || typeof value === 'number') return text(String(value));
  const held = holding[name];
  if (held !== undefined && isJsonObject(value)) return recordValue(held, value);
  return list(Object.entries(value).map(([key, one]) => line([text(`${key}: `), fieldValue(key, one)])));
}

/** One of the records that a field holds, as lists of its kind show it. */
function recordValue(kind: RecordKind, record: JsonObject): Value {
  const { id: own = null, ...fields } = record;
  const said = Object.keys(fields).map((field) =>
    line([
      quiet(`${fieldLabel(kind, field)}: `),
      field in named ? fieldValue(field, fields[field]) : recordField(kind, fields, field),
    ]),
  );
  return stack(typeof own === 'string' ? [id(own, entityHref(kind, own)), ...said] : said);
}

function sourceValue(source: Json): Value {
  if (!isJsonObject(source)) return none();
  const { type = null, ref = null } = source;
  const [kind, own] = [typeof type === 'string' ? type : null, typeof ref === 'string' ? ref : null];
  if (kind === null) return none();
  if (own === null) return text(words(kind));
  return sourceLink({ type: kind, ref: own }) ?? text(`${words(kind)} ${own}`);
}
