/** A payment intent and its payins as the emulator keeps them. What callers see is made of them in intent-record.ts. */

export type IntentStatus =
  | 'waiting_address_selection'
  | 'pending'
  | 'confirming'
  | 'completed'
  | 'expired'
  | 'unmatched'
  | 'cancelled';

export const INTENT_STATUSES: readonly IntentStatus[] = [
  'waiting_address_selection',
  'pending',
  'confirming',
  'completed',
  'expired',
  'unmatched',
  'cancelled',
];

type IrregularStatus = 'none' | 'pending_decision' | 'encashed' | 'refunded';

export const PAYIN_STATUSES = ['pending', 'confirming', 'confirmed', 'unmatched'] as const;

export type PayinStatus = (typeof PAYIN_STATUSES)[number];

export interface Transition<S extends string> {
  status: S;
  at: number;
  source: string;
}

/** Amounts are decimal strings, times are milliseconds since 1970. */
export interface Payin {
  id: string;
  txid: string;
  amountGross: string;
  amountNet: string;
  feeAmount: string;
  assetCode: string;
  depositAddress: string;
  senderAddress: string;
  status: PayinStatus;
  kytStatus: 'pending' | 'approved' | 'rejected';
  kytRiskScore: string;
  createdAt: number;
  /** Time of the first block; null while the payin is only seen. */
  firstBlockAt: number | null;
  confirmationsNeeded: number;
  /** The payin came when the intent no longer took money. */
  late: boolean;
  history: Transition<PayinStatus>[];
}

/** Where a payment came from; all null for one that the merchant's own program created. */
export interface Links {
  invoiceId: string | null;
  productId: string | null;
  posTerminalId: string | null;
}

export interface Intent extends Links {
  id: string;
  position: number;
  status: IntentStatus;
  amountRequested: string;
  currencyRequested: string;
  requestedCurrencyType: 'fiat' | 'crypto';
  amountCryptoExpected: string | null;
  assetCode: string | null;
  acceptedCoins: string[];
  totalAmountReceived: string;
  amountNetMerchant: string;
  feeAmountTotal: string;
  amountInRange: string | null;
  amountRejected: string | null;
  amountToRefund: string | null;
  feeAmountOnRange: string | null;
  feeAmountOnRejected: string | null;
  source: string;
  merchantReference: string | null;
  /** The caller's JSON text, given back as it came. */
  metadata: string | null;
  irregularStatus: IrregularStatus;
  customerRefundAddress: string | null;
  irregularActionBy: string | null;
  irregularActionAt: number | null;
  irregularRefundPayoutId: string | null;
  customerEmail: string | null;
  returnUrl: string | null;
  createdAt: number;
  expiresAt: number;
  updatedAt: number;
  depositAddress: string | null;
  memo: string | null;
  /** The settlement account that the payment is reversed to when it completes. */
  settlementAccountId: string | null;
  /** What the ledger holds of this payment. */
  booked: { net: string; fees: string; held: string };
  history: Transition<IntentStatus>[];
  payins: Payin[];
}

/** What the customer has to send in all; null until an asset is chosen for a fiat amount. */
export function expectedAmount(intent: Intent): string | null {
  return intent.requestedCurrencyType === 'crypto' ? intent.amountRequested : intent.amountCryptoExpected;
}

/** The pseudo-status `irregular` (specification 3.1): what was received differs from what was expected. */
export function receivedDiffers(intent: Intent): boolean {
  return intent.totalAmountReceived !== '0' && intent.totalAmountReceived !== expectedAmount(intent);
}

export function setStatus(intent: Intent, status: IntentStatus, at: number, source = 'system'): void {
  intent.status = status;
  intent.updatedAt = at;
  intent.history.push({ status, at, source });
}

export function setPayinStatus(payin: Payin, status: PayinStatus, at: number): void {
  payin.status = status;
  payin.history.push({ status, at, source: 'blockchain' });
}
