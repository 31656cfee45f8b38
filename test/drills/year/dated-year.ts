import type { JsonObject } from '../../../src/domain/json.js';
import { subtractAmounts } from '../../../src/domain/money.js';
import type { Observation } from '../../../src/domain/observation.js';
import { textField } from '../../../src/domain/records.js';
import { isLong } from '../../support/drill.js';
import { at, delivered, poll } from '../../support/observations.js';
import { paidIntent, payin, payout } from '../../support/records.js';

export const MONTHS = isLong ? 12 : 3;
export const PAYMENTS = isLong ? 1_667 : 24;
export const BEGIN = Date.UTC(2025, 0, 1);
export const DAY_MS = 86_400_000;
export const ASSETS = ['USDT.TRON', 'BTC', 'ETH'] as const;
const END = Date.UTC(2025, MONTHS, 1);

/** Something of the service: when it was done, and how its list shows it then. */
export interface Done {
  kind: 'payment_intent' | 'payin' | 'payout' | 'transaction';
  ms: number;
  fields: JsonObject;
  /** Of a dispute: the service dates it nowhere but in the delivery that it sends of it. */
  isOpening?: true;
}

/** A number of the year, the same each time; below `limit`. */
export const some = (n: number, salt: number, limit: number) =>
  (((n + 1) * 2_654_435_761 + salt * 40_503) % 4_294_967_291) % limit;
export const iso = (ms: number) => new Date(ms).toISOString();
const amount = (units: number) =>
  `${Math.floor(units / 1e6)}.${String(units % 1e6).padStart(6, '0')}`.replace(/\.?0+$/, '');
const assetOf = (n: number) => ASSETS[some(n, 1, ASSETS.length)] ?? ASSETS[0];

function paymentsOf(month: number): Done[] {
  const [from, to] = [Date.UTC(2025, month, 1), Date.UTC(2025, month + 1, 1)];
  return Array.from({ length: PAYMENTS }, (_, i) => {
    const n = month * PAYMENTS + i;
    const ms = from + some(n, 2, to - from);
    const received = 1_000_000 + some(n, 3, 400_000_000);
    const fee = Math.floor(received / 100) + 1;
    const about = {
      amountNet: amount(received - fee),
      feeAmount: amount(fee),
      assetCode: assetOf(n),
      createdAt: iso(ms),
    };
    const summary = { id: `in_${n}`, amountGross: amount(received), status: 'confirmed', ...about };
    const fields = paidIntent(`pi_${n}`, `in_${n}`, {
      // Else its own rate would ask who gives one for that day.
      currencyRequested: 'USD',
      assetCode: assetOf(n),
      amountCryptoExpected: amount(received),
      totalAmountReceived: amount(received),
      amountInRange: amount(received),
      amountNetMerchant: amount(received - fee),
      feeAmountTotal: amount(fee),
      createdAt: iso(ms - 60_000),
      statusHistory: [{ status: 'completed', timestamp: iso(ms), source: 'chain' }],
      payins: [summary],
    });
    return { kind: 'payment_intent' as const, ms, fields };
  });
}

/** Of the first payments of a month: how their disputes end, after how many days, and how much is in question. */
const DISPUTES = [
  { end: 'encashed', opens: 6, lasts: 9, isWhole: false },
  { end: 'refunded', opens: 11, lasts: 33, isWhole: false },
  { end: 'encashed', opens: 4, lasts: 27, isWhole: false },
  { end: 'encashed', opens: 30, lasts: 40, isWhole: true },
  { end: 'refunded', opens: 20, lasts: 2, isWhole: true },
  { end: null, opens: 15, lasts: 0, isWhole: false },
] as const;

/** A dispute of each sort in each month: begun, won or lost, most over a month's end. What is lost is paid out of what was held. */
function disputesOf(month: number): Done[] {
  return paymentsOf(month).flatMap(({ ms, fields }, n): Done[] => {
    const sort = DISPUTES[n];
    if (sort === undefined) return [];
    const about = (name: string) => textField(fields, name) ?? '';
    const [id, received, fee] = [about('id'), about('totalAmountReceived'), about('feeAmountTotal')];
    const rejected = sort.isWhole ? received : '0.7';
    const kept = sort.isWhole ? '0' : subtractAmounts(fee, '0.007');
    const [opened, ended] = [ms + sort.opens * DAY_MS, ms + (sort.opens + sort.lasts) * DAY_MS];
    const back = {
      irregularStatus: 'pending_decision',
      amountRejected: rejected,
      amountInRange: subtractAmounts(received, rejected),
      amountNetMerchant: subtractAmounts(subtractAmounts(received, rejected), kept),
      feeAmountTotal: kept,
    };
    const open: Done = { kind: 'payment_intent', ms: opened, fields: { ...fields, ...back }, isOpening: true };
    if (sort.end === null) return [open];
    const ruled = { irregularStatus: sort.end, irregularActionAt: iso(ended) };
    if (sort.end === 'encashed')
      return [open, { kind: 'payment_intent', ms: ended, fields: { ...fields, ...ruled, amountRejected: rejected } }];
    const refund = payout(`po_${id}`, {
      payoutType: 'refund',
      amount: rejected,
      assetCode: about('assetCode'),
      feeBearer: 'merchant',
      createdAt: iso(ended),
      updatedAt: iso(ended + 5_000),
      status: 'confirmed',
      statusHistory: [{ status: 'confirmed', timestamp: iso(ended + 5_000), source: 'chain' }],
    });
    const lost = { ...back, ...ruled, irregularRefundPayoutId: `po_${id}` };
    return [
      open,
      { kind: 'payment_intent', ms: ended, fields: { ...fields, ...lost } },
      { kind: 'payout', ms: ended + 5_000, fields: refund },
    ];
  });
}

