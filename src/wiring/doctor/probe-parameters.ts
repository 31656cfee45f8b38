import type { Contract } from '../../service-api/contract.js';
import { operationOf, queryNamesOf, type ReadOperation } from '../../service-api/operations.js';
import type { Question } from './ask-service.js';
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
import type { Ask } from './questions.js';

const anId = filtersOut('an id of the list');
const INTENT_STATES = ['completed', 'expired', 'cancelled', 'pending', 'confirming', 'unmatched'];

/** Every parameter whose name is not shown, and how it is told. Page sizes first: others build on them. */
export const parameterTests: { [O in keyof Contract['query']]: Record<keyof Contract['query'][O], ParameterTest> } = {
  listPaymentIntents: {
    status: filtersStates(INTENT_STATES),
    assetCode: filtersOut('no asset'),
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
  ask: Ask;
  /** Assets of the catalog, and a sub-wallet, where there are any. */
  assets: readonly string[];
  account: { id: string } | { none: string };
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
  const tests: Record<string, ParameterTest> = parameterTests[operation];
  const untold = (why: string): Probed => ({
    checks: Object.keys(tests).map((name) => unknown(labelOf(operation, name), why)),
    contract,
  });
  const place = pathFor(operation, probing);
  if ('none' in place) return untold(place.none);
  const { path } = place;
  const ask = (under: Contract, question: Question) => probing.ask(under, operation, { path, ...question });
  const baseline = operation === 'listSettlementPaymentMethods' ? null : await ask(contract, {});
  if (baseline !== null && baseline.kind !== 'answer') return untold(baseline.problem);
  const rows = baseline?.rows ?? [];
  const checks: Check[] = [];
  let working = contract;
  for (const [name, test] of Object.entries(tests)) {
    const at = ['query', operation, name] as const;
    const tell = (under: Contract) =>
      test({ ask: (question) => ask(under, question), rows, assets: probing.assets } satisfies Bench, name);
    const told = await tellName(working, at, tell);
    const others = isWrong(told) ? otherNames(name, namesTaken(operation, working)) : [];
    const search = await findOther(others, (other) => tell(withPart(working, at, other)));
    checks.push(judge(labelOf(operation, name), partOf(working, at), { told, ...search, path: at.join('.') }));
    if (search.found !== null) working = withPart(working, at, search.found);
  }
  return { checks, contract: working };
}

function labelOf(operation: string, name: string): string {
  return `contract ${operation}.${name}`;
}

/** No service has a parameter of this name. */
const NO_NAME = 'tallyhookProbe';

/**
 * What is refused under our name, and not under one that no service knows, or with other words, is refused for its value:
 * the name itself is known.
 */
async function tellName(
  contract: Contract,
  at: readonly ['query', string, string],
  tell: (under: Contract) => Promise<Told>,
): Promise<Told> {
  const told = await tell(contract);
  if (!isRefused(told)) return told;
  const control = await tell(withPart(contract, at, NO_NAME));
  if (!isRefused(control)) return typeof control === 'object' ? control : 'works';
  const inOtherWords = (text: string) => text.replaceAll(partOf(contract, at), '').replaceAll(NO_NAME, '');
  if (inOtherWords(told.refused) === inOtherWords(control.refused)) return told;
  return { untold: `the probe’s value is refused: ${told.refused}` };
}

function isRefused(told: Told): told is { refused: string } {
  return typeof told === 'object' && 'refused' in told;
}

function isWrong(told: Told): boolean {
  return told === 'ignored' || isRefused(told);
}

/** The first name that works; `unsaid`: why some of them could not be tried. */
async function findOther(
  names: readonly string[],
  tell: (name: string) => Promise<Told>,
): Promise<{ found: string | null; unsaid: string | null }> {
  for (const name of names) {
    const told = await tell(name);
    if (told === 'works') return { found: name, unsaid: null };
    if (typeof told === 'object' && 'untold' in told) return { found: null, unsaid: told.untold };
  }
  return { found: null, unsaid: null };
}

function judge(
  label: string,
  name: string,
  { told, found, unsaid, path }: { told: Told; found: string | null; unsaid: string | null; path: string },
): Check {
  if (told === 'works') return ok(label, `the service heeds "${name}"`);
  if (typeof told === 'object' && 'untold' in told) return unknown(label, told.untold);
  const does = told === 'ignored' ? 'does not heed' : 'refuses';
  if (found !== null)
    return finding(
      label,
      `the service ${does} "${name}", but heeds "${found}"`,
      `set ${path} to "${found}" in CONTRACT_FILE`,
    );
  const others = unsaid === null ? 'and every other name that was tried' : `and no other name was found (${unsaid})`;
  return finding(
    label,
    `the service ${does} "${name}", ${others}`,
    `ask the service for the name, and set ${path} in CONTRACT_FILE`,
  );
}

function namesTaken(operation: ReadOperation, contract: Contract): Set<string> {
  return new Set(queryNamesOf(operation, contract).values());
}

/** What stands in the path, or why what it needs is not there. */
function pathFor(operation: ReadOperation, { account }: Probing): { path: Record<string, string> } | { none: string } {
  if (!operationOf(operation).path.includes('{id}')) return { path: {} };
  return 'none' in account ? account : { path: account };
}
