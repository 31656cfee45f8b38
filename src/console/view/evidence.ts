import { isLosslessNumber } from 'lossless-json';
import { type EvidenceField, evidenceSides } from '../../domain/breaks/evidence-sides.js';
import { words } from '../../domain/in-words.js';
import { isJsonObject, type Json, toJsonText } from '../../domain/json.js';
import { isSignedAmount } from '../../domain/money.js';
import type { EntityKind } from '../../domain/records.js';
import { entityHref } from './links.js';
import { sourceLink } from './record-words.js';
import { code, factsPanel, type Section, table } from './sections.js';
import { amount, badge, id, list, none, stack, text, type Value } from './values.js';

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
