import { type Check, ok, unknown } from './check.js';
import { foundAt, type Probing, withPart } from './contract-part.js';

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
  const name = 'contract paths.listPayouts';
  const at = ['paths', 'listPayouts'] as const;
  const usual = contract.paths.listPayouts;
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
  const name = `contract error.${part}`;
  const at = ['error', part] as const;
  const usual = contract.error[part];
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
