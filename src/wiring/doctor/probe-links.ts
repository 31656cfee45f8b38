import { valueAt } from '../../domain/events/event-key.js';
import type { JsonObject } from '../../domain/json.js';
import { textField } from '../../domain/records.js';
import type { Contract } from '../../service-api/contract.js';
import type { Asked } from './ask-service.js';
import { type Check, finding, ok, unknown } from './check.js';
import { partOf, withPart } from './contract-part.js';
import { dressed } from './other-names.js';
import type { Probed } from './probe-parameters.js';
import type { Ask } from './questions.js';

const MANY = { query: { take: 100 } };
const REFERENCES = ['merchantReference', 'merchantRef', 'reference', 'externalReference', 'orderReference', 'orderId'];
const PAYMENTS = [
  'paymentIntentId',
  'intentId',
  'paymentId',
  'originalPaymentIntentId',
  'paymentIntent',
  'referenceId',
];
/** So many texts at most are asked for. */
const TRIALS = 3;

/** Where an invoice names its order and a refund its payment, which may be nowhere: then they are linked otherwise. */
export async function probeLinks(contract: Contract, ask: Ask): Promise<Probed> {
  const invoice = await probeInvoices(contract, ask);
  const payout = await probePayouts(invoice.contract, ask);
  return { checks: [...invoice.checks, ...payout.checks], contract: payout.contract };
}

async function probeInvoices(contract: Contract, ask: Ask): Promise<Probed> {
  const at = ['links', 'invoice', 'merchantReference'] as const;
  const asked = await ask(contract, 'listInvoices', MANY);
  const notKnown = notKnownOf(asked, 'there is no invoice');
  if (notKnown !== null) return { checks: [unknown(labelOf(at), notKnown)], contract };
  const rows = rowsOf(asked);
  const isReference = async (pointer: string) => {
    const named = rows.filter((row) => textAt(row, pointer) !== null).slice(0, TRIALS);
    for (const row of named) {
      const query = { merchantReference: textAt(row, pointer) ?? '' };
      const found = rowsOf(await ask(contract, 'listInvoices', { query }));
      const isFound = found.some((one) => textField(one, 'id') === textField(row, 'id'));
      if (isFound && found.length < rows.length) return true;
    }
    return false;
  };
  return checkLink(contract, { at, rows, names: [...REFERENCES, 'meta/merchantReference'], isLink: isReference });
}

async function probePayouts(contract: Contract, ask: Ask): Promise<Probed> {
  const at = ['links', 'payout', 'paymentIntentId'] as const;
  const asked = await ask(contract, 'listPayouts', MANY);
  const words = new Set(contract.movements.words.payoutType.refund);
  const refunds = rowsOf(asked).filter((row) => words.has((textField(row, 'payoutType') ?? '').toLowerCase()));
  const notKnown = notKnownOf(asked, 'there is no payout') ?? (refunds.length > 0 ? null : NO_REFUND);
  if (notKnown !== null) return { checks: [unknown(labelOf(at), notKnown)], contract };
  const intents = new Set(
    rowsOf(await ask(contract, 'listPaymentIntents', MANY)).flatMap((row) => textField(row, 'id') ?? []),
  );
  const isPayment = (pointer: string) =>
    Promise.resolve(refunds.some((row) => intents.has(textAt(row, pointer) ?? '')));
  return checkLink(contract, { at, rows: refunds, names: [...PAYMENTS, 'paymentIntent/id'], isLink: isPayment });
}

const NO_REFUND = 'not probed: nothing to probe yet, there is no refund';

interface Link {
  at: readonly ['links', string, string];
  rows: readonly JsonObject[];
  names: readonly string[];
  /** Whether what stands there is what is searched for. */
  isLink: (pointer: string) => Promise<boolean>;
}

async function checkLink(contract: Contract, { at, rows, names, isLink }: Link): Promise<Probed> {
  const usual = partOf(contract, at);
  const label = labelOf(at);
  const shown = rows.filter((row) => textAt(row, usual) !== null).length;
  if (shown > 0) return { checks: [ok(label, `${shown} of ${rows.length} show it at ${usual}`)], contract };
  for (const other of new Set(names.flatMap(dressed).map((name) => `/${name}`))) {
    if (other === usual || !(await isLink(other))) continue;
    const found = `none has a text at ${usual}, but at ${other}`;
    const remedy = `set ${at.join('.')} to "${other}" in CONTRACT_FILE`;
    return { checks: [finding(label, found, remedy)], contract: withPart(contract, at, other) };
  }
  const none: Check = ok(label, `none of ${rows.length} shows it: they are linked by our own calls, or by the payment`);
  return { checks: [none], contract };
}

function labelOf(at: readonly string[]): string {
  return `contract ${at.join('.')}`;
}

function notKnownOf(asked: Asked, none: string): string | null {
  if (asked.kind === 'missing') return 'not probed: the service has no such list';
  if (asked.kind !== 'answer') return asked.problem;
  return asked.rows.length === 0 ? `not probed: nothing to probe yet, ${none}` : null;
}

function rowsOf(asked: Asked): JsonObject[] {
  return asked.kind === 'answer' ? asked.rows : [];
}

function textAt(row: JsonObject, pointer: string): string | null {
  const value = valueAt(row, pointer);
  return typeof value === 'string' && value !== '' ? value : null;
}
