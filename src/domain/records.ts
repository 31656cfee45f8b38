import { isJsonObject, type JsonObject } from './json.js';
import { isAmount } from './money.js';

/**
 * The kinds of record that Tallyhook keeps, and what is known of each: the order of its states, its amounts,
 * the columns it is searched by. Specification sections 2 and 3. A new kind is one entry of `recordRules`.
 */
export type RecordKind = 'payment_intent' | 'payin';

/** What a break or a change can be about (interface: "Shapes outside programs rely on"). */
export type EntityKind =
  | RecordKind
  | 'invoice'
  | 'payout'
  | 'account'
  | 'transaction'
  | 'balance'
  | 'delivery'
  | 'endpoint'
  | 'order'
  | 'secret'
  | 'event';

export interface EntityRef {
  kind: EntityKind;
  id: string;
}

/**
 * One state machine of a record: the field that holds its state, and how far on each listed state stands.
 * States of equal rank do not follow one another. `unlisted` is the rank of a state that the specification does not
 * list; null: it stands nowhere, so it neither advances a record nor is advanced from.
 */
export interface Axis {
  field: string;
  ranks: ReadonlyMap<string, number>;
  unlisted: number | null;
}

/** A second state machine beside the main one, and the fields that move with it and with it alone. */
interface SideAxis extends Axis {
  travels: readonly string[];
}

export interface Column {
  name: string;
  field: string;
  type: 'text' | 'amount' | 'time';
}

export interface RecordRules {
  main: Axis;
  side: SideAxis | null;
  /** Decimal-string fields. */
  amounts: readonly string[];
  /** Decimal-string fields of the objects in an array field. */
  nestedAmounts: Readonly<Record<string, readonly string[]>>;
  /** Fields that some views of the record lack: the newest value claimed stands in where a reading has no such key. */
  kept: readonly string[];
  /** Fields that hold goods back: a newer claim that says otherwise takes `verified` from the reading until the next. */
  decisive: readonly string[];
  columns: readonly Column[];
}

/** The fields that a dispute moves (specification 2.1): they travel with `irregularStatus`. */
const disputeFields = [
  'irregularStatus',
  'irregularActionBy',
  'irregularActionAt',
  'irregularRefundPayoutId',
  'amountInRange',
  'amountRejected',
  'amountToRefund',
  'feeAmountOnRange',
  'feeAmountOnRejected',
] as const;

const payinAmounts = ['amountGross', 'amountNet', 'feeAmount'] as const;

export const recordRules: Readonly<Record<RecordKind, RecordRules>> = {
  payment_intent: {
    main: {
      field: 'status',
      ranks: ranked(
        ['waiting_address_selection'],
        ['pending'],
        ['confirming'],
        ['unmatched', 'expired', 'cancelled'],
        ['completed'],
      ),
      unlisted: null,
    },
    side: {
      field: 'irregularStatus',
      ranks: ranked(['none'], ['pending_decision'], ['encashed', 'refunded']),
      unlisted: null,
      travels: disputeFields,
    },
    amounts: [
      'amountRequested',
      'amountCryptoExpected',
      'totalAmountReceived',
      'amountNetMerchant',
      'feeAmountTotal',
      'amountInRange',
      'amountRejected',
      'amountToRefund',
      'feeAmountOnRange',
      'feeAmountOnRejected',
      'amountToSend',
    ],
    nestedAmounts: { payins: payinAmounts },
    kept: ['metadata', 'depositAddress', 'memo', 'memoType', 'amountToSend', 'expiryHours'],
    decisive: ['irregularStatus'],
    columns: [
      { name: 'status', field: 'status', type: 'text' },
      { name: 'irregular_status', field: 'irregularStatus', type: 'text' },
      { name: 'merchant_reference', field: 'merchantReference', type: 'text' },
      { name: 'invoice_id', field: 'invoiceId', type: 'text' },
      { name: 'product_id', field: 'productId', type: 'text' },
      { name: 'currency_requested', field: 'currencyRequested', type: 'text' },
      { name: 'amount_requested', field: 'amountRequested', type: 'amount' },
      { name: 'created_at', field: 'createdAt', type: 'time' },
    ],
  },
  payin: {
    main: {
      field: 'status',
      // Rank 2 is left to the states that the specification implies without naming them (3.5).
      ranks: new Map([
        ['pending', 0],
        ['confirming', 1],
        ['confirmed', 3],
        ['unmatched', 3],
      ]),
      unlisted: 2,
    },
    side: null,
    amounts: [...payinAmounts, 'kytRiskScore'],
    nestedAmounts: {},
    kept: [],
    decisive: ['kytStatus'],
    columns: [
      { name: 'payment_intent_id', field: 'paymentIntentId', type: 'text' },
      { name: 'status', field: 'status', type: 'text' },
      { name: 'kyt_status', field: 'kytStatus', type: 'text' },
      { name: 'asset_code', field: 'assetCode', type: 'text' },
      { name: 'created_at', field: 'createdAt', type: 'time' },
    ],
  },
};