const TYPES = ['withdrawal', 'withdrawal', 'refund', 'settlement', 'internal', 'withdrawal'] as const;

/** Payouts of all sorts, some of them a sub-wallet's, and what else moves a balance. */
function othersOf(month: number): Done[] {
  const [from, to] = [Date.UTC(2025, month, 1), Date.UTC(2025, month + 1, 1)];
  return Array.from({ length: 18 }, (_, i) => month * 18 + i).flatMap((n): Done[] => {
    const ms = from + some(n, 5, to - from);
    const sum = amount(100_000 + some(n, 6, 30_000_000));
    const asset = assetOf(n + 7);
    const wallet = `wa_${n % 3}`;
    const moved = (type: string, signed: string, more: JsonObject = {}): Done => ({
      kind: 'transaction',
      ms,
      fields: {
        id: `tx_${n}`,
        accountId: wallet,
        assetCode: asset,
        type,
        amount: signed,
        feeAmount: '0',
        createdAt: iso(ms),
        ...more,
      },
    });
    if (n % 6 === 4) return [moved('deposit', sum)];
    if (n % 6 === 5) return [moved('transfer_out', `-${sum}`, { feeAmount: '0.01', counterpartyAccountId: null })];
    const fields = payout(`po_${n}`, {
      payoutType: TYPES[n % TYPES.length] ?? 'withdrawal',
      amount: sum,
      assetCode: asset,
      feeAmount: '0.05',
      feeBearer: n % 4 === 1 ? 'customer' : 'merchant',
      createdAt: iso(ms - 3_000),
      updatedAt: iso(ms),
      status: 'confirmed',
      statusHistory: [{ status: 'confirmed', timestamp: iso(ms), source: 'chain' }],
    });
    const sent: Done = { kind: 'payout', ms, fields };
    if (n % 6 === 1 && n % 4 !== 1) return [sent, moved('withdrawal', `-${sum}`)];
    if (n % 6 !== 3) return [sent];
    const come = {
      payinType: 'merchant_deposit',
      paymentIntentId: null,
      assetCode: asset,
      amountGross: sum,
      amountNet: sum,
      feeAmount: '0',
    };
    const history = [{ status: 'confirmed', timestamp: iso(ms), source: 'chain' }];
    return [
      sent,
      { kind: 'payin', ms, fields: payin(`own_${n}`, '', { ...come, createdAt: iso(ms), statusHistory: history }) },
    ];
  });
}

export const year = Array.from({ length: MONTHS }, (_, month) => [
  ...paymentsOf(month),
  ...disputesOf(month),
  ...othersOf(month),
])
  .flat()
  .filter(({ ms }) => ms < END)
  .toSorted((a, b) => a.ms - b.ms);

/** As the list shows it at a moment: a payment that was not completed then is pending. */
export function seen({ kind, fields }: Done, ms: number, isDone = true): Observation {
  const open = {
    status: 'pending',
    amountNetMerchant: '0',
    feeAmountTotal: '0',
    totalAmountReceived: '0',
    payins: [],
    statusHistory: [],
  };
  return poll(kind, isDone ? fields : { ...fields, ...open }, (ms - at(0)) / 1_000);
}

/** What the delivery history shows that was sent when a dispute opened. */
export const heard = (events: readonly Done[]): Observation[] =>
  events
    .filter(({ isOpening }) => isOpening)
    .map(({ kind, fields, ms }) => delivered(kind, textField(fields, 'id') ?? '', fields, (ms - at(0)) / 1_000));

/** As a list shows it: each once, as it stands. */
export const newest = (events: readonly Done[]): Done[] => [
  ...new Map(events.map((one) => [`${one.kind} ${textField(one.fields, 'id')}`, one])).values(),
];
