import * as fc from 'fast-check';
import type { MovementRecord, MovementTable } from '../../../src/domain/balances/movement-table.js';
import { effectsOf } from '../../../src/domain/balances/movements.js';
import type { BookRecord, Moved } from '../../../src/domain/books/entry.js';
import type { JsonObject } from '../../../src/domain/json.js';
import { addAmounts, subtractAmounts } from '../../../src/domain/money.js';

/** One record as it stood at one time after another. */
export type History = { stood: boolean; states: MovementRecord[] };

const ASSETS = ['BTC', 'USDT.TRON', 'SHIB.ETH'];
const DAY = '2026-10-31T23:30:00.000Z';
const amount = fc
  .tuple(fc.bigInt({ min: 1n, max: 10n ** 12n }), fc.integer({ min: 0, max: 18 }))
  .map(([units, decimals]) => {
    const text = units.toString().padStart(decimals + 1, '0');
    return decimals === 0 ? text : `${text.slice(0, -decimals)}.${text.slice(-decimals)}`;
  });
const asset = fc.constantFrom(...ASSETS);
const wallet = fc.constantFrom('acc_1', 'Acc-u2', 'x/ü');
const fee = fc.option(amount, { nil: null });

const payment = fc
  .record({
    id: fc.uuid(),
    asset,
    nets: fc.array(fc.tuple(amount, amount, fc.boolean()), { maxLength: 3 }),
    rejected: amount,
    path: fc.array(fc.constantFrom('none', 'pending_decision', 'encashed', 'refunded'), { minLength: 1, maxLength: 4 }),
  })
  .map(({ id, asset, nets, rejected, path }): MovementRecord[] =>
    path.map((irregularStatus, step) => {
      const shown = nets.slice(0, step + 1);
      const sum = (n: 0 | 1) => shown.reduce((total, one) => addAmounts(total, one[n]), '0');
      const fields: JsonObject = {
        id,
        assetCode: asset,
        status: 'completed',
        irregularStatus,
        amountRejected: irregularStatus === 'none' ? null : rejected,
        amountNetMerchant: irregularStatus === 'pending_decision' ? (shown[0]?.[0] ?? '0') : sum(0),
        feeAmountTotal: sum(1),
        irregularActionAt: irregularStatus === 'encashed' ? DAY : null,
        createdAt: DAY,
        payins: shown.map(([amountNet, feeAmount, isListed], n) => ({
          id: `${id}-${n}`,
          assetCode: asset,
          status: 'confirmed',
          createdAt: DAY,
          ...(isListed ? { amountNet, feeAmount } : {}),
        })),
      };
      return { kind: 'payment_intent', id, fields };
    }),
  );

const payout = fc
  .record({
    id: fc.uuid(),
    asset,
    amount,
    feeBearer: fc.constantFrom('merchant', 'customer'),
    payoutType: fc.constantFrom('withdrawal', 'internal', 'refund', 'settlement', 'gift'),
    accountId: fc.constantFrom<(string | null | undefined)[]>('acc_1', null, undefined),
    gas: fee,
    path: fc.array(fc.tuple(fc.constantFrom('pending', 'confirmed', 'confirmed', 'failed'), fee), {
      minLength: 1,
      maxLength: 4,
    }),
  })
  .map(({ id, asset, path, accountId, gas, ...fields }): MovementRecord[] =>
    path.map(([status, feeAmount]) => ({
      kind: 'payout',
      id,
      ofDispute: false,
      ...(accountId === undefined ? {} : { accountId }),
      fields: {
        ...fields,
        id,
        assetCode: asset,
        status,
        feeAmount,
        networkFeeAmount: gas,
        networkFeeAssetCode: 'TRX',
        createdAt: DAY,
      },
    })),
  );

const transaction = fc
  .record({
    id: fc.uuid(),
    asset,
    accountId: wallet,
    amount,
    feeAmount: fee,
    type: fc.constantFrom('deposit', 'withdrawal', 'transfer_in', 'transfer_out', 'closure'),
    counterpartyAccountId: fc.constantFrom(null, 'acc_1'),
  })
  .map(({ asset, type, amount, ...fields }): MovementRecord[] => {
    const signed = ['deposit', 'transfer_in'].includes(type) ? amount : `-${amount}`;
    return [
      {
        kind: 'transaction',
        id: fields.id,
        fields: { ...fields, type, assetCode: asset, amount: signed, createdAt: DAY },
      },
    ];
  });

const payin = fc
  .record({
    id: fc.uuid(),
    asset,
    feeAmount: fee,
    payinType: fc.constantFrom('blockchain', 'merchant_deposit', 'internal_transfer'),
    path: fc.array(fc.tuple(fc.constantFrom('pending', 'confirmed', 'confirmed', 'unmatched'), amount), {
      minLength: 1,
      maxLength: 3,
    }),
  })
  .map(({ id, asset, path, ...fields }): MovementRecord[] =>
    path.map(([status, amountNet]) => ({
      kind: 'payin',
      id,
      fields: { ...fields, id, assetCode: asset, status, amountNet, paymentIntentId: 'pi', createdAt: DAY },
    })),
  );

/** `stood`: the first state of it was there before the books were opened. */
export const histories = fc.uniqueArray(
  fc.record({ stood: fc.boolean(), states: fc.oneof(payment, payout, transaction, payin) }),
  { minLength: 1, maxLength: 8, selector: ({ states: [first] }) => `${first?.kind} ${first?.id}` },
) satisfies fc.Arbitrary<History[]>;

/** A record at a place of its history, with what of it stood at the opening. */
export function recordAt({ stood, states }: History, place: number, table: MovementTable): BookRecord {
  const now = states[Math.min(place, states.length - 1)];
  const first = states[0];
  if (now === undefined || first === undefined) throw new Error('a history without a state');
  const bases = stood ? movedOf(first, table) : [];
  const moved = movedOf(now, table).map((one) => {
    const at = bases.findIndex((base) => isSame(base, one));
    const base = at < 0 ? undefined : bases.splice(at, 1)[0];
    return { ...one, base: one.delta === null ? null : (base?.delta ?? '0') };
  });
  // What stood and is no longer shown was taken back since.
  const gone = bases.filter(({ delta }) => delta !== null).map((base) => ({ ...base, base: base.delta, delta: '0' }));
  return { kind: now.kind, id: now.id, fields: now.fields, firstSeenAt: Date.parse(DAY), moved: [...moved, ...gone] };
}

/** What the proof of the operating balance explains of it, and what is known of what no list shows. */
export function explainedBy(records: readonly BookRecord[], assetCode: string): string {
  return records
    .flatMap(({ moved }) => moved)
    .filter((one) => one.assetCode === assetCode && one.account === null && one.delta !== null)
    .filter(({ part }) => part === 'explained' || part === 'unobservable')
    .reduce((sum, { delta, base }) => addAmounts(sum, subtractAmounts(delta ?? '0', base ?? '0')), '0');
}

function movedOf(record: MovementRecord, table: MovementTable): Moved[] {
  return effectsOf(record, table).map(({ part, operation, account, assetCode, delta, at }) => ({
    part,
    operation,
    account,
    assetCode,
    delta,
    base: null,
    at,
  }));
}

function isSame(a: Moved, b: Moved): boolean {
  return a.operation === b.operation && a.assetCode === b.assetCode && a.account === b.account && a.part === b.part;
}
