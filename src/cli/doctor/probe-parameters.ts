import type { MerchantClient } from '../../service-api/client.js';
import type { Contract } from '../../service-api/contract.js';
import { operationOf, queryNamesOf, type ReadOperation } from '../../service-api/operations.js';
import { type Asked, askService, type Question } from './ask-service.js';
import { type Check, finding, ok, unknown } from './check.js';
import { partOf, withPart } from './contract-part.js';
import { otherNames } from './other-names.js';
import {
  type Bench,
  boundsTime,
  counts,
  filtersOut,
  filtersStates,
  goesOn,
  goesOnWhereTold,
  limitsPages,
  type ParameterTest,
  type Told,
  tellsAssets,
} from './parameter-tests.js';

const anId = filtersOut('an id of the list');
const INTENT_STATES = ['completed', 'expired', 'cancelled', 'pending', 'confirming', 'unmatched'];

/** Every parameter whose name is not shown, and how it is told. Page sizes first: others build on them. */
export const parameterTests: { [O in keyof Contract['query']]: Record<keyof Contract['query'][O], ParameterTest> } = {
  listPaymentIntents: {
    status: filtersStates(INTENT_STATES),
    assetCode: filtersOut(),
    productId: anId,
    posTerminalId: anId,
    invoiceId: anId,
  },
  listInvoices: { merchantReference: filtersOut() },
  listAccounts: {
    take: limitsPages,
    status: filtersStates(['closed', 'frozen', 'active']),
    search: filtersOut(),
    cursor: goesOn,
  },
  listTransactions: { take: limitsPages, from: boundsTime('from'), to: boundsTime('to'), page: counts },
  listAccountTransactions: { take: limitsPages, cursor: goesOn },
  listWebhookDeliveries: {
    take: limitsPages,
    cursor: goesOnWhereTold,
    paymentIntentId: anId,
    payoutId: anId,
    depositId: anId,
    accountId: anId,
    endpointId: anId,
  },
  listSettlementPaymentMethods: { assetCode: tellsAssets },
  listPayouts: {
    take: limitsPages,
    status: filtersStates(['confirmed', 'failed', 'pending', 'approved']),
    cursor: goesOn,
  },
};

export interface Probing {
  clientFor: (contract: Contract) => Promise<MerchantClient>;
  signal: AbortSignal;
  /** An asset of the catalog, and a sub-wallet, where there are any. */
  asset: string | null;
  account: string | null;
}

export interface Probed {
  checks: Check[];
  /** With every name that was found. */
  contract: Contract;
}

/** Tells for each parameter of one list whether the service heeds it; where it does not, tries what it may be called. */
export async function probeParameters(
  operation: keyof Contract['query'],
  contract: Contract,
  probing: Probing,
): Promise<Probed> {
  const path = pathFor(operation, probing);
  const label = (name: string) => `contract ${operation}.${name}`;
  const tests: Record<string, ParameterTest> = parameterTests[operation];
  if (path === null) {
    return {
      checks: Object.keys(tests).map((name) => unknown(label(name), 'there is no sub-wallet to ask about')),
      contract,
    };
  }
  const ask = async (under: Contract, question: Question): Promise<Asked> =>
    askService(await probing.clientFor(under), operation, { path, signal: probing.signal, ...question });
  const baseline = operation === 'listSettlementPaymentMethods' ? null : await ask(contract, {});
  if (baseline !== null && baseline.kind !== 'answer') {
    return { checks: Object.keys(tests).map((name) => unknown(label(name), baseline.problem)), contract };
  }
  const rows = baseline?.rows ?? [];
  const checks: Check[] = [];
  let working = contract;
  for (const [name, test] of Object.entries(tests)) {
    const at = ['query', operation, name] as const;
    const tell = (under: Contract) =>
      test({ ask: (question) => ask(under, question), rows, asset: probing.asset } satisfies Bench, name);
    const told = await tell(working);
    const others = otherNames(name, namesTaken(operation, working));
    const found = isWrong(told) ? await firstThatWorks(others, (other) => tell(withPart(working, at, other))) : null;
    checks.push(judge(label(name), partOf(working, at), { told, found, path: at.join('.') }));
    if (found !== null) working = withPart(working, at, found);
  }
  return { checks, contract: working };
}

function isWrong(told: Told): boolean {
  return told === 'ignored' || told === 'refused';
}

async function firstThatWorks(names: readonly string[], tell: (name: string) => Promise<Told>): Promise<string | null> {
  for (const name of names) if ((await tell(name)) === 'works') return name;
  return null;
}

function judge(
  label: string,
  name: string,
  { told, found, path }: { told: Told; found: string | null; path: string },
): Check {
  if (told === 'works') return ok(label, `the service heeds "${name}"`);
  if (told === 'untold') return unknown(label, 'too little is there to tell');
  const does = told === 'ignored' ? 'does not heed' : 'refuses';
  if (found !== null)
    return finding(
      label,
      `the service ${does} "${name}", but heeds "${found}"`,
      `set ${path} to "${found}" in CONTRACT_FILE`,
    );
  return finding(
    label,
    `the service ${does} "${name}", and every other name that was tried`,
    `ask the service for the name, and set ${path} in CONTRACT_FILE`,
  );
}

function namesTaken(operation: ReadOperation, contract: Contract): Set<string> {
  return new Set(queryNamesOf(operation, contract).values());
}

/** Null where the path needs what is not there. */
function pathFor(operation: ReadOperation, { account }: Probing): Record<string, string> | null {
  if (!operationOf(operation).path.includes('{id}')) return {};
  return account === null ? null : { id: account };
}
