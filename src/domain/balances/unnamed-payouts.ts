import { addAmounts, compareAmounts, isZero, negated, subtractAmounts } from '../money.js';

/** The feed debits it when it is made, its own record when it is confirmed: the two may be counted at different times. */
export interface WithdrawalInDoubt {
  id: string;
  /** The sub-wallet that it was asked of; null: that is not shown. */
  account: string | null;
  /** What it debits, a negative amount; null: that is not known. */
  debit: string | null;
  /** Ms; null: not shown. */
  createdAt: number | null;
  /** `under_way`: not confirmed yet. `at_opening`: it was under way when the books were opened, and is confirmed since. */
  when: 'under_way' | 'at_opening';
}

export interface ShownDebit {
  account: string;
  delta: string;
  createdAt: number | null;
  /** It stood already when the books were opened. */
  stood: boolean;
  /** Ids of withdrawals in doubt that it names, whatever the field. */
  names: readonly string[];
}

export interface UnnamedPayouts {
  /** To be added to what is explained: what the service shows to be a sub-wallet's. */
  correction: string;
  /** Whose they are, or when they are debited, is not shown. `most`: all of them together, positive; null: not known. */
  underWay: { ids: string[]; most: string | null };
  atOpening: { ids: string[]; amounts: string[]; most: string };
  /** What those under way come to of which a sub-wallet shows a debit of the same amount at the same time, positive. */
  likely: string;
}

/** A debit that is booked when the payout is made is no further from it. */
const TOGETHER_MS = 10 * 60_000;

/** By a transaction that names the payout, or has its sub-wallet, amount and time. None is taken by its amount alone. */
export function classifyUnnamed(payouts: readonly WithdrawalInDoubt[], debits: readonly ShownDebit[]): UnnamedPayouts {
  const left = [...debits];
  const found: UnnamedPayouts = {
    correction: '0',
    underWay: { ids: [], most: '0' },
    atOpening: { ids: [], amounts: [], most: '0' },
    likely: '0',
  };
  const doubtful: WithdrawalInDoubt[] = [];
  for (const payout of payouts) {
    const named = take(left, ({ names }) => names.includes(payout.id));
    if (named === undefined) doubtful.push(payout);
    else correct(found, payout, named);
  }
  for (const payout of doubtful) {
    const debit = take(left, (one) => isAlike(payout, one));
    if (debit !== undefined && payout.account === debit.account) correct(found, payout, debit);
    else doubt(found, payout, debit !== undefined);
  }
  return found;
}

/** The first that is so, which is in the list no more. */
function take<One>(list: One[], is: (one: One) => boolean): One | undefined {
  const at = list.findIndex(is);
  return at < 0 ? undefined : list.splice(at, 1)[0];
}

function correct(found: UnnamedPayouts, { debit, when }: WithdrawalInDoubt, shown: ShownDebit): void {
  if (shown.stood !== (when === 'at_opening')) return;
  const counted = debit ?? shown.delta;
  found.correction =
    when === 'under_way' ? addAmounts(found.correction, counted) : subtractAmounts(found.correction, counted);
}

function doubt(found: UnnamedPayouts, { id, debit, when }: WithdrawalInDoubt, isLikely: boolean): void {
  const { underWay, atOpening } = found;
  if (debit === null) underWay.most = null;
  if (when === 'at_opening') {
    const amount = negated(debit ?? '0');
    atOpening.ids.push(id);
    atOpening.amounts.push(amount);
    atOpening.most = addAmounts(atOpening.most, amount);
    return;
  }
  underWay.ids.push(id);
  if (debit === null) return;
  if (underWay.most !== null) underWay.most = subtractAmounts(underWay.most, debit);
  if (isLikely) found.likely = subtractAmounts(found.likely, debit);
}

function isAlike({ account, debit, createdAt, when }: WithdrawalInDoubt, shown: ShownDebit): boolean {
  if (shown.names.length > 0 || shown.stood !== (when === 'at_opening') || debit === null) return false;
  if (account !== null && account !== shown.account) return false;
  if (createdAt === null || shown.createdAt === null) return false;
  return Math.abs(createdAt - shown.createdAt) <= TOGETHER_MS && compareAmounts(debit, shown.delta) === 0;
}

export interface HeldResidual {
  /** Without what the payouts most likely make of it for which a sub-wallet shows a debit: those come and go. */
  unexplained: string;
  /** Those that were under way then; none: it was classified. */
  payouts: string[];
}

/** What is left over may be payouts under way, until all have ended that were so when it first was. Null: it is classified now. */
export function holdResidual(
  unexplained: string,
  { underWay, likely }: UnnamedPayouts,
  before: HeldResidual | null,
): HeldResidual | null {
  const { ids, most } = underWay;
  // The sub-wallets' debits make it less than nothing, and no more so than all of those payouts.
  if (ids.length === 0 || compareAmounts(unexplained, '0') >= 0) return null;
  if (most !== null && compareAmounts(addAmounts(unexplained, most), '0') < 0) return null;
  const rest = addAmounts(unexplained, likely);
  if (isZero(rest) || before === null || compareAmounts(before.unexplained, rest) !== 0)
    return { unexplained: rest, payouts: ids };
  return before.payouts.some((id) => ids.includes(id)) ? before : null;
}

/** To be kept with what was classified: the same is not held anew for payouts that are made later. */
export function classifiedResidual(
  unexplained: string,
  unnamed: Pick<UnnamedPayouts, 'likely'> | null,
): HeldResidual | null {
  if (compareAmounts(unexplained, '0') >= 0) return null;
  return { unexplained: addAmounts(unexplained, unnamed?.likely ?? '0'), payouts: [] };
}
