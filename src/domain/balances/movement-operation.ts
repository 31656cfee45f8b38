import { classOf, payoutClass } from '../family/links.js';
import { textField } from '../records.js';
import type { MovementOperation, MovementRecord, MovementTable } from './movement-table.js';

export type Operations = { operations: readonly MovementOperation[] } | { unclear: string };

/** Which operations a record stands for. One that another list shows whole (a sub-wallet's payout) stands for none here. */
export function operationsOf(record: MovementRecord, table: MovementTable): Operations {
  if (record.kind === 'payment_intent') return { operations: ['paymentCollected', 'disputeEncash', 'autoSettlement'] };
  if (record.kind === 'payin') return ofPayin(record);
  return record.kind === 'payout' ? ofPayout(record, table) : ofTransaction(record, table);
}

/** Specification 2.2. */
function ofPayin({ fields }: MovementRecord): Operations {
  const type = textField(fields, 'payinType');
  if (type === 'merchant_deposit') return { operations: ['merchantDeposit'] };
  if (type === 'internal_transfer') return { operations: ['internalTransferIn'] };
  if (type !== null && type !== 'blockchain') return { unclear: `payinType "${type}" is not known` };
  if (textField(fields, 'paymentIntentId') !== null) return { operations: ['payinConfirmed'] };
  // What a sub-wallet gets stands among its own transactions.
  if (textField(fields, 'addressPurpose') === 'STATIC_ADDRESS') return { operations: [] };
  return { unclear: 'a payin without a payment: which balance it went to is not shown' };
}

/** Specification 2.4. What a sub-wallet pays, to whomever, stands among its own transactions. */
function ofPayout(record: MovementRecord, table: MovementTable): Operations {
  const found = payoutClass(record.fields, table.words.payoutType);
  const type = textField(record.fields, 'payoutType');
  if (found === null) return { unclear: `payoutType ${quoted(type)} is on no list of movements.words.payoutType` };
  if (found === 'settlement') return { operations: ['settlement', 'networkFee'] };
  if (found === 'refund') {
    if (record.ofDispute === undefined) return { unclear: 'whether a dispute made this refund is not known' };
    return { operations: [record.ofDispute ? 'disputeRefund' : 'refund', 'networkFee'] };
  }
  if (typeof record.accountId === 'string') return { operations: ['networkFee'] };
  if (record.accountId === null || table.choices.unnamedPayout === 'operating') {
    return { operations: [found === 'internal' ? 'internalPayout' : 'payout', 'networkFee'] };
  }
  return { unclear: 'which balance this payout debits is not shown' };
}

/** Specification 3.6, 4.6, 4.11, 4.12. The other side of a transfer is null where it is the operating balance. */
function ofTransaction({ fields }: MovementRecord, table: MovementTable): Operations {
  const type = textField(fields, 'type');
  const found = classOf(type, table.words.transactionType);
  if (found === null) return { unclear: `type ${quoted(type)} is on no list of movements.words.transactionType` };
  if (found === 'deposit') return { operations: ['accountDeposit'] };
  if (found === 'withdrawal') return { operations: ['accountPayout'] };
  if (found === 'closure') return { operations: ['accountClose'] };
  const other = Object.hasOwn(fields, 'counterpartyAccountId') ? fields['counterpartyAccountId'] : undefined;
  if (other === undefined) return { unclear: 'the other side of this transfer is not shown' };
  if (found === 'transferOut') return { operations: [other === null ? 'transferToOperating' : 'transferToAccount'] };
  return { operations: [other === null ? 'transferFromOperating' : 'transferFromAccount'] };
}

function quoted(word: string | null): string {
  return word === null ? '(not shown)' : `"${word}"`;
}
