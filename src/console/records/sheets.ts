import type { RecordKind } from '../../domain/records.js';
import { lesserSheets } from './lesser-sheets.js';
import type { Sheet } from './sheet.js';

const payments: Sheet = {
  kind: 'payment_intent',
  path: '/payments',
  title: 'Payments',
  one: 'payment',
  group: 'Records',
  intro: 'What customers were asked to pay, and what came in.',
  empty: 'A payment appears with its first event, or when the list of the service was read.',
  filters: ['status', 'irregularStatus', 'merchantReference'],
  columns: ['amountRequested', 'totalAmountReceived'],
  groups: [
    {
      title: 'Amounts',
      fields: [
        'amountRequested',
        'amountCryptoExpected',
        'amountToSend',
        'totalAmountReceived',
        'amountNetMerchant',
        'feeAmountTotal',
      ],
    },
    {
      title: 'Range and dispute',
      fields: [
        'irregularStatus',
        'amountInRange',
        'amountRejected',
        'amountToRefund',
        'feeAmountOnRange',
        'feeAmountOnRejected',
        'irregularActionBy',
        'irregularActionAt',
        'irregularRefundPayoutId',
      ],
    },
    { title: 'Customer', fields: ['customerEmail', 'customerRefundAddress'] },
    {
      title: 'Where it comes from',
      fields: ['merchantReference', 'source', 'invoiceId', 'productId', 'posTerminalId', 'createdAt', 'expiresAt'],
    },
    {
      title: 'How it is paid',
      fields: [
        'currencyRequested',
        'requestedCurrencyType',
        'assetCode',
        'acceptedCoins',
        'depositAddress',
        'memo',
        'memoType',
        'expiryHours',
        'paymentLink',
        'returnUrl',
      ],
    },
  ],
  related: [
    { title: 'Deposits', kind: 'payin', by: 'paymentIntentId', named: 'payins', none: 'Nothing came in yet.' },
    {
      title: 'Refunds and payouts',
      kind: 'payout',
      by: 'paymentIntentId',
      named: 'irregularRefundPayoutId',
      none: 'None is linked with this payment.',
    },
    {
      title: 'Invoices',
      kind: 'invoice',
      by: 'paymentIntentId',
      named: 'invoiceId',
      none: 'None is linked with this payment.',
    },
  ],
};

const deposits: Sheet = {
  kind: 'payin',
  path: '/deposits',
  title: 'Deposits',
  one: 'deposit',
  group: 'Records',
  intro: 'What came in on a chain, how far it is confirmed, and what its screening says.',
  empty: 'A deposit appears once a payment lists it, or an event names it.',
  filters: ['status', 'kytStatus', 'assetCode'],
  columns: ['amountGross', 'kytStatus', 'confirmations'],
  groups: [
    { title: 'Amounts', fields: ['amountGross', 'feeAmount', 'amountNet'] },
    { title: 'Screening', fields: ['kytStatus', 'kytRiskScore', 'confirmations'] },
    {
      title: 'On the chain',
      fields: ['assetCode', 'txid', 'senderAddress', 'depositAddress', 'addressPurpose'],
    },
    { title: 'Where it belongs', fields: ['payinType', 'paymentIntentId', 'accountId', 'createdAt'] },
  ],
  related: [
    {
      title: 'Payment',
      kind: 'payment_intent',
      named: 'paymentIntentId',
      none: 'The deposit names none: a deposit of the merchant, or a transfer.',
    },
    { title: 'Sub-wallet', kind: 'account', named: 'accountId', none: 'None is named.' },
  ],
};

const invoices: Sheet = {
  kind: 'invoice',
  path: '/invoices',
  title: 'Invoices',
  one: 'invoice',
  group: 'Records',
  intro: 'What customers were billed by mail, and which payment settled it.',
  empty: 'An invoice appears with its first event, or when the list of the service was read.',
  filters: ['status', 'merchantReference', 'paymentIntentId'],
  columns: ['amount'],
  groups: [
    { title: 'Amounts', fields: ['amount', 'currency', 'assetCode'] },
    { title: 'Customer', fields: ['customerName', 'customerEmail', 'language', 'collectCustomerInformation'] },
    {
      title: 'Where it comes from',
      fields: ['merchantReference', 'paymentIntentId', 'description', 'createdAt', 'expiresAt', 'paymentLink'],
    },
  ],
  related: [
    {
      title: 'Payments',
      kind: 'payment_intent',
      by: 'invoiceId',
      named: 'paymentIntentId',
      none: 'Nobody began to pay it.',
    },
  ],
};

const payouts: Sheet = {
  kind: 'payout',
  path: '/payouts',
  title: 'Payouts',
  one: 'payout',
  group: 'Records',
  intro: 'What was sent: withdrawals, refunds, and the crypto leg of settlements.',
  empty: 'A payout appears when we made it, when an event names it, or when the list of the service was read.',
  filters: ['status', 'payoutType', 'assetCode', 'txid'],
  columns: ['payoutType', 'amount', 'txid'],
  groups: [
    {
      title: 'Amounts',
      fields: [
        'amount',
        'feeAmount',
        'feeBearer',
        'networkFeeAmount',
        'networkFeeAssetCode',
        'networkFeeUsdEquivalent',
      ],
    },
    {
      title: 'Destination',
      fields: ['destinationType', 'destinationAddress', 'destinationMemo', 'assetCode', 'txid', 'txUrl'],
    },
    {
      title: 'Where it comes from',
      fields: ['payoutType', 'merchantReference', 'paymentIntentId', 'accountId', 'note', 'createdAt', 'updatedAt'],
    },
    { title: 'Screening', fields: ['kytStatus', 'failureReason'] },
  ],
  related: [
    {
      title: 'Payment',
      kind: 'payment_intent',
      by: 'irregularRefundPayoutId',
      named: 'paymentIntentId',
      none: 'Not linked: nothing the service shows says which payment it belongs to, if any.',
    },
  ],
};

/** Every kind that has pages of its own, in the order of the navigation. Balances have theirs in `pages/`. */
export const sheets: readonly Sheet[] = [payments, deposits, invoices, payouts, ...lesserSheets];

export function sheetOf(kind: RecordKind): Sheet | null {
  return sheets.find((sheet) => sheet.kind === kind) ?? null;
}
