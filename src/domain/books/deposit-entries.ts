import { addAmounts, compareAmounts, isAmount } from '../money.js';
import { textField } from '../records.js';
import { accounts } from './chart.js';
import { datedAs } from './dating.js';
import type { BookRecord, Draft } from './entry.js';
import { line, negated, sinceOpening, stoodAtOpening } from './lines.js';

/** Where a deposit came from, by its operation. */
const origins = {
  payinConfirmed: { account: accounts.payments, description: 'deposit of a payment' },
  merchantDeposit: { account: accounts.deposits, description: 'deposit of the merchant’s own' },
  internalTransferIn: { account: accounts.transfers, description: 'transfer from another merchant' },
} as const;

/** A deposit by itself (specification 2.2): gross, fee and net. */
export function depositEntries(record: BookRecord): Draft[] {
  return record.moved.flatMap((moved): Draft[] => {
    const origin = Object.entries(origins).find(([name]) => name === moved.operation)?.[1];
    const amount = sinceOpening(moved);
    const asset = moved.assetCode;
    if (origin === undefined || amount === null || asset === null || moved.part === 'unclear') return [];
    const { fields } = record;
    const told = fields?.['feeAmount'];
    const fee = !stoodAtOpening(moved) && isAmount(told) && compareAmounts(amount, '0') !== 0 ? told : '0';
    const intent = fields === null ? null : textField(fields, 'paymentIntentId');
    return [
      {
        recordKind: record.kind,
        recordId: record.id,
        key: 'payin',
        mode: 'fact',
        lines: [
          line(accounts.operating, asset, amount),
          line(accounts.serviceFees, asset, fee),
          line(origin.account, asset, negated(addAmounts(amount, fee))),
        ],
        description: origin.description,
        sources: [
          { kind: 'payin', id: record.id },
          ...(intent === null ? [] : [{ kind: 'payment_intent', id: intent }]),
        ],
        dated: datedAs(record, moved, ['confirmed']),
      },
    ];
  });
}
