import { addAmounts, isAmount, isZero, negated, subtractAmounts, sumAmounts } from '../money.js';
import { objectsIn, textField } from '../records.js';
import { momentOf } from '../service-time.js';
import { accounts } from './chart.js';
import { type BookChoices, type BookRecord, type Dated, type Draft, draftOf, heldKey, type Moved } from './entry.js';
import { feeBeside, line, sinceOpening, stoodAtOpening } from './lines.js';
import { differenceDate, disputeOf, heldDate, neverCounted, paidDate, payinDate } from './payment-dating.js';

type Credit = Pick<Moved, 'assetCode' | 'delta' | 'base'>;

interface CreditedPayin {
  id: string;
  net: string;
  fee: string;
  dated: Dated;
}

/** A payment (specification 2.1): payin by payin where they are shown; what differs from their sum is a state of the payment. */
export function paymentEntries(record: BookRecord, choices: Pick<BookChoices, 'payments'>): Draft[] {
  const collected = record.moved.filter(({ operation }) => operation === 'paymentCollected');
  const credits = collected.filter(({ delta }) => delta !== null);
  const none = choices.payments === 'intent' && collected.length === 0 ? takenBack(record) : [];
  return [...[...credits, ...none].flatMap((credit) => creditEntries(record, credit)), ...heldEntries(record)];
}

/** What counts of it is what it brought, beside what a dispute holds back. */
const isHeldBack = (record: BookRecord): boolean => ['pending_decision', 'refunded'].includes(disputeOf(record) ?? '');

/** A net of nothing moves nothing; of a payment that was completed, a dispute took back what it had brought. */
function takenBack(record: BookRecord): Credit[] {
  const assetCode = textField(record.fields, 'assetCode');
  if (assetCode === null || !isCompletedInDispute(record)) return [];
  return [{ assetCode, delta: '0', base: '0' }];
}

function creditEntries(record: BookRecord, credit: Credit): Draft[] {
  const net = sinceOpening(credit);
  const asset = credit.assetCode;
  if (net === null || asset === null) return [];
  // What of the fee was taken before the opening is not known then, nor which payins stood.
  const isOwn = textField(record.fields, 'assetCode') === asset;
  const isOld = stoodAtOpening(credit) || !isOwn;
  const fee = isOld ? '0' : feeBeside(net, credit, record.fields?.['feeAmountTotal']);
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
    ...payins.map((one) => {
      const about = { key: `payin:${one.id}`, mode: 'fact', lines: collected(asset, one), dated: one.dated } as const;
      return draftOf(record, { ...about, description: 'payin of a payment' }, { kind: 'payin', id: one.id });
    }),
    draftOf(record, {
      key,
      mode: 'state',
      lines: collected(asset, rest),
      dated: differenceDate(record, paid),
      ...(isOld || payins.length > 0 || !isHeldBack(record) ? {} : { firstDated: paid }),
      description: isOld ? 'payment, as far as it came after the opening' : 'payment',
    }),
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

/** Payins that count, or did until a dispute took them back, with all their amounts; none where one of them is not known. */
function creditedPayins(record: BookRecord, asset: string, net: string): CreditedPayin[] {
  const { fields } = record;
  const isDisputed = isCompletedInDispute(record);
  if (isZero(net) && (!isDisputed || neverCounted(record))) return [];
  const states = isDisputed ? ['confirmed', 'unmatched'] : ['confirmed'];
  const credited = objectsIn(fields, 'payins').filter((one) => states.includes(textField(one, 'status') ?? ''));
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
  if (opened === null || !isAmount(dispute?.firstNet) || !isZero(dispute.firstNet)) return false;
  return payins.some(({ dated }) => dated.at < opened);
}

/** What completes a payment counted; of a dispute that opens later its payins may be shown as unmatched again. */
function isCompletedInDispute(record: BookRecord): boolean {
  return disputeOf(record) !== null && textField(record.fields, 'status') === 'completed';
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
  const description = held === '0' ? `dispute ${state ?? 'over'}` : 'dispute: the part in question';
  return [draftOf(record, { key: heldKey, mode: 'state', lines, description, dated: heldDate(record) })];
}
