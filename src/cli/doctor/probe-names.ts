import type { MerchantClient } from '../../service-api/client.js';
import type { Contract } from '../../service-api/contract.js';
import { RefusalError, ServiceError } from '../../service-api/service-errors.js';
import { askService } from './ask-service.js';
import { type Check, finding, ok, unknown } from './check.js';
import { partOf, withPart } from './contract-part.js';
import type { Probed } from './probe-parameters.js';

type ClientFor = (contract: Contract) => Promise<MerchantClient>;

const PAYOUT_LISTS = [
  '/v1/payouts/list',
  '/v1/withdrawals',
  '/v1/merchant/payouts',
  '/v1/accounts/payouts',
  '/v1/wallet/payouts',
  '/v1/payout',
];

/** Whether the service has a list of payouts, and where. That it has none is no finding: they are followed otherwise. */
export async function probePayoutList(contract: Contract, clientFor: ClientFor): Promise<Probed> {
  const name = 'contract paths.listPayouts';
  const at = ['paths', 'listPayouts'] as const;
  const ask = async (under: Contract) => askService(await clientFor(under), 'listPayouts', {});
  const asked = await ask(contract);
  const usual = contract.paths.listPayouts;
  if (asked.kind === 'answer') return { checks: [ok(name, `${usual} is a list`)], contract };
  if (asked.kind === 'failed') return { checks: [unknown(name, asked.problem)], contract };
  for (const path of PAYOUT_LISTS.filter((other) => other !== usual)) {
    const under = withPart(contract, at, path);
    if ((await ask(under)).kind !== 'answer') continue;
    const found = `${usual} is no list, but ${path} is`;
    return { checks: [finding(name, found, `set paths.listPayouts to "${path}" in CONTRACT_FILE`)], contract: under };
  }
  const none = 'the service has none (404): payouts are followed by deliveries and our own calls';
  return { checks: [asked.kind === 'missing' ? ok(name, none) : unknown(name, asked.problem)], contract };
}

const POINTERS = {
  code: ['/code', '/error/code', '/errorCode', '/error_code', '/error/type', '/error', '/type', '/name'],
  message: ['/message', '/error/message', '/detail', '/errorMessage', '/error_description', '/msg', '/title', '/error'],
} as const;

/** Where an error tells its code and its message, by asking for a deposit that does not exist. */
export async function probeErrorBody(contract: Contract, clientFor: ClientFor): Promise<Probed> {
  const checks: Check[] = [];
  let working = contract;
  for (const part of ['code', 'message'] as const) {
    const name = `contract error.${part}`;
    const at = ['error', part] as const;
    const tells = async (under: Contract) => {
      const refusal = await refusalUnder(await clientFor(under));
      return refusal && (part === 'code' ? refusal.serviceCode : refusal.serviceMessage);
    };
    const usual = partOf(working, at);
    if (await tells(working)) {
      checks.push(ok(name, `${usual} tells it`));
      continue;
    }
    const others = POINTERS[part].filter((pointer) => pointer !== usual);
    const found = await firstOf(others, (pointer) => tells(withPart(working, at, pointer)));
    if (found === null) {
      checks.push(unknown(name, `errors have nothing at ${usual}, nor where else was looked`));
      continue;
    }
    const remedy = `set error.${part} to "${found}" in CONTRACT_FILE`;
    checks.push(finding(name, `errors have nothing at ${usual}, but a text at ${found}`, remedy));
    working = withPart(working, at, found);
  }
  return { checks, contract: working };
}

async function refusalUnder(client: MerchantClient): Promise<RefusalError | null> {
  try {
    await client.reply('getPayin', { path: { id: 'tallyhook-probe' } });
    return null;
  } catch (error) {
    if (error instanceof RefusalError) return error;
    if (error instanceof ServiceError) return null;
    throw error;
  }
}

async function firstOf<T>(all: readonly T[], holds: (one: T) => Promise<unknown>): Promise<T | null> {
  for (const one of all) if (await holds(one)) return one;
  return null;
}
