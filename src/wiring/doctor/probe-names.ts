import { valueAt } from '../../domain/events/event-key.js';
import { isJsonObject, type JsonObject } from '../../domain/json.js';
import { kytWord } from '../../domain/orders/kyt.js';
import { textField } from '../../domain/records.js';
import { type Check, finding, ok, unknown } from './check.js';
import { foundAt, type Probing, placeIn, withPart } from './contract-part.js';
import { dressed } from './other-names.js';
import { type Asked, MANY, NOTHING_YET, rowsOf } from './questions.js';

const PAYOUT_LISTS = [
  '/v1/payouts/list',
  '/v1/withdrawals',
  '/v1/merchant/payouts',
  '/v1/accounts/payouts',
  '/v1/wallet/payouts',
  '/v1/payout',
];

/** Whether the service has a list of payouts, and where. That it has none is no finding: they are followed otherwise. */
export async function probePayoutList(probing: Probing): Promise<Check> {
  const { ask, contract } = probing;
  const { name, at, usual } = placeIn(contract, 'paths', 'listPayouts');
  const asked = await ask(contract, 'listPayouts');
  if (asked.kind === 'answer') return ok(name, `${usual} is a list`);
  if (asked.kind === 'failed') return unknown(name, asked.problem);
  let unsaid = asked.kind === 'missing' ? null : asked.problem;
  for (const path of PAYOUT_LISTS.filter((other) => other !== usual)) {
    const other = await ask(withPart(contract, at, path), 'listPayouts');
    if (other.kind === 'failed') unsaid ??= other.problem;
    if (other.kind === 'answer') return foundAt(probing, at, path, `${usual} is no list, but ${path} is`);
  }
  const none = 'the service has none (404): payouts are followed by deliveries and our own calls';
  return unsaid === null ? ok(name, none) : unknown(name, unsaid);
}

const POINTERS = {
  code: ['/code', '/error/code', '/errorCode', '/error_code', '/error/type', '/error', '/type', '/name'],
  message: ['/message', '/error/message', '/detail', '/errorMessage', '/error_description', '/msg', '/title', '/error'],
} as const;

/** Where an error has its code, or its message, by asking for a payin that does not exist. */
export async function probeErrorBody(probing: Probing, part: keyof typeof POINTERS): Promise<Check> {
  const { ask, contract } = probing;
  const { name, at, usual } = placeIn(contract, 'error', part);
  const askAt = (pointer: string) =>
    ask(withPart(contract, at, pointer), 'getPayin', { path: { id: 'tallyhook-probe' } });
  const answer = await askAt(usual);
  if (answer.kind === 'answer') return unknown(name, 'a payin that does not exist was answered');
  if (answer.kind === 'failed') return unknown(name, answer.problem);
  if (answer[part] !== null) return ok(name, `it stands at ${usual}`);
  for (const pointer of POINTERS[part]) {
    const other = pointer === usual ? answer : await askAt(pointer);
    const text = other.kind === 'refused' || other.kind === 'missing' ? other[part] : null;
    // "Not Found" is what a framework says of a status, and no code of the service.
    if (text === null || (part === 'code' && !/^[\w.:-]+$/.test(text))) continue;
    return foundAt(probing, at, pointer, `errors have nothing at ${usual}, but a text at ${pointer}`);
  }
  return unknown(name, `errors have nothing at ${usual}, nor at any other place that was tried`);
}

/** So many payins are read one by one. */
const SOME = 10;

/** What the service calls a delivery that it will try again: those must not count as final. */
export async function probePendingWords(probing: Probing, now: Date): Promise<Check> {
  const { ask, contract } = probing;
  const name = 'contract deliveries.pending';
  const asked = await ask(contract, 'listWebhookDeliveries', MANY);
  if (asked.kind !== 'answer') return unknown(name, asked.problem);
  const waiting = asked.rows.filter((row) => Date.parse(textField(row, 'nextRetryAt') ?? '') > now.getTime());
  const words = new Set(waiting.flatMap((row) => textField(row, 'status') ?? []));
  if (words.size === 0) return unknown(name, `${NOTHING_YET}, no delivery waits for another attempt`);
  const { pending } = contract.deliveries;
  const other = [...words].filter((word) => !pending.includes(word));
  if (other.length === 0) return ok(name, `what waits is called ${quoted(words)}`);
  const list = [...pending.filter((word) => words.has(word)), ...other];
  probing.contract = { ...contract, deliveries: { ...contract.deliveries, pending: list } };
  const found = `deliveries that wait for another attempt are called ${quoted(other)}`;
  return finding(name, found, `set deliveries.pending to ${JSON.stringify(list)} in CONTRACT_FILE`);
}

