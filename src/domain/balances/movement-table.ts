import type { PayoutWords } from '../family/links.js';
import type { JsonObject } from '../json.js';

/** Which balance each operation moves, by how much, and which list shows it: data of the contract (docs/contract.md). */
export interface MovementTable {
  /** What the specification leaves open, each with a closed list of answers. */
  choices: MovementChoices;
  /** Words of the service for what the specification does not enumerate; compared in lower case. */
  words: { payoutType: PayoutWords; transactionType: Readonly<Record<TransactionClass, readonly string[]>> };
  operations: Readonly<Record<MovementOperation, readonly MovementLine[]>>;
}

export interface MovementChoices {
  /** What a payment brings: the intent's cumulated net (2.1, 4.5), or the net of each confirmed payin (2.2). */
  payments: 'intent' | 'payins';
  /** What a dispute's refund is paid from: money that was never credited, or the operating balance. */
  disputeRefund: 'held' | 'operating';
  /** What a withdrawal debits when nothing names its sub-wallet: that is not known, or the operating balance. */
  unnamedPayout: 'unclear' | 'operating';
  /** Who pays the gas (2.4), which is in another asset than the payout: the service out of its fee, or the merchant. */
  networkFee: 'service' | 'operating';
  /** Where the fee goes that the merchant takes of a transfer (4.6). */
  transferFee: 'operating' | 'nobody';
  /** Whether a sub-wallet's transaction says what its balance gained or lost, or that before `feeAmount` was taken. */
  transactionAmount: 'whole' | 'before_fee';
}

type TransactionClass = 'deposit' | 'withdrawal' | 'transferIn' | 'transferOut' | 'closure';

export type MovementOperation =
  | 'paymentCollected'
  | 'payinConfirmed'
  | 'merchantDeposit'
  | 'internalTransferIn'
  | 'disputeEncash'
  | 'disputeRefund'
  | 'autoSettlement'
  | 'payout'
  | 'internalPayout'
  | 'refund'
  | 'settlement'
  | 'networkFee'
  | 'accountDeposit'
  | 'accountPayout'
  | 'transferToOperating'
  | 'transferFromOperating'
  | 'transferToAccount'
  | 'transferFromAccount'
  | 'accountClose';

/** One effect of an operation on one balance. Several lines on one balance and asset add up. */
export interface MovementLine {
  balance: 'operating' | 'account';
  /** Signed names of amount fields, summed: `['-amount', '-feeAmount']`. Null: the amount is shown nowhere. */
  effect: readonly string[] | null;
  asset: string;
  states: MovementStates;
  /** The field that says when it happened; `statusHistory`: the first entry with such a state (2.4). Null: not shown. */
  time: string | null;
  /** The list that shows an operation whole; `nothing`: a record of it may be known, but that none is proves nothing. */
  shownBy: 'payment_intent' | 'payout' | 'transaction' | 'nothing';
  /** Counts only where these fields have these values; a name with dots reaches into objects. */
  where?: Readonly<Record<string, string | boolean>> | undefined;
  when?: { readonly [C in keyof MovementChoices]?: MovementChoices[C] | undefined } | undefined;
}

/** The states in which the effect stands. A record without states has it from the first. */
export type MovementStates =
  | { any: true }
  | { field: string; only: readonly string[] }
  | { field: string; except: readonly string[] };

/** A record of the service as far as it is known, under the specification's names. */
export interface MovementRecord {
  kind: 'payment_intent' | 'payin' | 'payout' | 'transaction';
  id: string;
  fields: JsonObject;
  /** Of a payout: the sub-wallet that it was asked of; null: none. Left out where that is not known. */
  accountId?: string | null;
  /** Of a refund: whether a payment names it as `irregularRefundPayoutId`. Left out where that is not known. */
  ofDispute?: boolean;
}
