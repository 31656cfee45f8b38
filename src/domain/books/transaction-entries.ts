import { addAmounts, isSignedAmount, negated, subtractAmounts, sumAmounts } from '../money.js';
import { accounts, subWalletAccount } from './chart.js';
import { type BookChoices, type BookRecord, type Draft, draftOf, type Line, type Moved } from './entry.js';
import { line, sinceOpening, stoodAtOpening } from './lines.js';
import { datedAs } from './payment-dating.js';

const descriptions: Readonly<Record<string, string>> = {
  accountDeposit: 'deposit to a sub-wallet',
  accountPayout: 'payout from a sub-wallet',
  transferToOperating: 'transfer from a sub-wallet to the operating balance',
  transferFromOperating: 'transfer from the operating balance to a sub-wallet',
  transferToAccount: 'transfer between sub-wallets, received',
  transferFromAccount: 'transfer between sub-wallets, sent',
  accountClose: 'what a closed sub-wallet held',
};

/** A transaction of a sub-wallet (4.6, 4.11): what it holds is owed to its end user, and what moves to or from it changes hands. */
export function transactionEntries(record: BookRecord, choices: BookChoices): Draft[] {
  const operations = new Set(record.moved.map(({ operation }) => operation));
  return [...operations].flatMap((operation): Draft[] => {
    const parts = record.moved.filter((moved) => moved.operation === operation && moved.part !== 'unclear');
    const [first] = parts;
    const lines = parts.flatMap(legs);
    if (operation === null || first === undefined || lines.length === 0) return [];
    const asset = first.assetCode ?? '';
    const operating = sumAmounts(
      lines.filter(({ account }) => account === accounts.operating).map((one) => one.amount),
    );
    const shown = record.fields?.['feeAmount'];
    const fee = !parts.some(stoodAtOpening) && isSignedAmount(shown) ? shown : '0';
    const own = sumAmounts(parts.filter(({ account }) => account !== null).flatMap((one) => sinceOpening(one) ?? []));
    return [
      draftOf(record, {
        key: operation,
        mode: 'fact',
        lines: [...lines, ...otherSide(operation, { asset, operating, fee, own, choices })],
        description: descriptions[operation] ?? operation,
        dated: datedAs(record, first, []),
      }),
    ];
  });
}

function legs(moved: Moved): Line[] {
  const amount = sinceOpening(moved);
  const { account, assetCode } = moved;
  if (amount === null || assetCode === null) return [];
  if (account === null) return [line(accounts.operating, assetCode, amount)];
  return [
    line(subWalletAccount(accounts.subWallets, account), assetCode, amount),
    line(subWalletAccount(accounts.customers, account), assetCode, negated(amount)),
  ];
}

interface Sides {
  asset: string;
  /** What the operating balance gained. */
  operating: string;
  fee: string;
  /** What the sub-wallet gained. */
  own: string;
  choices: BookChoices;
}

function otherSide(operation: string, { asset, operating, fee, own, choices }: Sides): Line[] {
  if (operation === 'accountDeposit') return [];
  if (operation === 'accountPayout') {
    // The payout's own record has put its debit in transit: whose it was is said here.
    return [
      line(accounts.payoutsInTransit, asset, negated(own)),
      line(accounts.serviceFees, asset, negated(fee)),
      line(accounts.withdrawals, asset, addAmounts(own, fee)),
    ];
  }
  if (operation === 'accountClose') return [line(accounts.closedWallets, asset, negated(operating))];
  // A transfer between two sub-wallets has the merchant’s fee on the side that sent.
  const isTaken = choices.transferFee === 'operating' && operation !== 'transferFromAccount';
  const taken = isTaken ? fee : '0';
  const purpose = operation === 'transferFromOperating' ? accounts.toSubWallets : accounts.fromSubWallets;
  return [line(accounts.transferFees, asset, negated(taken)), line(purpose, asset, subtractAmounts(taken, operating))];
}
