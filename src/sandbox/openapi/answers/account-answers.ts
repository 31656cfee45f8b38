import { z } from 'zod';
import { WALLET_STATUSES } from '../../wallets/wallet.js';
import { decimal, signedDecimal, time } from './parts.js';

const balance = z.strictObject({ assetCode: z.string(), balance: decimal, frozen: decimal, available: decimal });
const address = z.strictObject({ assetCode: z.string(), address: z.string(), memo: z.string().nullable() });

/** The account record, which the specification does not show (2.5). See unnamed-fields.ts. */
export const accountAnswer = z.strictObject({
  id: z.string(),
  label: z.string().nullable(),
  externalRef: z.string().nullable(),
  email: z.string().nullable(),
  phoneNumber: z.string().nullable(),
  status: z.enum(WALLET_STATUSES),
  isArchived: z.boolean(),
  balances: z.array(balance),
  depositAddresses: z.array(address),
  createdAt: time,
  updatedAt: time,
});

/** The other shape that the list of accounts may have. */
export const accountPageAnswer = z.strictObject({
  items: z.array(accountAnswer),
  nextCursor: z.string().nullable(),
});

export const transferAnswer = z.strictObject({
  id: z.string(),
  status: z.literal('executed'),
  fromAccountId: z.string().nullable().meta({ description: 'null: the operating balance' }),
  toAccountId: z.string().nullable().meta({ description: 'null: the operating balance' }),
  assetCode: z.string(),
  amount: decimal,
  feeAmount: decimal,
  amountNet: decimal,
  note: z.string().nullable(),
  createdAt: time,
});

export const transactionAnswer = z.strictObject({
  id: z.string(),
  accountId: z.string(),
  assetCode: z.string(),
  type: z.enum(['deposit', 'withdrawal', 'transfer_in', 'transfer_out', 'closure']),
  amount: signedDecimal,
  feeAmount: decimal,
  balanceAfter: decimal,
  note: z.string().nullable(),
  referenceId: z.string(),
  counterpartyAccountId: z.string().nullable(),
  createdAt: time,
});
