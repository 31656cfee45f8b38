import { isJsonObject } from '../json.js';
import { addAmounts, compareAmounts, isAmount, subtractAmounts, sumAmounts } from '../money.js';
import { textField } from '../records.js';
import { accounts } from './chart.js';
import { momentOf } from './dating.js';
import type { BookChoices, BookRecord, Dated, Draft, Moved } from './entry.js';
import { line, negated, sinceOpening, stoodAtOpening } from './lines.js';
import { differenceDate, disputeOf, heldDate, neverCounted, paidDate, payinDate } from './payment-dating.js';

type Credit = Pick<Moved, 'assetCode' | 'delta' | 'base'>;

interface CreditedPayin {
  id: string;
  net: string;
  fee: string;
  dated: Dated;
}

/**
 * A payment (specification 2.1): what it brought, payin by payin where they are shown, and what differs from their sum,
 * such as the part that a dispute holds back, as a state of the payment.
 */
export function paymentEntries(record: BookRecord, choices: Pick<BookChoices, 'payments'>): Draft[] {
  const collected = record.moved.filter(({ operation }) => operation === 'paymentCollected');
  const credits = collected.filter(({ delta }) => delta !== null);
  const none = choices.payments === 'intent' && collected.length === 0 ? takenBack(record) : [];
  return [...[...credits, ...none].flatMap((credit) => creditEntries(record, credit)), ...heldEntries(record)];
}

/** What counts of it is what it brought, beside what a dispute holds back. */
function isHeldBack(record: BookRecord): boolean {
  return ['pending_decision', 'refunded'].includes(disputeOf(record) ?? '');
}

/** A net of nothing moves nothing; of a payment that was completed, a dispute took back what it had brought. */
function takenBack(record: BookRecord): Credit[] {
  const assetCode = record.fields === null ? null : textField(record.fields, 'assetCode');
  if (assetCode === null || !isCompletedInDispute(record)) return [];
  return [{ assetCode, delta: '0', base: '0' }];
}

function creditEntries(record: BookRecord, credit: Credit): Draft[] {
  const net = sinceOpening(credit);
  const asset = credit.assetCode;
  if (net === null || asset === null) return [];
  // What of the fee was taken before the opening is not known then, nor which payins stood.
  const isOwn = record.fields !== null && textField(record.fields, 'assetCode') === asset;
  const isOld = stoodAtOpening(credit) || !isOwn;
  const total = record.fields?.['feeAmountTotal'];
  const fee = !isOld && isAmount(total) && compareAmounts(net, '0') !== 0 ? total : '0';
  const payins = isOld ? [] : creditedPayins(record, asset, net);
  const rest = {
    net: subtractAmounts(net, sumAmounts(payins.map((one) => one.net))),
    fee: subtractAmounts(fee, sumAmounts(payins.map((one) => one.fee))),
  };
  const paid = paidDate(
    record,
    payins.map(({ dated }) => dated),
  );
  const key = isOwn ? 'payment' : `payment:${asset}`;
  return [
    ...payins.map(
      (one): Draft => ({
        ...draft(record, `payin:${one.id}`, collected(asset, one), one.dated),
        mode: 'fact',
        description: 'deposit of a payment',
        sources: [...sourcesOf(record), { kind: 'payin', id: one.id }],
      }),
    ),
    {
      ...draft(record, key, collected(asset, rest), differenceDate(record, paid)),
      ...(isOld || payins.length > 0 || !isHeldBack(record) ? {} : { firstDated: paid }),
      description: isOld ? 'payment, as far as it came after the opening' : 'payment',
    },
  ];
}

/** Gross income, the service's fee, and the net on the operating balance. */
function collected(asset: string, { net, fee }: { net: string; fee: string }): Draft['lines'] {
  return [
    line(accounts.operating, asset, net),
    line(accounts.serviceFees, asset, fee),
    line(accounts.payments, asset, negated(addAmounts(net, fee))),
  ];
}

/**
 * Payins that count, or that counted until a dispute took them back, with all their amounts, in the payment's own asset; none
 * where one of them is not known.
 */
function creditedPayins(record: BookRecord, asset: string, net: string): CreditedPayin[] {
  const { fields } = record;
  const isDisputed = isCompletedInDispute(record);
  if (compareAmounts(net, '0') === 0 && (!isDisputed || neverCounted(record))) return [];
  const states = isDisputed ? ['confirmed', 'unmatched'] : ['confirmed'];
  const summaries = Array.isArray(fields?.['payins']) ? fields['payins'] : [];
  const credited = summaries.filter(isJsonObject).filter((one) => states.includes(textField(one, 'status') ?? ''));
  const payins = credited.flatMap((one): CreditedPayin[] => {
    const [id, net, fee] = [textField(one, 'id'), one['amountNet'], one['feeAmount']];
    if (id === null || !isAmount(net) || !(isAmount(fee) || fee === null)) return [];
    if (textField(one, 'assetCode') !== asset) return [];
    return [{ id, net, fee: fee ?? '0', dated: payinDate(record, momentOf(one['createdAt'])) }];
  });
  const isWhole = new Set(payins.map(({ id }) => id)).size === credited.length;
  return isWhole && !isTakenBackBefore(record, payins) ? payins : [];
}

/** A dispute took back, before the books were opened, what these had brought: what is decided of it since is all that they did. */
function isTakenBackBefore({ dispute }: BookRecord, payins: readonly CreditedPayin[]): boolean {
  const opened = dispute?.booksOpenedAt ?? null;
  if (opened === null || !isAmount(dispute?.firstNet) || compareAmounts(dispute.firstNet, '0') !== 0) return false;
  return payins.some(({ dated }) => dated.at < opened);
}

/** What completes a payment counted; of a dispute that opens later its payins may be shown as unmatched again. */
function isCompletedInDispute(record: BookRecord): boolean {
  return disputeOf(record) !== null && textField(record.fields ?? {}, 'status') === 'completed';
}

/** What is in question is held by the service until it is decided (3.2): in no balance, and not yet earned. */
function heldEntries(record: BookRecord): Draft[] {
  const fields = record.fields ?? {};
  const asset = textField(fields, 'assetCode');
  if (asset === null) return [];
  const state = disputeOf(record);
  const rejected = fields['amountRejected'];
  const held = state === 'pending_decision' && isAmount(rejected) ? rejected : '0';
  const lines = [line(accounts.held, asset, held), line(accounts.disputes, asset, negated(held))];
  return [
    {
      ...draft(record, 'held', lines, heldDate(record)),
      description: held === '0' ? `dispute ${state ?? 'over'}` : 'dispute: the part in question',
    },
  ];
}

function sourcesOf({ kind, id }: BookRecord): Draft['sources'] {
  return [{ kind, id }];
}

function draft(record: BookRecord, key: string, lines: Draft['lines'], dated: Dated): Omit<Draft, 'description'> {
  const { kind: recordKind, id: recordId } = record;
  return { recordKind, recordId, key, mode: 'state', lines, sources: sourcesOf(record), dated };
}
