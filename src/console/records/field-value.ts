import { isJsonObject, type Json, type JsonObject } from '../../domain/json.js';
import { toJsonText } from '../../domain/json-text.js';
import { type RecordKind, recordRules } from '../../domain/records.js';
import { inPath, orderHref } from '../view/links.js';
import { stateBadge } from '../view/record-words.js';
import { amount, badge, id, link, list, none, text, time, type Value } from '../view/values.js';

/** Fields that hold the id of another record. */
const namedAt: ReadonlyMap<string, string> = new Map([
  ['paymentIntentId', '/payments'],
  ['invoiceId', '/invoices'],
  ['productId', '/products'],
  ['irregularRefundPayoutId', '/payouts'],
  ['accountId', '/accounts'],
]);
/** Copied rather than read. */
const copied: ReadonlySet<string> = new Set([
  'txid',
  'depositAddress',
  'senderAddress',
  'destinationAddress',
  'memo',
  'destinationMemo',
  'paymentLink',
  'externalRef',
  'settlementPaymentMethodId',
  'receptionAddress',
  'url',
]);

/** Amounts that are not in `assetCode`: the field that names the unit, or the unit itself. */
const unitOf: Readonly<Partial<Record<RecordKind, Readonly<Record<string, { field: string } | string | null>>>>> = {
  payment_intent: { amountRequested: { field: 'currencyRequested' } },
  payin: { kytRiskScore: null },
  invoice: { amount: { field: 'currency' } },
  payout: { networkFeeAmount: { field: 'networkFeeAssetCode' }, networkFeeUsdEquivalent: 'USD' },
  product: { amount: { field: 'currency' } },
};

export function isAmountField(kind: RecordKind, field: string): boolean {
  const { amounts, signedAmounts, totals } = recordRules[kind];
  return [...amounts, ...signedAmounts, ...totals].includes(field);
}

/** A field as it is read: amounts with their unit, times, what can be followed, what is copied. */
export function fieldValue(kind: RecordKind, fields: JsonObject, field: string): Value {
  const value = fields[field] ?? null;
  if (value === null || value === '') return none();
  if (isAmountField(kind, field)) return amount(asText(value), unit(kind, fields, field));
  if (kind === 'endpoint' && field === 'isActive')
    return value === true ? badge('active', 'good') : badge('switched off', 'bad');
  if (typeof value === 'boolean') return text(value ? 'yes' : 'no');
  if (Array.isArray(value)) return list(value.map((item) => text(asText(item))));
  const told = asText(value);
  if (field === 'status' || field === 'irregularStatus' || field === 'kytStatus') return stateBadge(field, told);
  if (field.endsWith('At')) return time(told);
  if (field === 'merchantReference' && kind !== 'payout') return id(told, orderHref(told));
  const path = namedAt.get(field);
  if (path !== undefined) return id(told, `${path}/${inPath(told)}`);
  if (field === 'txUrl' && isWebAddress(told)) return link('in the block explorer', told);
  return copied.has(field) ? id(told) : text(told);
}

/** Too much for a line: told by itself, below. */
export function isDeep(value: Json): boolean {
  if (Array.isArray(value)) return value.some((item) => typeof item === 'object' && item !== null);
  return isJsonObject(value);
}

const labels: ReadonlyMap<string, string> = new Map([
  ['id', 'ID'],
  ['txid', 'Transaction hash'],
  ['txUrl', 'Transaction'],
  ['kytStatus', 'Screening (KYT)'],
  ['kytRiskScore', 'Risk score'],
  ['irregularStatus', 'Dispute'],
  ['amountGross', 'Gross'],
  ['amountNet', 'Net'],
  ['totalAmountReceived', 'Received'],
  ['amountRequested', 'Requested'],
  ['url', 'URL'],
  ['isActive', 'Active'],
  ['isDefault', 'Default'],
  ['isMatured', 'Matured'],
]);

/** `amountNetMerchant` as `Amount net merchant`. */
export function fieldLabel(field: string): string {
  const own = labels.get(field);
  if (own !== undefined) return own;
  const parted = field
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replace(/ Id$/, '')
    .toLowerCase();
  return parted.charAt(0).toUpperCase() + parted.slice(1);
}

function unit(kind: RecordKind, fields: JsonObject, field: string): string | null {
  const units = unitOf[kind] ?? {};
  const known = Object.hasOwn(units, field) ? units[field] : undefined;
  if (known === null || typeof known === 'string') return known;
  const named = fields[known?.field ?? 'assetCode'];
  return typeof named === 'string' ? named : null;
}

function asText(value: Json): string {
  return typeof value === 'string' ? value : toJsonText(value);
}

/** The service's word leads nowhere but to the web. */
function isWebAddress(told: string): boolean {
  return /^https:\/\/[^\s]{1,2000}$/.test(told);
}