export const recordKinds = Object.keys(recordRules) as readonly RecordKind[];

/** The state that the fields name on an axis; null where they name none. */
export function stateOn(axis: Axis, fields: JsonObject): string | null {
  return textField(fields, axis.field);
}

/** How far on a state stands: −1 where there is none yet, null where it can't be compared. */
export function rankOn(axis: Axis, state: string | null): number | null {
  return state === null ? -1 : (axis.ranks.get(state) ?? axis.unlisted);
}

/** States of the record, on any axis, that the specification does not list: each is worth one low break per value. */
export function unlistedStates(kind: RecordKind, fields: JsonObject): { field: string; value: string }[] {
  const { main, side } = recordRules[kind];
  return [main, side].flatMap((axis) => {
    const value = axis === null ? null : stateOn(axis, fields);
    return axis === null || value === null || axis.ranks.has(value) ? [] : [{ field: axis.field, value }];
  });
}

/**
 * Amounts that are given and are not decimal strings of the allowed length (specification section 8): a JSON number
 * above all. `path` is a JSON pointer into the record.
 */
export function amountViolations(kind: RecordKind, fields: JsonObject): { path: string; given: string }[] {
  const { amounts, nestedAmounts } = recordRules[kind];
  const found = violationsOf(amounts, fields, '');
  for (const [list, names] of Object.entries(nestedAmounts)) {
    const items = Object.hasOwn(fields, list) ? fields[list] : null;
    if (!Array.isArray(items)) continue;
    for (const [index, item] of items.entries()) {
      if (isJsonObject(item)) found.push(...violationsOf(names, item, `/${list}/${index}`));
    }
  }
  return found;
}

/** The field where it holds a string; null where it is absent, null or anything else. */
export function textField(fields: JsonObject, name: string): string | null {
  const value = Object.hasOwn(fields, name) ? fields[name] : null;
  return typeof value === 'string' ? value : null;
}

function violationsOf(names: readonly string[], fields: JsonObject, at: string): { path: string; given: string }[] {
  return names.flatMap((name) => {
    const value = Object.hasOwn(fields, name) ? fields[name] : null;
    if (value === null || value === undefined || isAmount(value)) return [];
    return [{ path: `${at}/${name}`, given: describe(value) }];
  });
}

function describe(value: NonNullable<JsonObject[string]>): string {
  if (typeof value === 'string') return `the string ${JSON.stringify(value.slice(0, 60))}`;
  if (typeof value === 'boolean') return `the boolean ${value}`;
  if (Array.isArray(value)) return 'an array';
  return isJsonObject(value) ? 'an object' : `the number ${value.toString().slice(0, 60)}`;
}

function ranked(...steps: string[][]): ReadonlyMap<string, number> {
  return new Map(steps.flatMap((states, rank) => states.map((state) => [state, rank] as const)));
}
