import { existsSync } from 'node:fs';

/** What is tried together and has a line of its own in the table. */
export interface Target {
  name: string;
  places: readonly string[];
  /** Test files beside those that are chosen, where these miss what holds the place; each is played for every mutant that the others let be. */
  tests?: readonly string[];
}

/** So many more test files a target may name: each costs its time once for every survivor. */
export const MOST_NAMED = 4;

const webhook = (...names: string[]) => names.map((name) => `src/webhook/${name}.ts`);
const serviceApi = (...names: string[]) => names.map((name) => `src/service-api/${name}.ts`);

export const targets: readonly Target[] = [
  { name: 'domain/family', places: ['src/domain/family'] },
  { name: 'domain/money', places: ['src/domain/money.ts'] },
  { name: 'domain/orders', places: ['src/domain/orders'] },
  {
    name: 'webhook: verification',
    places: webhook('verify-signature', 'secret-matches'),
  },
  {
    name: 'webhook: keys',
    places: [...webhook('secret-source'), 'src/domain/events/event-key.ts', 'src/domain/events/event-key.ts'],
  },
  {
    name: 'webhook: body',
    places: webhook('body-room', 'steps', 'parse-envelope', 'observe-event'),
    tests: inTest('webhook', 'receiver', 'receiver-http', 'outage', 'overload'),
  },
  { name: 'domain/deliveries', places: ['src/domain/deliveries'] },
  { name: 'domain/breaks', places: ['src/domain/breaks'] },
  { name: 'domain/balances', places: ['src/domain/balances'] },
  { name: 'domain/books', places: ['src/domain/books'] },
  {
    name: 'domain/alerts, state, audit',
    places: ['src/domain/alerts', 'src/domain/state', 'src/domain/audit', 'src/domain/two-people.ts'],
    tests: [...inTest('deploy', 'metrics'), ...inTest('notify', 'alerts'), ...inTest('wiring', 'surfaces')],
  },
  {
    name: 'domain: records',
    places: ['advance', 'merge', 'record-state', 'records', 'own-calls']
      .concat(['grouped', 'observation', 'in-turns', 'kinds/kind'])
      .map(inDomain),
  },
  {
    name: 'domain: texts',
    places: [
      'canonical-json',
      'in-words',
      'views/shown-changes',
      'personal',
      'plain-text',
      'search',
      'formula',
      'reference-skeleton',
      'confusables',
    ]
      .map(inDomain)
      .concat(['without-bulk', 'asset-code', 'json'].map(inDomain)),
  },
  {
    name: 'domain: words, days',
    places: ['rejection-words', 'run-kinds', 'age-buckets', 'console-roles', 'service-time', 'time-zones'].map(
      inDomain,
    ),
  },
  { name: 'domain/scorecard', places: ['src/domain/scorecard'], tests: inTest('records', 'scorecard') },
  { name: 'domain/settlements', places: ['src/domain/settlements'] },
  { name: 'domain/json-table', places: ['src/domain/json-table'] },
  { name: 'reconcile/lists', places: ['src/reconcile/lists'], tests: inTest('reconcile', 'resume', 'run') },
  {
    name: 'service-api: writes',
    places: serviceApi('service-writes', 'keyed-calls', 'invoice-writes', 'attempt').concat(
      serviceApi('refusal-of', 'key-store', 'check-request'),
    ),
    tests: inTest('service-api', 'outcome-unknown', 'network', 'http', 'writes'),
  },
];

function inDomain(name: string): string {
  return `src/domain/${name}.ts`;
}

function inTest(folder: string, ...names: string[]): string[] {
  return names.map((name) => `test/${folder}/${name}.test.ts`);
}

/** The targets that are named; a folder or file is one of its own. Nothing named: all. */
export function groupsOf(wanted: readonly string[]): readonly Target[] {
  if (wanted.length === 0) return targets;
  return wanted.map((name) => {
    const found = targets.find((one) => one.name === name) ?? (existsSync(name) ? { name, places: [name] } : undefined);
    if (!found) throw new Error(`${name} is neither a file nor one of: ${targets.map((one) => one.name).join('; ')}`);
    return found;
  });
}

/** The test files that the targets of a module name. */
export function testsNamedFor(module: string): readonly string[] {
  const within = targets.filter(({ places }) =>
    places.some((place) => module === place || module.startsWith(`${place}/`)),
  );
  return within.flatMap(({ tests }) => tests ?? []);
}
