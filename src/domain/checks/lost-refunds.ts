import { isRefund, ownerOfRefund, payoutClass, referenceOf } from '../family/links.js';
import { amountField } from '../family/money.js';
import type { Json, JsonObject } from '../json.js';
import { compareAmounts } from '../money.js';
import type { OpenCall } from '../orders/order-facts.js';
import { compareText } from '../record-state.js';
import { textField } from '../records.js';
import {
  type CheckedRecord,
  type CheckFacts,
  focused,
  isCollected,
  type RefundFacts,
  sourceOf,
} from './check-facts.js';
import { type FoundBreak, foundBreak, noFindings, settle, type TimedFindings } from './findings.js';
import { grace } from './grace.js';
import { counts } from './refunds.js';

const MOST_CANDIDATES = 5;

/**
 * Money was given back, and nothing says whose: neither a payment, nor a person, nor a reference that names an order. It
 * withholds no order, so somebody must look.
 */
export function checkLostRefunds(facts: CheckFacts): TimedFindings {
  const findings = noFindings();
  for (const payout of focused(facts, 'payouts')) {
    const name = { kind: 'refund_without_order', entity: { kind: 'payout', id: payout.id } } as const;
    const due = lostAt(payout);
    const candidates = facts.refunds.candidates.get(payout.id);
    if (!isLost(payout, facts.refunds)) settle(findings, name, null);
    else if (facts.now < due) findings.again.push({ entity: name.entity, at: due });
    else if (candidates === undefined) findings.again.push({ entity: name.entity, at: facts.now });
    else settle(findings, name, lostRefund(payout, candidates, facts.refunds.makers.get(payout.id)));
  }
  return findings;
}

/** From then on one that nobody owns is a break. */
export function lostAt({ createdAt, firstSeenAt }: CheckedRecord): number {
  return (createdAt ?? firstSeenAt) + grace.refund;
}

/** A refund by its type or by our own call, which the service shows and nobody owns. */
export function isLost(payout: CheckedRecord, { words, naming, assigned, ordered }: RefundFacts): boolean {
  if (payout.unknown === true || payout.history || !counts(payout) || !isRefund(payout, words)) return false;
  if (assigned.has(payout.id) || ownerOfRefund(payout, naming, words, assigned).payment !== null) return false;
  const reference = referenceOf(payout.fields);
  return reference === null || !ordered.has(reference);
}

function lostRefund(
  payout: CheckedRecord,
  candidates: readonly CheckedRecord[],
  maker: OpenCall | undefined,
): FoundBreak {
  const { fields, id } = payout;
  const said = (name: string): Json => fields[name] ?? null;
  const source = sourceOf(payout);
  return foundBreak(
    { kind: 'refund_without_order', entity: { kind: 'payout', id } },
    {
      payment: { ours: null, theirs: null, source },
      amount: { ours: null, theirs: said('amount'), source },
      assetCode: { ours: null, theirs: said('assetCode'), source },
      merchantReference: { ours: null, theirs: said('merchantReference'), source },
    },
    {
      notes: {
        payoutType: said('payoutType'),
        status: said('status'),
        ...(maker === undefined ? {} : { ownCall: { key: maker.key, paymentIntentId: maker.paymentIntentId } }),
        candidates: ranked(payout, candidates),
      },
    },
  );
}

/** The likeliest first: where the refund went to the customer's address, then what is given back whole, then the newest. */
function ranked(payout: CheckedRecord, candidates: readonly CheckedRecord[]): JsonObject[] {
  return candidates
    .filter((payment) => mayGiveBack(payout, payment))
    .map((payment) => ({ payment, sameAddress: isSameAddress(payout, payment), whole: isWhole(payout, payment) }))
    .toSorted(
      (a, b) =>
        Number(b.sameAddress) - Number(a.sameAddress) ||
        Number(b.whole) - Number(a.whole) ||
        (b.payment.createdAt ?? 0) - (a.payment.createdAt ?? 0) ||
        compareText(a.payment.id, b.payment.id),
    )
    .slice(0, MOST_CANDIDATES)
    .map(({ payment: { id, fields }, sameAddress }) => ({
      paymentIntentId: id,
      merchantReference: fields['merchantReference'] ?? null,
      amountNetMerchant: fields['amountNetMerchant'] ?? null,
      sameAddress,
    }));
}

