import { isLosslessNumber } from 'lossless-json';
import { amountField } from '../family/money.js';
import { isFinal } from '../family/states.js';
import { isJsonObject, type Json, type JsonObject } from '../json.js';
import { compareAmounts, isAmount, multiplyAmounts, sumAmounts } from '../money.js';
import { textField } from '../records.js';
import { type CheckedRecord, type CheckFacts, isCollected, sourceOf } from './check-facts.js';
import { type BreakDefinitions, type Check, each, type Finding, finding } from './findings.js';
import { grace } from './grace.js';

export const invoiceBreaks = {
  invoice_paid_without_intent: {
    severity: 'high',
    sharedBy: ['/payment/ours/status'],
    means:
      'An invoice has been paid for half an hour, and the payment that it names is unknown here, was not collected, or belongs to another invoice.',
    ends: 'The payment is read and collected.',
    remedy:
      'Was it marked as paid by hand in the dashboard? Else read all payments: “tallyhook reconcile payment-intents --full”.',
    check: eachInvoice(paidWithoutIntent),
  },
  invoice_items_sum: {
    severity: 'medium',
    sharedBy: { none: 'Each invoice has its own items.' },
    means: 'The items of an invoice add up to another amount, to the last digit.',
    ends: 'They add up.',
    remedy: 'Cancel it and create it anew.',
    check: eachInvoice(itemsSum),
  },
  invoice_email_failed: {
    severity: 'medium',
    sharedBy: { none: 'What a mail server says may name a person.' },
    means: 'The service said, when we created an invoice, that its e-mail was not sent.',
    ends: 'The invoice is paid, expired or cancelled.',
    remedy: 'Send its paymentLink yourself.',
    check: eachInvoice(emailFailed),
  },
  intent_completed_invoice_unpaid: {
    severity: 'high',
    sharedBy: ['/invoiceStatus/theirs'],
    means: 'A payment was collected half an hour ago, and its invoice is read and not paid.',
    ends: 'The invoice is paid.',
    remedy:
      'The customer paid after the invoice ended: refund it, or mark the invoice. The order counts the payment either way.',
    besideSafe: {
      where: 'the order counts the payment, whatever its invoice shows',
      remedy: 'refund it, or mark the invoice',
    },
    check: each('intents', invoiceUnpaid),
  },
} as const satisfies BreakDefinitions;

/** An invoice against its own items (specification 4.2), its e-mail, and the payment that paid it (3.3). */
function eachInvoice(check: Parameters<typeof each>[1]): Check {
  return each('invoices', (invoice, facts) => (invoice.history || invoice.absent ? null : check(invoice, facts)));
}

/** A payment that came in for an invoice that is not shown as paid. An invoice that was not read says nothing. */
function invoiceUnpaid(intent: CheckedRecord, facts: CheckFacts): Finding | { at: number } | null {
  const invoice = intent.history || !isCollected(intent) ? undefined : invoiceOf(intent, facts);
  if (invoice?.verified !== true || textField(invoice.fields, 'status') === 'paid') return null;
  const due = Math.max(intent.since ?? 0, invoice.since ?? 0) + grace.link;
  if (facts.now < due) return { at: due };
  return finding({
    paymentStatus: { ours: 'collected', theirs: intent.fields['status'] ?? null, source: sourceOf(intent) },
    invoiceStatus: { ours: 'paid', theirs: invoice.fields['status'] ?? null, source: sourceOf(invoice) },
    invoice: { ours: invoice.id, theirs: invoice.fields['paymentIntentId'] ?? null, source: sourceOf(invoice) },
  });
}

function invoiceOf({ fields }: CheckedRecord, { invoices }: CheckFacts): CheckedRecord | undefined {
  const invoice = invoices.get(textField(fields, 'invoiceId') ?? '');
  return invoice?.absent === true ? undefined : invoice;
}

function paidWithoutIntent(invoice: CheckedRecord, facts: CheckFacts): Finding | { at: number } | null {
  const { fields, verified, id } = invoice;
  if (!verified || textField(fields, 'status') !== 'paid') return null;
  const named = textField(fields, 'paymentIntentId');
  const intent = named === null ? undefined : facts.intents.get(named);
  const names = intent === undefined ? null : textField(intent.fields, 'invoiceId');
  if (intent !== undefined && wasCollected(intent) && (names === null || names === id)) return null;
  // What only an event says of the payment is for a poll to decide.
  if (intent !== undefined && !intent.absent && !intent.verified) return null;
  const due = (invoice.since ?? invoice.firstSeenAt) + grace.link;
  if (facts.now < due) return { at: due };
  return finding({
    status: { ours: 'not paid', theirs: 'paid', source: sourceOf(invoice) },
    paymentIntentId: {
      ours: intent?.id ?? null,
      theirs: named,
      source: intent === undefined ? null : sourceOf(intent),
    },
    payment: {
      ours: intent === undefined ? null : { status: intent.fields['status'] ?? null, invoiceId: names },
      theirs: { invoiceId: id },
      source: sourceOf(invoice),
    },
  });
}

/** Also what was given back since. */
function wasCollected(intent: CheckedRecord): boolean {
  return isCollected(intent) || (!intent.absent && textField(intent.fields, 'status') === 'completed');
}

function itemsSum(invoice: CheckedRecord): Finding | undefined | null {
  const { fields } = invoice;
  const meta = fields['meta'];
  const items = isJsonObject(meta) ? meta['items'] : undefined;
  const amount = amountField(fields, 'amount');
  if (!Array.isArray(items) || items.length === 0 || amount === null) return null;
  const lines = items.map(lineTotal);
  const known = lines.filter((line) => line !== null);
  if (known.length < lines.length) return undefined;
  const sum = sumAmounts(known);
  if (compareAmounts(sum, amount) === 0) return null;
  return finding({ amount: { ours: sum, theirs: amount, source: sourceOf(invoice) } });
}

/** `unitPrice` times `quantity`, exact: a whole number of times at most 18 decimals. Null where either can't be read. */
function lineTotal(item: Json): string | null {
  if (!isJsonObject(item)) return null;
  const quantity = isLosslessNumber(item['quantity']) ? item['quantity'].toString() : item['quantity'];
  const price = item['unitPrice'];
  if (typeof quantity !== 'string' || !/^\d{1,18}$/.test(quantity) || !isAmount(price)) return null;
  return multiplyAmounts(price, quantity, 'half_even');
}

/** A mail server's words repeat the address that it refused. */
const E_MAIL = /(?<![^\s<>])[^\s<>]+@[^\s<>]+/g;

function emailFailed({ fields }: CheckedRecord): Finding | null {
  const email = fields['emailDelivery'];
  if (!isJsonObject(email) || email['sent'] !== false || isFinal('invoice', textField(fields, 'status'))) return null;
  const notes: JsonObject = { error: textField(email, 'error')?.replace(E_MAIL, '(address)') ?? null };
  const sent = { ours: true, theirs: false, source: { operation: 'createInvoice' } };
  return finding({ 'emailDelivery.sent': sent }, { notes });
}
