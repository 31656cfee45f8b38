import { z } from 'zod';
import type { MovementOperation, MovementTable } from '../domain/balances/movement-table.js';
import { defaultPayoutWords } from '../domain/family/links.js';

const AMOUNTS =
  /^[+-](amount|amountNet|amountGross|feeAmount|networkFeeAmount|amountNetMerchant|totalAmountReceived|feeAmountTotal|amountInRange|amountRejected|amountToRefund|feeAmountOnRange|feeAmountOnRejected)$/;
const field = z.string().regex(/^[A-Za-z]\w*(\.[A-Za-z]\w*)*$/, 'a field such as createdAt');
const words = z.array(z.string().min(1).max(100).toLowerCase()).default([]);

/** What a file says of a class is added to ours: a word of ours leaves its class only for another. */
const wordClasses = <const C extends string>(ours: Readonly<Record<C, readonly string[]>>) => {
  const lists: Record<string, typeof words> = Object.fromEntries(Object.keys(ours).map((one) => [one, words]));
  return z
    .strictObject(lists)
    .refine(areApart, 'each word in one class only')
    .transform((given) => {
      const placed = new Set(Object.values(given).flat());
      const left = Object.entries<readonly string[]>(ours).map(([one, list]) => [
        one,
        [...(given[one] ?? []), ...list.filter((word) => !placed.has(word))],
      ]);
      return Object.fromEntries(left) as Record<C, string[]>;
    })
    .prefault({});
};

/** What each choice may be; the first is the default. */
const options = {
  payments: z.enum(['intent', 'payins']),
  disputeRefund: z.enum(['held', 'operating']),
  unnamedPayout: z.enum(['unclear', 'operating']),
  networkFee: z.enum(['service', 'operating']),
  transferFee: z.enum(['operating', 'nobody']),
  transactionAmount: z.enum(['whole', 'before_fee']),
};
const choices = z
  .strictObject({
    payments: options.payments.default('intent'),
    disputeRefund: options.disputeRefund.default('held'),
    unnamedPayout: options.unnamedPayout.default('unclear'),
    networkFee: options.networkFee.default('service'),
    transferFee: options.transferFee.default('operating'),
    transactionAmount: options.transactionAmount.default('whole'),
  })
  .prefault({});

const line = z.strictObject({
  balance: z.enum(['operating', 'account']),
  effect: z.array(z.string().regex(AMOUNTS, '+ or - and an amount of specification 2, such as -feeAmount')).nullable(),
  asset: field.default('assetCode'),
  states: z
    .union([
      z.strictObject({ any: z.literal(true) }),
      z.strictObject({ field, only: z.array(z.string()).min(1) }),
      z.strictObject({ field, except: z.array(z.string()).min(1) }),
    ])
    .default({ any: true }),
  time: field.nullable().default(null),
  shownBy: z.enum(['payment_intent', 'payout', 'transaction', 'nothing']),
  where: z.record(field, z.union([z.string(), z.boolean()])).optional(),
  when: z.strictObject(options).partial().optional(),
});

type Given = z.input<typeof line>;

const CONFIRMED = { field: 'status', only: ['confirmed'] };
const BY_MERCHANT = { feeBearer: 'merchant' };
const BY_CUSTOMER = { feeBearer: 'customer' };

const sent: Omit<Given, 'effect'> = {
  balance: 'operating',
  states: CONFIRMED,
  time: 'statusHistory',
  shownBy: 'payout',
};
/** What a payout debits (4.4): amount and fee, or the amount out of which the fee is taken. */
const debits = (about: Partial<Given> = {}): Given[] => [
  { ...sent, effect: ['-amount', '-feeAmount'], where: BY_MERCHANT, ...about },
  { ...sent, effect: ['-amount'], where: BY_CUSTOMER, ...about },
];
const moved = { time: 'createdAt', shownBy: 'transaction' } as const;
/** The movement's own sub-wallet. `amount` is signed. */
const own: Given = { ...moved, balance: 'account', effect: ['+amount'] };
const less: Given = { ...moved, balance: 'account', effect: ['-feeAmount'], when: { transactionAmount: 'before_fee' } };
const feeTaken: Given = { ...moved, balance: 'operating', effect: ['+feeAmount'], when: { transferFee: 'operating' } };

const defaults: Record<MovementOperation, Given[]> = {
  paymentCollected: [
    { balance: 'operating', effect: ['+amountNetMerchant'], shownBy: 'payment_intent', when: { payments: 'intent' } },
  ],
  payinConfirmed: [
    {
      balance: 'operating',
      effect: ['+amountNet'],
      states: CONFIRMED,
      time: 'statusHistory',
      shownBy: 'payment_intent',
      when: { payments: 'payins' },
    },
  ],
  merchantDeposit: [{ balance: 'operating', effect: ['+amountNet'], states: CONFIRMED, shownBy: 'nothing' }],
  internalTransferIn: [{ balance: 'operating', effect: ['+amountNet'], states: CONFIRMED, shownBy: 'nothing' }],
  disputeEncash: [
    {
      balance: 'operating',
      effect: [],
      states: { field: 'irregularStatus', only: ['encashed'] },
      time: 'irregularActionAt',
      shownBy: 'payment_intent',
    },
  ],
  disputeRefund: debits({ when: { disputeRefund: 'operating' } }),
  autoSettlement: [
    {
      balance: 'operating',
      effect: null,
      states: { field: 'status', only: ['completed'] },
      shownBy: 'nothing',
      where: { 'autoSettlement.enabled': true },
    },
  ],
  payout: debits(),
  internalPayout: debits(),
  refund: debits(),
  settlement: debits({ shownBy: 'nothing' }),
  networkFee: [
    { ...sent, effect: ['-networkFeeAmount'], asset: 'networkFeeAssetCode', when: { networkFee: 'operating' } },
  ],
  accountDeposit: [own, less],
  accountPayout: [own, less],
  transferToOperating: [own, { ...moved, balance: 'operating', effect: ['-amount', '-feeAmount'] }, feeTaken],
  transferFromOperating: [
    own,
    less,
    { ...moved, balance: 'operating', effect: ['-amount'] },
    { ...moved, balance: 'operating', effect: ['-feeAmount'], when: { transactionAmount: 'whole' } },
    feeTaken,
  ],
  transferToAccount: [own, feeTaken],
  transferFromAccount: [own, less],
  accountClose: [own, { ...moved, balance: 'operating', effect: ['-amount'] }],
};

/** One operation's lines: a file that names an operation gives all of them. */
const lines = (operation: MovementOperation) =>
  z.array(line).default(() => defaults[operation].map((given) => line.parse(given)));

const operations = z.strictObject(
  Object.fromEntries(Object.keys(defaults).map((name) => [name, lines(name as MovementOperation)])) as {
    [O in MovementOperation]: ReturnType<typeof lines>;
  },
);

export const movements = z
  .strictObject({
    choices,
    words: z
      .strictObject({
        payoutType: wordClasses(defaultPayoutWords),
        transactionType: wordClasses({
          deposit: ['deposit'],
          withdrawal: ['withdrawal', 'payout'],
          transferIn: ['transfer_in'],
          transferOut: ['transfer_out'],
          closure: ['closure', 'close'],
        }),
      })
      .prefault({}),
    operations: operations.prefault({}),
  })
  .prefault({}) satisfies z.ZodType<MovementTable>;

function areApart(classes: Readonly<Record<string, readonly string[]>>): boolean {
  const all = Object.values(classes).flat();
  return new Set(all).size === all.length;
}
