import type { Contract } from '../../service-api/contract.js';
import type { Asked } from './ask-service.js';
import { type Check, finding, ok, unknown } from './check.js';
import { partOf, withPart } from './contract-part.js';
import type { Probed } from './probe-parameters.js';
import type { Ask } from './questions.js';

const PAYOUT_LISTS = [
  '/v1/payouts/list',
  '/v1/withdrawals',
  '/v1/merchant/payouts',
  '/v1/accounts/payouts',
  '/v1/wallet/payouts',
  '/v1/payout',
];

/** Whether the service has a list of payouts, and where. That it has none is no finding: they are followed otherwise. */
export async function probePayoutList(contract: Contract, ask: Ask): Promise<Probed> {
  const name = 'contract paths.listPayouts';
  const at = ['paths', 'listPayouts'] as const;
  const usual = contract.paths.listPayouts;
  const asked = await ask(contract, 'listPayouts');
  if (asked.kind === 'answer') return { checks: [ok(name, `${usual} is a list`)], contract };
  let unsaid = asked.kind === 'missing' ? null : asked.problem;
  if (asked.kind === 'failed') return { checks: [unknown(name, asked.problem)], contract };
  for (const path of PAYOUT_LISTS.filter((other) => other !== usual)) {
    const under = withPart(contract, at, path);
    const other = await ask(under, 'listPayouts');
    if (other.kind === 'failed') unsaid ??= other.problem;
    if (other.kind !== 'answer') continue;
    const found = `${usual} is no list, but ${path} is`;
    return { checks: [finding(name, found, `set paths.listPayouts to "${path}" in CONTRACT_FILE`)], contract: under };
  }
  const none = 'the service has none (404): payouts are followed by deliveries and our own calls';
  return { checks: [unsaid === null ? ok(name, none) : unknown(name, unsaid)], contract };
}

const POINTERS = {
  code: ['/code', '/error/code', '/errorCode', '/error_code', '/error/type', '/error', '/type', '/name'],
  message: ['/message', '/error/message', '/detail', '/errorMessage', '/error_description', '/msg', '/title', '/error'],
} as const;

/** Where an error has its code and its message, by asking for a payin that does not exist. */
export async function probeErrorBody(contract: Contract, ask: Ask): Promise<Probed> {
  const checks: Check[] = [];
  let working = contract;
  for (const part of ['code', 'message'] as const) {
    const at = ['error', part] as const;
    const { check, found } = await probePointer(part, partOf(working, at), {
      ask: (pointer) => ask(withPart(working, at, pointer), 'getPayin', { path: { id: 'tallyhook-probe' } }),
    });
    checks.push(check);
    if (found !== null) working = withPart(working, at, found);
  }
  return { checks, contract: working };
}

async function probePointer(
  part: keyof typeof POINTERS,
  usual: string,
  { ask }: { ask: (pointer: string) => Promise<Asked> },
): Promise<{ check: Check; found: string | null }> {
  const name = `contract error.${part}`;
  const answer = await ask(usual);
  if (answer.kind === 'answer' || answer.kind === 'failed') {
    const why = answer.kind === 'failed' ? answer.problem : 'a payin that does not exist was answered';
    return { check: unknown(name, why), found: null };
  }
  if (answer[part] !== null) return { check: ok(name, `it stands at ${usual}`), found: null };
  for (const pointer of POINTERS[part]) {
    const other = pointer === usual ? answer : await ask(pointer);
    const text = other.kind === 'refused' || other.kind === 'missing' ? other[part] : null;
    // "Not Found" is what a framework says of a status, and no code of the service.
    if (text === null || (part === 'code' && !/^[\w.:-]+$/.test(text))) continue;
    const remedy = `set error.${part} to "${pointer}" in CONTRACT_FILE`;
    const check = finding(name, `errors have nothing at ${usual}, but a text at ${pointer}`, remedy);
    return { check, found: pointer };
  }
  return {
    check: unknown(name, `errors have nothing at ${usual}, nor at any other place that was tried`),
    found: null,
  };
}