/** Collected, of the same asset, and no less than is given back. */
function mayGiveBack({ fields: given }: CheckedRecord, payment: CheckedRecord): boolean {
  const [amount, net] = [amountField(given, 'amount'), amountField(payment.fields, 'amountNetMerchant')];
  const asset = textField(given, 'assetCode');
  if (!isCollected(payment) || asset === null || asset !== textField(payment.fields, 'assetCode')) return false;
  return amount !== null && net !== null && compareAmounts(amount, net) <= 0;
}

function isWhole({ fields: given }: CheckedRecord, { fields }: CheckedRecord): boolean {
  const [amount, net] = [amountField(given, 'amount'), amountField(fields, 'amountNetMerchant')];
  return amount !== null && net !== null && compareAmounts(amount, net) === 0;
}

/** The payment shows its address masked (specification 2.1): what it shows of it is compared. */
function isSameAddress({ fields: given }: CheckedRecord, { fields }: CheckedRecord): boolean {
  const to = textField(given, 'destinationAddress') ?? '';
  const shown = textField(fields, 'customerRefundAddress') ?? '';
  const parts = shown.split(/[*\u2026\u2022]+|\.{2,}/u);
  const [start = '', end = ''] = [parts[0], parts.at(-1)];
  if (start === '' || end === '') return false;
  return parts.length === 1 ? to === shown : to.startsWith(start) && to.slice(start.length).endsWith(end);
}

/** A person said whose refund it is, and the records have come to name another payment since. */
export function checkReassigned(facts: CheckFacts): TimedFindings {
  const findings = noFindings();
  const { naming, words, assigned, namedThen } = facts.refunds;
  for (const payout of focused(facts, 'payouts')) {
    const name = { kind: 'refund_assigned_otherwise', entity: { kind: 'payout', id: payout.id } } as const;
    const decided = assigned.get(payout.id);
    const known = [decided, ...(namedThen.get(payout.id) ?? [])];
    const others = ownerOfRefund(payout, naming, words).candidates.filter((payment) => !known.includes(payment));
    const [other] = others;
    const said = { ours: decided ?? null, theirs: other ?? null, source: sourceOf(payout) };
    settle(findings, name, decided === undefined || other === undefined ? null : foundBreak(name, { payment: said }));
  }
  return findings;
}

/** One finding per word, however many payouts carry it: the word stands where the id of a record would. */
export function checkPayoutWords(facts: CheckFacts): TimedFindings {
  const findings = noFindings();
  for (const payout of focused(facts, 'payouts')) {
    const word = textField(payout.fields, 'payoutType')?.toLowerCase();
    if (word === undefined || word === '') continue;
    const entity = { kind: 'payout', id: `payoutType=${word.slice(0, 200)}` } as const;
    const name = { kind: 'contract_violation', entity } as const;
    if (payoutClass(payout.fields, facts.refunds.words) !== null) settle(findings, name, null);
    else if (!payout.history) settle(findings, name, unclassed(name, payout));
  }
  return findings;
}

/** Closed by a person it stays closed, whichever payout shows the word next. */
function unclassed({ kind, entity }: Pick<FoundBreak, 'kind' | 'entity'>, payout: CheckedRecord): FoundBreak {
  return {
    kind,
    entity,
    evidence: {
      rule: 'no class of movements.words.payoutType has this word (CONTRACT_FILE)',
      field: 'payoutType',
      value: payout.fields['payoutType'] ?? null,
      firstSeen: payout.id,
      source: sourceOf(payout),
    },
    cause: entity.id,
  };
}
