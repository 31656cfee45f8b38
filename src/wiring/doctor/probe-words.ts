import { isJsonObject, type JsonObject } from '../../domain/json.js';
import { kytWord } from '../../domain/orders/kyt.js';
import { textField } from '../../domain/records.js';
import type { Contract } from '../../service-api/contract.js';
import type { Asked } from './ask-service.js';
import { finding, ok, unknown } from './check.js';
import type { Probed } from './probe-parameters.js';
import type { Ask } from './questions.js';

const MANY = { query: { take: 100 } };
/** So many payins are read one by one. */
const SOME = 10;
const NOTHING_YET = 'not probed: nothing to probe yet';

/** What the service calls a delivery that it will try again: those must not count as final. */
export async function probePendingWords(contract: Contract, ask: Ask, now: () => Date): Promise<Probed> {
  const name = 'contract deliveries.pending';
  const asked = await ask(contract, 'listWebhookDeliveries', MANY);
  if (asked.kind !== 'answer') return { checks: [unknown(name, asked.problem)], contract };
  const waiting = asked.rows.filter((row) => Date.parse(textField(row, 'nextRetryAt') ?? '') > now().getTime());
  const words = new Set(waiting.flatMap((row) => textField(row, 'status') ?? []));
  if (words.size === 0) {
    return { checks: [unknown(name, `${NOTHING_YET}, no delivery waits for another attempt`)], contract };
  }
  const { pending } = contract.deliveries;
  const other = [...words].filter((word) => !pending.includes(word));
  if (other.length === 0) return { checks: [ok(name, `what waits is called ${quoted(words)}`)], contract };
  const list = [...pending.filter((word) => words.has(word)), ...other];
  const found = `deliveries that wait for another attempt are called ${quoted(other)}`;
  const check = finding(name, found, `set deliveries.pending to ${JSON.stringify(list)} in CONTRACT_FILE`);
  return { checks: [check], contract: { ...contract, deliveries: { ...contract.deliveries, pending: list } } };
}

/** Compliance results that no list names hold goods back; which list is theirs only people know. */
export async function probeKytWords(contract: Contract, ask: Ask): Promise<Probed> {
  const name = 'contract kyt';
  const intents = await ask(contract, 'listPaymentIntents', MANY);
  if (intents.kind !== 'answer') return { checks: [unknown(name, intents.problem)], contract };
  const ids = intents.rows.flatMap(payinIdsOf).slice(0, SOME);
  const rows = rowsOf(await ask(contract, 'listPayouts', MANY));
  for (const id of ids) {
    const payin = await ask(contract, 'getPayin', { path: { id } });
    if (payin.kind === 'answer' && isJsonObject(payin.data)) rows.push(payin.data);
  }
  const words = new Set(rows.flatMap((row) => textField(row, 'kytStatus') ?? []));
  if (words.size === 0) {
    return { checks: [unknown(name, `${NOTHING_YET}, no payin or payout shows a compliance result`)], contract };
  }
  const known = new Set(Object.values(contract.kyt).flat());
  const strange = [...words].filter((word) => !known.has(kytWord(word)));
  if (strange.length === 0) return { checks: [ok(name, `${quoted(words)}: each is on a list`)], contract };
  const found = `${quoted(strange)}: on no list, so that goods wait (kyt_unknown)`;
  const remedy = 'put each into kyt.passed, kyt.pending or kyt.rejected in CONTRACT_FILE';
  return { checks: [finding(name, found, remedy)], contract };
}

function payinIdsOf(intent: JsonObject): string[] {
  const payins = intent['payins'];
  return Array.isArray(payins) ? payins.filter(isJsonObject).flatMap((payin) => textField(payin, 'id') ?? []) : [];
}

function rowsOf(asked: Asked): JsonObject[] {
  return asked.kind === 'answer' ? [...asked.rows] : [];
}

function quoted(words: Iterable<string>): string {
  return [...words].map((word) => JSON.stringify(word)).join(', ');
}
