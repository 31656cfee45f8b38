import type { Question } from '../../reconcile/service-reader.js';
import type { Contract } from '../../service-api/contract.js';
import { operationOf, queryNamesOf } from '../../service-api/operations.js';
import { type Check, finding, ok, unknown } from './check.js';
import { type Probing, partOf, withPart } from './contract-part.js';
import { otherNames } from './other-names.js';
import {
  boundsTime,
  continuesAtCursor,
  counts,
  filtersAssets,
  filtersOut,
  filtersStates,
  goesOn,
  limitsPages,
  type ParameterTest,
  type Verdict,
} from './parameter-tests.js';

const anId = filtersOut('an id of the list');
const INTENT_STATES = ['completed', 'expired', 'cancelled', 'pending', 'confirming', 'unmatched'];

/** Every parameter whose name is not shown, and how it is tested. Page sizes first: others build on them. */
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
    cursor: continuesAtCursor,
    paymentIntentId: anId,
    payoutId: anId,
    depositId: anId,
    accountId: anId,
    endpointId: anId,
  },
  listSettlementPaymentMethods: { assetCode: filtersAssets },
  listPayouts: {
    take: limitsPages,
    status: filtersStates(['confirmed', 'failed', 'pending', 'approved']),
    cursor: goesOn,
  },
};

/** A sub-wallet to ask about; or why there is none. */
export type Account = { id: string } | { none: string };

/** Says for each parameter of one list whether the service uses it; where it does not, tries what it may be called. */
export async function probeParameters(
  probing: Probing,
  operation: keyof Contract['query'],
  { assets, account }: { assets: readonly string[]; account: Account },
): Promise<Check[]> {
  const tests: Record<string, ParameterTest> = parameterTests[operation];
  const allUnknown = (why: string) => Object.keys(tests).map((name) => unknown(labelOf(operation, name), why));
  const isOfAccount = operationOf(operation).path.includes('{id}');
  if (isOfAccount && 'none' in account) return allUnknown(account.none);
  const path: Record<string, string> = isOfAccount && 'id' in account ? { id: account.id } : {};
  const ask = (under: Contract, question: Question) => probing.ask(under, operation, { path, ...question });
  const baseline = operation === 'listSettlementPaymentMethods' ? null : await ask(probing.contract, {});
  if (baseline !== null && baseline.kind !== 'answer') return allUnknown(baseline.problem);
  const rows = baseline?.rows ?? [];
  const checks: Check[] = [];
  for (const [name, test] of Object.entries(tests)) {
    const { contract } = probing;
    const at = ['query', operation, name] as const;
    const testUnder = (under: Contract) => test({ ask: (question) => ask(under, question), rows, assets }, name);
    const verdict = await testName(contract, at, testUnder);
    const taken = new Set(queryNamesOf(operation, contract).values());
    const others = isWrong(verdict) ? otherNames(name, taken) : [];
    const search = await findOther(others, (other) => testUnder(withPart(contract, at, other)));
    checks.push(checkOf(labelOf(operation, name), partOf(contract, at), { verdict, ...search, path: at.join('.') }));
    if (search.found !== null) probing.contract = withPart(contract, at, search.found);
  }
  return checks;
}

const labelOf = (operation: string, name: string): string => `contract ${operation}.${name}`;

/** No service has a parameter of this name. */
const NO_NAME = 'tallyhookProbe';

/**
 * What is refused under our name, and not under one that no service knows, or with other words, is refused for its value:
 * the name itself is known.
 */
async function testName(
  contract: Contract,
  at: readonly ['query', string, string],
  test: (under: Contract) => Promise<Verdict>,
): Promise<Verdict> {
  const verdict = await test(contract);
  if (!isRefused(verdict)) return verdict;
  const control = await test(withPart(contract, at, NO_NAME));
  if (!isRefused(control)) return typeof control === 'object' ? control : 'works';
  const inOtherWords = (text: string) => text.replaceAll(partOf(contract, at), '').replaceAll(NO_NAME, '');
  if (inOtherWords(verdict.refused) === inOtherWords(control.refused)) return verdict;
  return { notKnown: `the probe’s value is refused: ${verdict.refused}` };
}

function isRefused(verdict: Verdict): verdict is { refused: string } {
  return typeof verdict === 'object' && 'refused' in verdict;
}

const isWrong = (verdict: Verdict): boolean => verdict === 'ignored' || isRefused(verdict);

/** The first name that works; `unsaid`: why some of them could not be tried. */
async function findOther(
  names: readonly string[],
  test: (name: string) => Promise<Verdict>,
): Promise<{ found: string | null; unsaid: string | null }> {
  for (const name of names) {
    const verdict = await test(name);
    if (verdict === 'works') return { found: name, unsaid: null };
    if (typeof verdict === 'object' && 'notKnown' in verdict) return { found: null, unsaid: verdict.notKnown };
  }
  return { found: null, unsaid: null };
}

function checkOf(
  label: string,
  name: string,
  { verdict, found, unsaid, path }: { verdict: Verdict; found: string | null; unsaid: string | null; path: string },
): Check {
  if (verdict === 'works') return ok(label, `the service uses "${name}"`);
  if (typeof verdict === 'object' && 'notKnown' in verdict) return unknown(label, verdict.notKnown);
  const does = verdict === 'ignored' ? 'ignores' : 'refuses';
  if (found !== null)
    return finding(
      label,
      `the service ${does} "${name}", but uses "${found}"`,
      `set ${path} to "${found}" in CONTRACT_FILE`,
    );
  const others = unsaid === null ? 'and every other name that was tried' : `and no other name was found (${unsaid})`;
  return finding(
    label,
    `the service ${does} "${name}", ${others}`,
    `ask the service for the name, and set ${path} in CONTRACT_FILE`,
  );
}
