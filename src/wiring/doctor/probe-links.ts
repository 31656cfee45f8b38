import { valueAt } from '../../domain/events/event-key.js';
import type { JsonObject } from '../../domain/json.js';
import { textField } from '../../domain/records.js';
import { type Check, ok, unknown } from './check.js';
import { foundAt, type Probing, placeIn } from './contract-part.js';
import { dressed } from './other-names.js';
import { type Asked, MANY, NOTHING_YET, rowsOf } from './questions.js';

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

/** Where an invoice names its order, which may be nowhere: then they are linked otherwise. */
export async function probeInvoices(probing: Probing): Promise<Check> {
  const { ask, contract } = probing;
  const place = placeIn(contract, 'links', 'invoice', 'merchantReference');
  const asked = await ask(contract, 'listInvoices', MANY);
  const notKnown = notKnownOf(asked, 'there is no invoice');
  if (notKnown !== null) return unknown(place.name, notKnown);
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
  return checkLink(probing, place, { rows, names: [...REFERENCES, 'meta/merchantReference'], isLink: isReference });
}

/** The same of a refund and its payment. */
export async function probePayouts(probing: Probing): Promise<Check> {
  const { ask, contract } = probing;
  const place = placeIn(contract, 'links', 'payout', 'paymentIntentId');
  const asked = await ask(contract, 'listPayouts', MANY);
  const words = new Set(contract.movements.words.payoutType.refund);
  const refunds = rowsOf(asked).filter((row) => words.has((textField(row, 'payoutType') ?? '').toLowerCase()));
  const none = refunds.length > 0 ? null : `${NOTHING_YET}, there is no refund`;
  const notKnown = notKnownOf(asked, 'there is no payout') ?? none;
  if (notKnown !== null) return unknown(place.name, notKnown);
  const payments = rowsOf(await ask(contract, 'listPaymentIntents', MANY));
  const intents = new Set(payments.flatMap((row) => textField(row, 'id') ?? []));
  const isPayment = (pointer: string) =>
    Promise.resolve(refunds.some((row) => intents.has(textAt(row, pointer) ?? '')));
  return checkLink(probing, place, { rows: refunds, names: [...PAYMENTS, 'paymentIntent/id'], isLink: isPayment });
}

interface Link {
  rows: readonly JsonObject[];
  names: readonly string[];
  /** Whether what stands there is what is searched for. */
  isLink: (pointer: string) => Promise<boolean>;
}

async function checkLink(
  probing: Probing,
  { at, usual, name }: ReturnType<typeof placeIn>,
  { rows, names, isLink }: Link,
): Promise<Check> {
  const shown = rows.filter((row) => textAt(row, usual) !== null).length;
  if (shown > 0) return ok(name, `${shown} of ${rows.length} show it at ${usual}`);
  for (const other of new Set(names.flatMap(dressed).map((word) => `/${word}`))) {
    if (other !== usual && (await isLink(other)))
      return foundAt(probing, at, other, `none has a text at ${usual}, but at ${other}`);
  }
  return ok(name, `none of ${rows.length} shows it: they are linked by our own calls, or by the payment`);
}

function notKnownOf(asked: Asked, none: string): string | null {
  if (asked.kind === 'missing') return 'not probed: the service has no such list';
  if (asked.kind !== 'answer') return asked.problem;
  return asked.rows.length === 0 ? `${NOTHING_YET}, ${none}` : null;
}

function textAt(row: JsonObject, pointer: string): string | null {
  const value = valueAt(row, pointer);
  return typeof value === 'string' && value !== '' ? value : null;
}
