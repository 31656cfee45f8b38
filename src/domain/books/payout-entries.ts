import { addAmounts, isAmount, negated } from '../money.js';
import { textField } from '../records.js';
import { type Account, accounts } from './chart.js';
import { type BookRecord, type Draft, draftOf } from './entry.js';
import { feeBeside, line, sinceOpening, stoodAtOpening } from './lines.js';
import { datedAs } from './payment-dating.js';

const purposes: Readonly<Record<string, { account: Account; description: string }>> = {
  payout: { account: accounts.withdrawals, description: 'payout' },
  internalPayout: { account: accounts.transfers, description: 'payout to another merchant' },
  refund: { account: accounts.refunds, description: 'refund of a payment' },
  disputeRefund: { account: accounts.refunds, description: 'refund of a dispute' },
  settlement: { account: accounts.conversion, description: 'settlement, the crypto leg' },
};

/**
 * A payout (specification 2.4): what it debited, with the service's fee where the merchant bears it (4.4, 4.5). Of one whose
 * balance nobody names the debit is in transit until the sub-wallets' transactions show whose it was. The gas is a memo until
 * a transaction shows that the merchant bore it.
 */
export function payoutEntries(record: BookRecord): Draft[] {
  const drafts = record.moved.flatMap((moved): Draft[] => {
    const { assetCode: asset, operation, part } = moved;
    const amount = sinceOpening(moved);
    if (amount === null || asset === null || part === 'unclear') return [];
    const about = { mode: 'fact', dated: datedAs(record, moved, ['confirmed']) } as const;
    if (operation === 'networkFee') {
      const lines = [line(accounts.operating, asset, amount), line(accounts.networkFees, asset, negated(amount))];
      return [draftOf(record, { ...about, key: 'network-fee', lines, description: 'network fee of a payout' })];
    }
    const purpose = purposes[operation ?? ''];
    if (purpose === undefined) return [];
    // A fee that the recipient bears is none of the merchant's: the whole debit went to the purpose.
    const isOurs = textField(record.fields, 'feeBearer') === 'merchant';
    const fee = isOurs ? feeBeside(amount, moved, record.fields?.['feeAmount']) : '0';
    const lines = [
      line(part === 'unplaced' ? accounts.payoutsInTransit : accounts.operating, asset, amount),
      line(accounts.serviceFees, asset, fee),
      line(purpose.account, asset, negated(addAmounts(amount, fee))),
    ];
    return [draftOf(record, { ...about, key: 'payout', lines, description: purpose.description })];
  });
  const isBorne = drafts.some(({ key }) => key === 'network-fee');
  return isBorne ? drafts : [...drafts, ...networkMemo(record)];
}

function networkMemo(record: BookRecord): Draft[] {
  const { fields, moved } = record;
  const amount = fields?.['networkFeeAmount'];
  const [asset, own] = [textField(fields, 'networkFeeAssetCode'), textField(fields, 'assetCode')];
  // Not of one that is inside the opening.
  if (moved.some(stoodAtOpening) || asset === null || own === null || !isAmount(amount)) return [];
  if (textField(fields, 'status') !== 'confirmed') return [];
  return [
    draftOf(record, {
      key: 'network-fee',
      mode: 'fact',
      lines: [{ ...line(accounts.networkFees, asset, amount), memo: true }],
      description: 'network fee of a payout; who bore it is not shown',
      dated: datedAs(record, { at: null }, ['confirmed']),
      opening: { assetCode: own, isSince: moved.some(({ assetCode, base }) => assetCode === own && base !== null) },
    }),
  ];
}
