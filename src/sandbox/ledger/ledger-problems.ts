import { amountOf, formatAmount } from '../base/money.js';
import type { Intent } from '../payments/intent.js';
import { debitOf, isFinal } from '../payouts/payout.js';
import type { Merchant } from '../service.js';
import { type Entry, type LedgerAccount, walletHolder } from './ledger.js';

/** Amounts by what they are about. */
type Sums = Map<string, bigint>;

/**
 * Everything in a merchant's books that does not add up, each as a sentence; empty when all is well: entries sum to zero,
 * balances are the sums of their lines, frozen amounts those of open payouts, transactions of a sub-wallet its balance, and
 * each record's money what its record says.
 */
export function ledgerProblems(merchant: Merchant): string[] {
  const lines: Sums = new Map();
  const byRecord = new Map<string, Entry[]>();
  const problems: string[] = [];
  for (const entry of merchant.ledger.entries()) {
    if (entry.lines.reduce((sum, { amount }) => sum + amount, 0n) !== 0n)
      problems.push(`entry ${entry.number} is not zero`);
    for (const { account, amount } of entry.lines) add(lines, `${account} ${entry.assetCode}`, amount);
    byRecord.set(entry.recordId, [...(byRecord.get(entry.recordId) ?? []), entry]);
  }
  return [
    ...problems,
    ...balanceProblems(merchant, lines),
    ...frozenProblems(merchant),
    ...walletProblems(merchant),
    ...recordProblems(merchant, byRecord),
  ];
}

function add(sums: Sums, key: string, amount: bigint): void {
  sums.set(key, (sums.get(key) ?? 0n) + amount);
}

function balanceProblems({ ledger }: Merchant, lines: Sums): string[] {
  const problems: string[] = [];
  for (const account of ledger.accounts()) {
    for (const assetCode of ledger.assetsOf(account)) {
      const key = `${account} ${assetCode}`;
      const balance = ledger.balance(account, assetCode);
      const booked = lines.get(key) ?? 0n;
      if (balance !== booked) problems.push(`${key}: balance ${formatAmount(balance)}, lines ${formatAmount(booked)}`);
      const frozen = ledger.frozen(account, assetCode);
      const bound = account !== 'world' && account !== 'fees';
      if (frozen < 0n || (bound && balance < frozen)) problems.push(`${key}: ${formatAmount(frozen)} is frozen`);
      lines.delete(key);
    }
  }
  return [...problems, ...[...lines.keys()].map((key) => `${key}: lines without a balance`)];
}

function frozenProblems({ ledger, payouts }: Merchant): string[] {
  const wanted: Sums = new Map();
  for (const payout of payouts.all()) {
    if (!isFinal(payout)) add(wanted, `${payout.holder} ${payout.assetCode}`, debitOf(payout));
  }
  return ledger.accounts().flatMap((account) =>
    ledger.assetsOf(account).flatMap((assetCode) => {
      const key = `${account} ${assetCode}`;
      const open = wanted.get(key) ?? 0n;
      const frozen = ledger.frozen(account, assetCode);
      return frozen === open ? [] : [`${key}: frozen ${formatAmount(frozen)}, open payouts ${formatAmount(open)}`];
    }),
  );
}

function walletProblems({ ledger, transactions, wallets }: Merchant): string[] {
  const moved: Sums = new Map();
  for (const { accountId, assetCode, amount } of transactions.all()) add(moved, `${accountId} ${assetCode}`, amount);
  return wallets.all().flatMap(({ id, isTerminal }) =>
    ledger.assetsOf(walletHolder(id)).flatMap((assetCode) => {
      const balance = ledger.balance(walletHolder(id), assetCode);
      const sum = moved.get(`${id} ${assetCode}`) ?? 0n;
      const said = `${id} ${assetCode}: balance ${formatAmount(balance)}`;
      if (isTerminal && balance !== 0n) return [`${said} after its closing`];
      return balance === sum ? [] : [`${said}, transactions ${formatAmount(sum)}`];
    }),
  );
}

function recordProblems(merchant: Merchant, byRecord: ReadonlyMap<string, Entry[]>): string[] {
  const moved = (id: string, account: LedgerAccount): bigint =>
    (byRecord.get(id) ?? [])
      .flatMap(({ lines }) => lines)
      .reduce((sum, line) => (line.account === account ? sum + line.amount : sum), 0n);
  const problems: string[] = [];
  const expectMoved = (id: string, account: LedgerAccount, amount: bigint): void => {
    const booked = moved(id, account);
    if (booked !== amount) problems.push(`${id}: ${formatAmount(booked)} on ${account}, not ${formatAmount(amount)}`);
  };
  for (const payout of merchant.payouts.all()) {
    if (payout.isPast) continue;
    expectMoved(payout.id, payout.holder, payout.status === 'confirmed' ? -debitOf(payout) : 0n);
    expectMoved(payout.id, 'fees', payout.status === 'confirmed' ? payout.feeAmount : 0n);
  }
  for (const { id, isPast, status, amountGross } of merchant.deposits.all()) {
    if (isPast) continue;
    expectMoved(id, 'world', status === 'confirmed' || status === 'unmatched' ? -amountGross : 0n);
  }
  for (const transfer of merchant.transfers.all()) {
    if (transfer.isPast) continue;
    const from = transfer.fromAccountId;
    if (from !== null) expectMoved(transfer.id, walletHolder(from), -transfer.amount);
    const to = transfer.toAccountId;
    if (to !== null) expectMoved(transfer.id, walletHolder(to), transfer.amount - transfer.feeAmount);
  }
  for (const intent of presentIntents(merchant)) {
    expectMoved(intent.id, 'operating', amountOf(intent.amountNetMerchant));
    expectMoved(intent.id, 'fees', amountOf(intent.feeAmountTotal));
    expectMoved(intent.id, 'world', -amountOf(intent.totalAmountReceived));
  }
  return problems;
}

/** Those of the past are in the opening balance. */
function* presentIntents({ intents }: Merchant): Generator<Intent> {
  for (let position = intents.pastCount(); position < intents.size(); position += 1) {
    const intent = intents.at(position);
    if (intent) yield intent;
  }
}