/** So many payments without a delivery say that the service makes none. */
const ENOUGH = 3;

/** Whether the service generates the events that are waited for: of payments that are younger than the oldest delivery shown. */
export async function probeGenerated({ ask, contract }: Probing, deliveries: Asked): Promise<Check> {
  const name = 'contract events.generated';
  if (deliveries.kind !== 'answer') return unknown(name, deliveries.problem);
  const intents = await ask(contract, 'listPaymentIntents', MANY);
  if (intents.kind !== 'answer') return unknown(name, intents.problem);
  const madeAt = (row: JsonObject) => textField(row, 'createdAt') ?? '';
  const oldest = deliveries.rows.map(madeAt).toSorted()[0];
  const found = Object.entries(contract.events.generated).map(([type, states]) => {
    const bodies = deliveries.rows.flatMap((row) => (textField(row, 'eventType') === type ? JSON.stringify(row) : []));
    const ids = intents.rows
      .filter((row) => oldest !== undefined && madeAt(row) > oldest && states.some((state) => state === row['status']))
      .flatMap((row) => textField(row, 'id') ?? []);
    return { type, all: ids.length, named: ids.filter((id) => bodies.some((body) => body.includes(id))).length };
  });
  const lacking = found.find(({ all, named }) => all >= ENOUGH && named === 0);
  if (lacking !== undefined)
    return finding(
      name,
      `none of the ${lacking.all} newest payments in its states has a delivery of ${lacking.type}`,
      `subscribe an active endpoint of yours to it; if the service does not generate it, leave it out of events.generated in CONTRACT_FILE`,
    );
  const seen = found.filter(({ named }) => named > 0);
  if (seen.length === 0)
    return unknown(name, `${NOTHING_YET}, too few payments are younger than the oldest delivery shown`);
  return ok(name, seen.map(({ type, all, named }) => `${type}: ${named} of ${all} payments have one`).join('; '));
}

/** Compliance results that no list names hold goods back; which list is theirs only people know. */
export async function probeKytWords({ ask, contract }: Probing): Promise<Check> {
  const name = 'contract kyt';
  const intents = await ask(contract, 'listPaymentIntents', MANY);
  if (intents.kind !== 'answer') return unknown(name, intents.problem);
  const ids = intents.rows.flatMap(payinIdsOf).slice(0, SOME);
  const rows = [...rowsOf(await ask(contract, 'listPayouts', MANY))];
  for (const id of ids) {
    const payin = await ask(contract, 'getPayin', { path: { id } });
    if (payin.kind === 'answer' && isJsonObject(payin.data)) rows.push(payin.data);
  }
  const words = new Set(rows.flatMap((row) => textField(row, 'kytStatus') ?? []));
  if (words.size === 0) return unknown(name, `${NOTHING_YET}, no payin or payout shows a compliance result`);
  const known = new Set(Object.values(contract.kyt).flat());
  const strange = [...words].filter((word) => !known.has(kytWord(word)));
  if (strange.length === 0) return ok(name, `${quoted(words)}: each is on a list`);
  const found = `${quoted(strange)}: on no list, so that goods wait (kyt_unknown)`;
  return finding(name, found, 'put each into kyt.passed, kyt.pending or kyt.rejected in CONTRACT_FILE');
}

function payinIdsOf(intent: JsonObject): string[] {
  const payins = intent['payins'];
  return Array.isArray(payins) ? payins.filter(isJsonObject).flatMap((payin) => textField(payin, 'id') ?? []) : [];
}

const quoted = (words: Iterable<string>): string => [...words].map((word) => JSON.stringify(word)).join(', ');

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
