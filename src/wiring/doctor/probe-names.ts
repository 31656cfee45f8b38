import { isJsonObject, type JsonObject } from '../../domain/json.js';
import { kytWord } from '../../domain/orders/kyt.js';
import { textField } from '../../domain/records.js';
import { type Check, finding, ok, unknown } from './check.js';
import { foundAt, type Probing, placeIn, withPart } from './contract-part.js';
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

function quoted(words: Iterable<string>): string {
  return [...words].map((word) => JSON.stringify(word)).join(', ');
}
