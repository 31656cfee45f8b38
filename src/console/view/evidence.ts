import { isLosslessNumber } from 'lossless-json';
import { type EvidenceRecords, evidenceLabel, evidenceSides, unsaidWords } from '../../domain/breaks/evidence-sides.js';
import { capitalized, words } from '../../domain/in-words.js';
import { isJsonObject, type Json, type JsonObject, toJsonText } from '../../domain/json.js';
import { isSignedAmount } from '../../domain/money.js';
import type { EntityKind, RecordKind } from '../../domain/records.js';
import type { BreakView } from '../../domain/views/proof-shapes.js';
import { fieldLabel, fieldValue as recordField } from './field-value.js';
import { entityHref } from './links.js';
import { sourceLink } from './record-words.js';
import { type Column, code, factsPanel, type Section, table } from './sections.js';
import { amount, badge, id, line, list, none, quiet, stack, text, time, type Value } from './values.js';

/** The evidence of a break: both sides field by field, what each says alone, and what else is said. Amounts about a balance are of its asset. */
export function evidenceSections({ kind, entity }: Pick<BreakView, 'kind' | 'entity'>, evidence: Json): Section[] {
  if (!isJsonObject(evidence)) return [code('Evidence', toJsonText(evidence))];
  const { fields, alone, records, besides } = evidenceSides(kind, evidence);
  const valueOf = (name: string, said: Json): Value => {
    if (entity.kind === 'balance' && typeof said === 'string' && isSignedAmount(said)) return amount(said, entity.id);
    return name === 'firstSeen' && typeof said === 'string'
      ? id(said, entityHref(entity.kind, said))
      : fieldValue(name, said);
  };
  const sides = table(fields, {
    caption: 'Evidence, field by field',
    columns: [
      ['Field', ({ name }) => text(labelOf(name))],
      ['Ours', ({ names, ours }) => valueOf(names.ours, ours)],
      [
        'Theirs',
        ({ names, theirs, source }) =>
          stack([valueOf(names.theirs, theirs), ...(source === null ? [] : [sourceValue(source)])]),
      ],
      ['Compared', ({ differs }) => (differs ? badge('differs', 'warn') : none(''))],
    ],
  });
  const said = (title: string, own: JsonObject): Section[] => {
    const shown = Object.entries(own).map(([name, value]) => [labelOf(name), valueOf(name, value)] as const);
    return shown.length === 0 ? [] : [factsPanel(title, shown)];
  };
  const [ours, theirs] = [said('What we hold', alone.ours), said('What the service shows', alone.theirs)];
  const columns = [ours, theirs].filter((column) => column.length > 0);
  return [
    ...(fields.length === 0 ? [] : [sides]),
    ...(columns.length === 0 ? [] : [{ is: 'columns', columns } as const]),
    ...records.map(besideOneAnother),
    ...said(fields.length + columns.length + records.length === 0 ? 'Evidence' : 'Besides', besides),
  ];
}

function besideOneAnother({ name: held, ids, fields }: EvidenceRecords): Section {
  const kind = holding[held];
  const own: EvidenceRecords['fields'][number] = { name: 'id', values: ids, differs: false };
  const valueOf = (name: string, values: readonly Json[], n: number): Value => {
    const value = values[n] ?? null;
    if (kind === undefined || name in named) return fieldValue(name, value);
    if (name === 'id' && typeof value === 'string') return id(value, entityHref(kind, value));
    return recordField(kind, Object.fromEntries(fields.map((one) => [one.name, one.values[n] ?? null])), name);
  };
  return table([own, ...fields], {
    caption: `${labelOf(held)}, beside one another`,
    onPhone: 'records',
    columns: [
      ['Field', ({ name }) => text(kind === undefined ? labelOf(name) : fieldLabel(kind, name))],
      ...ids.map((_, n): Column<typeof own> => [`No. ${n + 1}`, ({ name, values }) => valueOf(name, values, n)]),
      ['Compared', ({ differs }) => (differs ? badge('differs', 'warn') : none(''))],
    ],
  });
}

const labelOf = (name: string): string => capitalized(evidenceLabel(name));

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
  delivery: 'delivery',
  earlierEvent: 'event',
  merchantReference: 'order',
  reference: 'order',
  similarReferences: 'order',
};

const holding: Readonly<Record<string, RecordKind>> = {
  payments: 'payment_intent',
  candidates: 'payment_intent',
  refunds: 'payout',
};

/** What is yes or no, where that is not the word for it. */
const yesOrNo: Readonly<Record<string, readonly [yes: string, no: string]>> = {
  held: ['here', 'not here'],
  listed: ['listed', 'not listed'],
};

/** Fields of ours that hold one of a few words. */
const worded: ReadonlySet<string> = new Set(['class', 'reason', 'refusal', 'verdict', 'said']);

const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?Z$/;

function fieldValue(name: string, value: Json | undefined): Value {
  if (value === undefined || value === null || value === '') return none(unsaidWords(name) ?? undefined);
  if (name === 'expected' && isJsonObject(value)) return expectedValue(value);
  if (name === 'source') return sourceValue(value);
  if (Array.isArray(value)) {
    const values = value.map((item) => fieldValue(name, item));
    return name in holding ? stack(values) : list(values, 'none');
  }
  const kind = named[name];
  if (kind !== undefined && typeof value === 'string') return id(value, entityHref(kind, value));
  if (typeof value === 'string' && INSTANT.test(value)) return time(value);
  if (typeof value === 'string') return text(worded.has(name) ? words(value) : value);
  if (typeof value === 'boolean') return text((yesOrNo[name] ?? ['yes', 'no'])[value ? 0 : 1]);
  if (isLosslessNumber(value) || typeof value === 'number') return text(String(value));
  const held = holding[name];
  if (held !== undefined && isJsonObject(value)) return recordValue(held, value);
  return list(
    Object.entries(value).map(([key, one]) => line([quiet(`${evidenceLabel(key)}: `), fieldValue(key, one)])),
  );
}

function expectedValue({ amount: of = null, currency = null }: JsonObject): Value {
  return typeof of === 'string' && typeof currency === 'string' ? amount(of, currency) : none();
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
  if (typeof source === 'string') return text(source);
  if (!isJsonObject(source)) return none();
  const { type = null, ref = null } = source;
  const [kind, own] = [typeof type === 'string' ? type : null, typeof ref === 'string' ? ref : null];
  if (kind === null) return none();
  if (own === null) return text(words(kind));
  return sourceLink({ type: kind, ref: own }) ?? text(`${words(kind)} ${own}`);
}
