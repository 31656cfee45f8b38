import { addAmounts, compareAmounts, isAmount } from '../money.js';
import { textField } from '../records.js';
import { accounts } from './chart.js';
import { datedAs } from './dating.js';
import type { BookRecord, Draft, Line, Moved } from './entry.js';
import { balanceAccount, line, negated, sinceOpening, stoodAtOpening } from './lines.js';

/** Where a payout went to, by its operation. */
const purposes = {
  payout: { account: accounts.withdrawals, description: 'payout' },
  internalPayout: { account: accounts.transfers, description: 'payout to another merchant' },
  refund: { account: accounts.refunds, description: 'refund of a payment' },
  disputeRefund: { account: accounts.refunds, description: 'refund of a dispute' },
  settlement: { account: accounts.conversion, description: 'settlement, the crypto leg' },
} as const;

/**
 * A payout (specification 2.4): what it debited, with the service's fee where the merchant bears it (4.4, 4.5). Of one whose
 * balance nobody names the debit is in transit until the sub-wallets' transactions show whose it was. The gas is a memo until
 * a transaction shows that the merchant bore it.
 */
export function payoutEntries(record: BookRecord): Draft[] {
  const drafts = record.moved.flatMap((moved): Draft[] => {
    const asset = moved.assetCode;
    const amount = sinceOpening(moved);
    if (amount === null || asset === null || moved.part === 'unclear') return [];
    if (moved.operation === 'networkFee') return [networkFee(record, moved, [line(accounts.operating, asset, amount)])];
    const purpose = purposeOf(moved);
    if (purpose === null) return [];
    return [
      {
        ...about(record, moved),
        key: 'payout',
        lines: debit(record, moved, { amount, asset, purpose: purpose.account }),
        description: purpose.description,
      },
    ];
  });
  const isBorne = drafts.some(({ key }) => key === 'network-fee');
  return isBorne ? drafts : [...drafts, ...networkMemo(record)];
}

function purposeOf({ operation }: Moved): (typeof purposes)[keyof typeof purposes] | null {
  const found = Object.entries(purposes).find(([name]) => name === operation);
  return found?.[1] ?? null;
}

/** A fee that the recipient bears is none of the merchant's: the whole debit went to the purpose. */
function debit(
  { fields }: BookRecord,
  moved: Moved,
  { amount, asset, purpose }: { amount: string; asset: string; purpose: string },
): Line[] {
  const feeAmount = fields?.['feeAmount'];
  const isOurs = fields !== null && textField(fields, 'feeBearer') === 'merchant' && !stoodAtOpening(moved);
  const fee = isOurs && isAmount(feeAmount) && compareAmounts(amount, '0') !== 0 ? feeAmount : '0';
  return [
    line(balanceAccount(moved), asset, amount),
    line(accounts.serviceFees, asset, fee),
    line(purpose, asset, negated(addAmounts(amount, fee))),
  ];
}

function networkFee(record: BookRecord, moved: Moved, [debited]: readonly [Line]): Draft {
  const { assetCode, amount } = debited;
  return {
    ...about(record, moved),
    key: 'network-fee',
    lines: [debited, line(accounts.networkFees, assetCode, negated(amount))],
    description: 'network fee of a payout',
  };
}

function networkMemo(record: BookRecord): Draft[] {
  const { fields, moved } = record;
  const [amount, asset] = [
    fields?.['networkFeeAmount'],
    fields === null ? null : textField(fields, 'networkFeeAssetCode'),
  ];
  // Not of one that is inside the opening.
  const isOld = moved.some(stoodAtOpening);
  if (fields === null || isOld || asset === null || !isAmount(amount)) return [];
  const own = textField(fields, 'assetCode');
  if (own === null || textField(fields, 'status') !== 'confirmed') return [];
  return [
    {
      ...about(record, { at: null }),
      key: 'network-fee',
      lines: [{ ...line(accounts.networkFees, asset, amount), memo: true }],
      description: 'network fee of a payout; who bore it is not shown',
      opening: { assetCode: own, isSince: moved.some(({ assetCode, base }) => assetCode === own && base !== null) },
    },
  ];
}

function about(record: BookRecord, moved: Pick<Moved, 'at'>): Omit<Draft, 'key' | 'lines' | 'description'> {
  const { kind: recordKind, id: recordId } = record;
  const dated = datedAs(record, moved, ['confirmed']);
  return { recordKind, recordId, mode: 'fact', sources: [{ kind: recordKind, id: recordId }], dated };
}
