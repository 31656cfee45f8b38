import type { Axis, Column, RecordKind, RecordRules } from './record-kinds.js';

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

/** Of a kind that the specification gives no states: a claim never advances it. */
const stateless: Axis = { field: 'status', ranks: new Map(), unlisted: null };

const plain = {
  main: stateless,
  side: null,
  amounts: [],
  signedAmounts: [],
  totals: [],
  nestedAmounts: {},
  kept: [],
  decisive: [],
} as const;

/**
 * What is known of each kind: the order of its states, its amounts, the columns it is searched by. Specification
 * sections 2 and 3. A new kind is one entry here, one table, and its names in an event (webhook/record-names.ts).
 */
export const recordRules: Readonly<Record<RecordKind, RecordRules>> = {
  payment_intent: {
    ...plain,
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
    vanishing: 'break',
    columns: columns({
      text: [
        'status',
        'irregularStatus',
        'merchantReference',
        'invoiceId',
        'productId',
        'irregularRefundPayoutId',
        'currencyRequested',
      ],
      amount: ['amountRequested'],
      time: ['createdAt'],
    }),
  },
  payin: {
    ...plain,
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
    amounts: [...payinAmounts, 'kytRiskScore'],
    // Specification 2.2 names no account: the event of a deposit to a sub-wallet does.
    kept: ['accountId'],
    decisive: ['kytStatus'],
    vanishing: 'break',
    columns: columns({ text: ['paymentIntentId', 'status', 'kytStatus', 'assetCode'], time: ['createdAt'] }),
  },
  invoice: {
    ...plain,
    main: {
      field: 'status',
      ranks: ranked(['draft'], ['sent'], ['expired', 'cancelled'], ['paid']),
      unlisted: null,
    },
    amounts: ['amount'],
    kept: ['merchantReference', 'metadata', 'emailDelivery'],
    vanishing: 'break',
    columns: columns({
      text: ['status', 'paymentIntentId', 'currency', 'merchantReference'],
      amount: ['amount'],
      time: ['expiresAt', 'createdAt'],
    }),
  },
  payout: {
    ...plain,
    main: {
      field: 'status',
      // Rank 2 is left to the states that the specification implies without naming them (3.4).
      ranks: new Map([
        ['pending', 0],
        ['approved', 1],
        ['failed', 3],
        // Of two deliveries that say otherwise, what gives back more counts.
        ['confirmed', 4],
      ]),
      unlisted: 2,
    },
    amounts: ['amount', 'feeAmount', 'networkFeeAmount', 'networkFeeUsdEquivalent'],
    kept: ['paymentIntentId', 'accountId', 'merchantReference', 'metadata'],
    vanishing: 'break',
    columns: columns({
      text: ['status', 'payoutType', 'assetCode', 'merchantReference', 'paymentIntentId', 'txid'],
      amount: ['amount'],
      time: ['createdAt', 'updatedAt'],
    }),
  },
  account: {
    ...plain,
    // A frozen account may thaw: no state is further on than another, so that a claim only asks for a reading.
    main: { field: 'status', ranks: ranked(['active', 'frozen', 'closed']), unlisted: null },
    // A closed account that was archived is hidden from the list (3.6).
    vanishing: { quietIn: ['closed'] },
    columns: columns({ text: ['status', 'label', 'externalRef'], time: ['createdAt'] }),
  },
  transaction: {
    ...plain,
    signedAmounts: ['amount', 'feeAmount'],
    vanishing: 'break',
    columns: columns({
      text: ['accountId', 'assetCode', 'type'],
      amount: ['amount', 'feeAmount'],
      time: ['createdAt'],
    }),
  },
  // Its id is the asset code.
  balance: {
    ...plain,
    amounts: ['usdRate'],
    totals: ['balance', 'frozen', 'available'],
    vanishing: 'quiet',
    columns: columns({ amount: ['balance', 'frozen', 'available'], time: ['createdAt'] }),
  },
  endpoint: { ...plain, vanishing: 'quiet', columns: columns({ text: ['url'], time: ['createdAt'] }) },
  settlement_account: {
    ...plain,
    vanishing: 'quiet',
    columns: columns({ time: ['revokedAt', 'maturedAt', 'createdAt'] }),
  },
  product: { ...plain, amounts: ['amount'], vanishing: 'quiet', columns: columns({ time: ['createdAt'] }) },
  // Of the public catalog. Its id is the asset code.
  asset: {
    ...plain,
    vanishing: 'quiet',
    columns: columns({ text: ['network', 'category'], time: ['createdAt'] }),
  },
};

function columns(fields: Partial<Record<Column['type'], readonly string[]>>): Column[] {
  return (['text', 'amount', 'time'] as const).flatMap((type) =>
    (fields[type] ?? []).map((field) => ({ name: snakeCase(field), field, type })),
  );
}

function snakeCase(field: string): string {
  return field.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

function ranked(...steps: string[][]): ReadonlyMap<string, number> {
  return new Map(steps.flatMap((states, rank) => states.map((state) => [state, rank] as const)));
}
