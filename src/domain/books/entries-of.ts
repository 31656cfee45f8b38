import { grouped } from '../grouped.js';
import { addAmounts, negated } from '../money.js';
import { textField } from '../records.js';
import { type Account, accounts } from './chart.js';
import { type BookChoices, type BookRecord, type Draft, draftOf } from './entry.js';
import { feeBeside, line, netLines, sinceOpening, unbalanced } from './lines.js';
import { datedAs } from './payment-dating.js';
import { paymentEntries } from './payment-entries.js';
import { payoutEntries } from './payout-entries.js';
import { transactionEntries } from './transaction-entries.js';

/**
 * All that the books should say of a record as it stands now, in double entry. What it moved is what balances are proven by
 * (`moved`, made by the contract's table), less what stood at the opening of the books: so the operating account of an asset
 * always is what its proof explains. An effect whose amount or asset is not shown is in none of them.
 */
export function entriesOf(record: BookRecord, choices: BookChoices): Draft[] {
  // What a record did before it said otherwise stands beside what it does: they are one entry.
  const drafts = [...grouped(draftsOf(record, choices), ({ key }) => key).values()].map(
    (same): Draft => ({ ...(same[0] as Draft), lines: netLines(same.flatMap(({ lines }) => lines)) }),
  );
  for (const { key, lines } of drafts) {
    const open = unbalanced(lines);
    if (open.length > 0) throw new Error(`${record.kind} ${record.id}, ${key}: ${open.join(', ')} is not in balance`);
  }
  return drafts;
}

function draftsOf(record: BookRecord, choices: BookChoices): Draft[] {
  switch (record.kind) {
    case 'payment_intent':
      return paymentEntries(record, choices);
    case 'payin':
      return payinEntries(record);
    case 'payout':
      return payoutEntries(record);
    case 'transaction':
      return transactionEntries(record, choices);
    default:
      return record.kind satisfies never;
  }
}

/** Where a payin came from, by its operation. */
const origins: Readonly<Record<string, { account: Account; description: string }>> = {
  payinConfirmed: { account: accounts.payments, description: 'payin of a payment' },
  merchantDeposit: { account: accounts.deposits, description: 'deposit of the merchant’s own' },
  internalTransferIn: { account: accounts.transfers, description: 'transfer from another merchant' },
};

/** A payin by itself (specification 2.2): gross, fee and net. */
export function payinEntries(record: BookRecord): Draft[] {
  return record.moved.flatMap((moved): Draft[] => {
    const origin = origins[moved.operation ?? ''];
    const amount = sinceOpening(moved);
    const asset = moved.assetCode;
    if (origin === undefined || amount === null || asset === null || moved.part === 'unclear') return [];
    const fee = feeBeside(amount, moved, record.fields?.['feeAmount']);
    const lines = [
      line(accounts.operating, asset, amount),
      line(accounts.serviceFees, asset, fee),
      line(origin.account, asset, negated(addAmounts(amount, fee))),
    ];
    const intent = textField(record.fields, 'paymentIntentId');
    const { description } = origin;
    const about = {
      key: 'payin',
      mode: 'fact',
      lines,
      description,
      dated: datedAs(record, moved, ['confirmed']),
    } as const;
    return [draftOf(record, about, ...(intent === null ? [] : [{ kind: 'payment_intent', id: intent }]))];
  });
}
