import * as fc from 'fast-check';
import { type WalletCommand, walletCommands } from './random-wallet-commands.js';

/** What a caller, an operator, a customer or the chain does next. Numbers pick among the records that there are. */
export type Command =
  | WalletCommand
  | {
      op: 'payout';
      of: number;
      asset: string;
      amount: string;
      feeBearer: 'merchant' | 'customer';
      /** Whether the memo is as the chain wants it. */
      memoFits: boolean;
      key: number | null;
      session: string | null;
    }
  | { op: 'step'; of: number; step: 'next' | 'approve' | 'broadcast' | 'confirm' | 'review' | 'fail'; manual: boolean }
  | { op: 'payment'; coin: string; amount: string; settle: boolean; key: number | null }
  | { op: 'pay'; of: number; percent: number }
  | { op: 'dispute'; of: number; amount: string | null }
  | { op: 'decide'; of: number; decision: 'encash' | 'refund' }
  | { op: 'refund'; of: number; amount: string | null; feeBearer: 'merchant' | 'customer' }
  | { op: 'invoice'; quantity: number; unitPrice: string; off: boolean }
  | { op: 'pay-invoice'; of: number }
  | { op: 'asset'; asset: string; isActive: boolean }
  | { op: 'advance'; seconds: number }
  | { op: 'broken'; path: number; of: number; field: string; value: unknown }
  | { op: 'garbage'; path: number; of: number; body: string };

const of = fc.nat(50);

const amount = fc.oneof(
  fc.integer({ min: 1, max: 60 }).map(String),
  fc.integer({ min: 1, max: 99_999_999 }).map((n) => `0.${String(n).padStart(8, '0')}`),
  fc.constantFrom('0.000000000000000001', '12.345678901234567891', '999999999999999999'),
);
const feeBearer = fc.constantFrom('merchant' as const, 'customer' as const);
const key = fc.oneof({ weight: 3, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: fc.nat(3) });
/** The first in most cases. */
const mostly = <const T>(usual: T, ...others: T[]): fc.Arbitrary<T> =>
  fc.oneof({ weight: 5, arbitrary: fc.constant(usual) }, { weight: 1, arbitrary: fc.constantFrom(...others) });
const asset = mostly('USDT.TRC20', 'XRP.XRPL', 'BTC', 'BTT.TRC20');
const session = mostly<string | null>(null, '123456', '000000', '');
const is = <T extends string>(op: T) => fc.constant(op);

/** Whatever is under these names in a valid body is no longer valid with these values. */
const BROKEN: readonly [field: string, value: unknown][] = [
  ['amount', '0'],
  ['amount', '1.0000000000000000001'],
  ['amount', '1234567890123456789'],
  ['amount', '-1'],
  ['amount', '1e2'],
  ['amount', 5],
  ['amount', null],
  ['amount', undefined],
];

export const command: fc.Arbitrary<Command> = fc.oneof(
  ...walletCommands({ of, asset, amount, key, session, mostly }),
  {
    weight: 5,
    arbitrary: fc.record({
      op: is('payout'),
      of,
      asset,
      amount,
      feeBearer,
      memoFits: mostly(true, false),
      key,
      session,
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      op: is('step'),
      of,
      step: mostly('next', 'approve', 'broadcast', 'confirm', 'review', 'fail'),
      manual: mostly(false, true),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      op: is('payment'),
      coin: mostly('USDT.TRC20', 'BTC', 'XRP', 'USDT', 'DOGE'),
      amount,
      settle: mostly(false, true),
      key,
    }),
  },
  { weight: 5, arbitrary: fc.record({ op: is('pay'), of, percent: fc.constantFrom(100, 100, 100, 50, 101, 150) }) },
  { weight: 2, arbitrary: fc.record({ op: is('dispute'), of, amount: fc.option(amount) }) },
  { weight: 2, arbitrary: fc.record({ op: is('decide'), of, decision: fc.constantFrom('encash', 'refund') }) },
  {
    weight: 3,
    arbitrary: fc.record({ op: is('refund'), of, amount: fc.option(fc.oneof(amount, fc.constant('0'))), feeBearer }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      op: is('invoice'),
      quantity: fc.integer({ min: 1, max: 1000 }),
      unitPrice: fc.integer({ min: 1, max: 9999 }).map((n) => (n / 100).toFixed(2)),
      off: mostly(false, true),
    }),
  },
  { weight: 1, arbitrary: fc.record({ op: is('pay-invoice'), of }) },
  { weight: 1, arbitrary: fc.record({ op: is('asset'), asset, isActive: mostly(true, false) }) },
  { weight: 2, arbitrary: fc.record({ op: is('advance'), seconds: fc.constantFrom(1, 60, 4000) }) },
  {
    weight: 2,
    arbitrary: fc
      .record({ op: is('broken'), path: fc.nat(3), of, broken: fc.constantFrom(...BROKEN) })
      .map(({ broken: [field, value], ...rest }) => ({ ...rest, field, value })),
  },
  { weight: 2, arbitrary: fc.record({ op: is('garbage'), path: fc.nat(9), of, body: fc.json({ maxDepth: 2 }) }) },
);
