import { isJsonObject, type JsonObject } from '../json.js';
import { addAmounts, compareAmounts, isAmount, subtractAmounts, sumAmounts } from '../money.js';
import { textField } from '../records.js';
import { accounts } from './chart.js';
import { datedBy, momentInHistory, momentOf } from './dating.js';
import type { BookRecord, Dated, Draft, Moved } from './entry.js';
import { line, negated, sinceOpening, stoodAtOpening } from './lines.js';

interface Deposit {
  id: string;
  net: string;
  fee: string;
  createdAt: number | null;
}

/**
 * A payment (specification 2.1): what it brought, deposit by deposit where they are shown, and what differs from their sum,
 * such as the part that a dispute holds back, as a state of the payment.
 */
export function paymentEntries(record: BookRecord): Draft[] {
  const credits = record.moved.filter(({ operation, delta }) => operation === 'paymentCollected' && delta !== null);
  return [...credits.flatMap((credit) => creditEntries(record, credit)), ...heldEntries(record)];
}

function creditEntries(record: BookRecord, credit: Moved): Draft[] {
  const net = sinceOpening(credit);
  const asset = credit.assetCode;
  if (net === null || asset === null) return [];
  // What of the fee was taken before the opening is not known then, nor which deposits stood.
  const isOwn = record.fields !== null && textField(record.fields, 'assetCode') === asset;
  const isOld = stoodAtOpening(credit) || !isOwn;
  const total = record.fields?.['feeAmountTotal'];
  const fee = !isOld && isAmount(total) && compareAmounts(net, '0') !== 0 ? total : '0';
  const deposits = isOld || compareAmounts(net, '0') === 0 ? [] : creditedDeposits(record.fields ?? {}, asset);
  const rest = {
    net: subtractAmounts(net, sumAmounts(deposits.map((one) => one.net))),
    fee: subtractAmounts(fee, sumAmounts(deposits.map((one) => one.fee))),
  };
  const completed = momentInHistory(record.fields, ['completed']);
  return [
    ...deposits.map((one): Draft => {
      const dated = datedBy(record, [
        ['status_history', completed],
        ['created', one.createdAt],
      ]);
      return {
        ...draft(record, `payin:${one.id}`, collected(asset, one), dated),
        mode: 'fact',
        description: 'deposit of a payment',
        sources: [...sourcesOf(record), { kind: 'payin', id: one.id }],
      };
    }),
    {
      ...draft(record, isOwn ? 'payment' : `payment:${asset}`, collected(asset, rest), paymentDate(record, completed)),
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

/** Confirmed deposits with all their amounts, in the payment's own asset; none where one of them can't be told. */
function creditedDeposits(fields: JsonObject, asset: string): Deposit[] {
  const summaries = Array.isArray(fields['payins']) ? fields['payins'] : [];
  const credited = summaries.filter(isJsonObject).filter((one) => textField(one, 'status') === 'confirmed');
  const deposits = credited.flatMap((one): Deposit[] => {
    const [id, net, fee] = [textField(one, 'id'), one['amountNet'], one['feeAmount']];
    if (id === null || !isAmount(net) || !(isAmount(fee) || fee === null)) return [];
    if (textField(one, 'assetCode') !== asset) return [];
    return [{ id, net, fee: fee ?? '0', createdAt: momentOf(one['createdAt']) }];
  });
  const isWhole = new Set(deposits.map(({ id }) => id)).size === credited.length;
  return isWhole ? deposits : [];
}

/** What is in question is held by the service until it is decided (3.2): in no balance, and not yet earned. */
function heldEntries(record: BookRecord): Draft[] {
  const { fields } = record;
  const asset = fields === null ? null : textField(fields, 'assetCode');
  const state = fields === null ? null : textField(fields, 'irregularStatus');
  if (fields === null || asset === null || state === null || state === 'none') return [];
  const rejected = fields['amountRejected'];
  const held = state === 'pending_decision' && isAmount(rejected) ? rejected : '0';
  const lines = [line(accounts.held, asset, held), line(accounts.disputes, asset, negated(held))];
  return [
    {
      ...draft(record, 'held', lines, paymentDate(record, null)),
      description: held === '0' ? `dispute ${state}` : 'dispute: the part in question',
    },
  ];
}

function paymentDate(record: BookRecord, completed: number | null): Dated {
  const { fields } = record;
  const state = fields === null ? null : textField(fields, 'irregularStatus');
  return datedBy(record, [
    ['decision', momentOf(fields?.['irregularActionAt'])],
    ['updated', state === null || state === 'none' ? null : momentOf(fields?.['updatedAt'])],
    ['status_history', completed],
    ['updated', momentOf(fields?.['updatedAt'])],
    ['created', lastDeposit(fields) ?? momentOf(fields?.['createdAt'])],
  ]);
}

function lastDeposit(fields: JsonObject | null): number | null {
  const summaries = Array.isArray(fields?.['payins']) ? fields['payins'] : [];
  const times = summaries.filter(isJsonObject).flatMap((one) => momentOf(one['createdAt']) ?? []);
  return times.length === 0 ? null : Math.max(...times);
}

function sourcesOf({ kind, id }: BookRecord): Draft['sources'] {
  return [{ kind, id }];
}

function draft(record: BookRecord, key: string, lines: Draft['lines'], dated: Dated): Omit<Draft, 'description'> {
  const { kind: recordKind, id: recordId } = record;
  return { recordKind, recordId, key, mode: 'state', lines, sources: sourcesOf(record), dated };
}
