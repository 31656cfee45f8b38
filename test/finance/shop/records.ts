/**
 * Three months of a shop, as a payment service shows them: raw records, in the units of their assets. The workbook and the product are both
 * made of these, each by its own arithmetic.
 */
export const MONTHS = ['2026-01', '2026-02', '2026-03'] as const;
export const ASSETS = ['BTC', 'USDT.TRON'] as const;
export const WALLETS = ['wa1', 'wa2'] as const;
export type Asset = (typeof ASSETS)[number];

const FIRST = Date.UTC(2026, 0, 1);
const DAYS = 90;

/** YYYY-MM-DD of a day of the three months, counted from 0. */
const day = (n: number): string => new Date(FIRST + n * 86_400_000).toISOString().slice(0, 10);

/** Decimal digits of a whole number of small units. */
function decimal(units: number, decimals: number): string {
  const digits = String(Math.abs(units)).padStart(decimals + 1, '0');
  return `${units < 0 ? '-' : ''}${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`.replace(/\.?0+$/, '');
}

/** Of an asset in its small units: a hundred-thousandth of a BTC, a hundredth of a USDT. */
const amountOf = (asset: Asset, units: number): string => decimal(units, asset === 'BTC' ? 5 : 2);

export const opening = ASSETS.map((asset) => ({ asset, on: day(0), amount: asset === 'BTC' ? '1.5' : '20000' }));

/** In EUR, for each day. */
export const rates = Array.from({ length: DAYS }, (_, n) => n).flatMap((n) => [
  { on: day(n), asset: 'BTC', rate: decimal(4_500_000 + ((n * 7_919) % 900_007), 2) },
  { on: day(n), asset: 'USDT.TRON', rate: decimal(85_000 + ((n * 631) % 9_973), 5) },
]);

/** Some fifty payments, none smaller than its fee. */
export const payments = Array.from({ length: 54 }, (_, n) => {
  const asset = ASSETS[n % 3 === 0 ? 0 : 1];
  const units = asset === 'BTC' ? 150 + ((n * 977) % 1_900) : 1_999 + ((n * 3_571) % 24_001);
  return {
    id: `pi_${n + 1}`,
    on: day(Math.floor((n * 5) / 3)),
    asset,
    received: amountOf(asset, units),
    fee: amountOf(asset, Math.max(1, Math.floor(units / 100))),
  };
});

const dispute = (n: number, units: number, opened: number, decided: number | null, decision: string) => {
  const { id, asset } = payments[n - 1]!;
  const fee = Math.max(1, Math.floor(units / 100));
  const about = {
    payment: id,
    asset,
    inQuestion: amountOf(asset, units),
    fee: amountOf(asset, fee),
    opened: day(opened),
  };
  return { ...about, decided: decided === null ? null : day(decided), decision };
};
/** Opened after the payment came in, some decided in a later month, one still open. */
export const disputes = [
  dispute(2, 800, 12, 25, 'encashed'),
  dispute(7, 60, 20, 45, 'refunded'),
  dispute(11, 1_234, 28, 40, 'encashed'),
  dispute(17, 999, 50, 62, 'refunded'),
  dispute(20, 1_500, 55, null, 'open'),
] as const;

const payout = (n: number, type: string, on: number, asset: Asset, units: number, more: object = {}) => ({
  id: `po_${n}`,
  type,
  on: day(on),
  asset,
  amount: amountOf(asset, units),
  fee: amountOf(asset, asset === 'BTC' ? 10 : 150),
  bearer: 'merchant',
  /** `own`: of the operating balance; `dispute`: out of what a dispute held; else the sub-wallet that asked for it. */
  from: 'own',
  ...more,
});
const customer = { bearer: 'customer' };
export const payouts = [
  payout(1, 'withdrawal', 3, 'USDT.TRON', 120_000),
  payout(2, 'withdrawal', 9, 'BTC', 20_000),
  payout(3, 'refund', 10, 'USDT.TRON', 2_350),
  payout(4, 'settlement', 14, 'USDT.TRON', 500_000),
  payout(5, 'withdrawal', 14, 'USDT.TRON', 4_000, { from: 'wa1' }),
  payout(6, 'withdrawal', 21, 'USDT.TRON', 33_333, customer),
  payout(7, 'internal', 30, 'USDT.TRON', 10_001),
  payout(8, 'refund', 33, 'BTC', 77, customer),
  payout(9, 'settlement', 44, 'BTC', 15_500),
  payout(10, 'refund', 46, 'BTC', 60, { from: 'dispute' }),
  payout(11, 'withdrawal', 51, 'USDT.TRON', 95_050),
  payout(12, 'withdrawal', 51, 'USDT.TRON', 1_200, { from: 'wa2' }),
  payout(13, 'withdrawal', 58, 'USDT.TRON', 7_070),
  payout(14, 'refund', 63, 'USDT.TRON', 999, { from: 'dispute' }),
  payout(15, 'settlement', 75, 'USDT.TRON', 450_025),
  payout(16, 'refund', 80, 'USDT.TRON', 1_212),
  payout(17, 'withdrawal', 89, 'BTC', 31_313),
];

/** What came in without a payment. */
export const deposits = [
  { id: 'in_1', type: 'merchant_deposit', on: day(5), asset: 'USDT.TRON', gross: '1000', fee: '0' },
  { id: 'in_2', type: 'internal_transfer', on: day(37), asset: 'USDT.TRON', gross: '250.5', fee: '0.5' },
  { id: 'in_3', type: 'merchant_deposit', on: day(70), asset: 'BTC', gross: '0.125', fee: '0.001' },
] as const;

const moved = (n: number, wallet: string, type: string, on: number, amount: string, fee = '0', other = '-') => ({
  id: `tx_${n}`,
  wallet,
  type,
  on: day(on),
  asset: 'USDT.TRON',
  amount,
  fee,
  /** Of a transfer: `operating`, or the other sub-wallet. */
  other,
});
/** What sub-wallets gained and lost. */
export const transactions = [
  moved(1, 'wa1', 'deposit', 2, '300'),
  moved(2, 'wa2', 'deposit', 6, '120.75'),
  moved(3, 'wa1', 'withdrawal', 14, '-41.5', '1.5'),
  moved(4, 'wa1', 'transfer_out', 18, '-50', '0.5', 'operating'),
  moved(5, 'wa2', 'transfer_in', 34, '19.5', '0.5', 'operating'),
  moved(6, 'wa1', 'transfer_out', 41, '-30', '1', 'wa2'),
  moved(7, 'wa2', 'transfer_in', 41, '29', '1', 'wa1'),
  moved(8, 'wa2', 'withdrawal', 51, '-13.5', '1.5'),
  moved(9, 'wa1', 'deposit', 66, '10.01'),
  moved(10, 'wa2', 'closure', 82, '-155.75'),
];
