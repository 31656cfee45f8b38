import type { Command } from 'commander';
import { breaksOf, canaryWords, notOverdue } from '../domain/alerts/facts.js';
import { unansweredWords } from '../domain/alerts/outage-words.js';
import { inHandWords } from '../domain/alerts/record-conditions.js';
import { severities } from '../domain/breaks/findings.js';
import { counted, duration } from '../domain/in-words.js';
import { runKinds } from '../domain/run-kinds.js';
import { balanceWords, missedWords, provenWords } from '../domain/state/proven.js';
import { lineOf, needsPerson } from '../domain/state/state.js';
import { type KnownState, loadState } from '../records/alerts/load-state.js';
import { secretsStatus } from '../webhook/rotation.js';
import { runEverySeconds } from '../wiring/crons.js';
import type { Flags } from './arguments.js';
import { EXIT_FINDINGS, printJson, printText } from './print.js';
import { type Store, withStore } from './with-store.js';

/** What stands before each line, and what that takes. */
const INDENT = 'webhooks  '.length;

/** What on-call needs first, five lines; exit code 3 where something needs a person. */
export function define(command: Command): void {
  command.option('--json', 'print JSON').action(({ json = false }: Flags) =>
    withStore(async (store) => {
      const now = new Date();
      const known = await stateNow(store, now);
      if (json) printJson(statusFacts(known));
      else printText(statusLines(known).join('\n'), INDENT);
      if (needsPerson(known.state)) process.exitCode = EXIT_FINDINGS;
    }),
  );
}

/** As every command knows it. */
export async function stateNow({ db, config, contract }: Store, now: Date): Promise<KnownState> {
  const secrets = config.WEBHOOK_SECRETS ?? [];
  return loadState(db, {
    now,
    kinds: runKinds,
    runEverySeconds: runEverySeconds(config),
    secretsStatus: async () => secretsStatus(db, secrets, now, (await contract()).deliveries.pending),
  });
}

export function statusFacts({ state, facts, figures: { received, rejected, ordersHeld } }: KnownState) {
  const { backlog, missed, kinds, balances } = facts;
  return {
    ...state,
    needsPerson: needsPerson(state),
    webhooks: {
      received,
      rejected,
      ...backlog,
      missed,
      notOverdue: Object.fromEntries(notOverdue(facts).map(({ class: kind, count }) => [kind, count])),
    },
    canary: facts.canary,
    service: { answeredSeconds: facts.answeredSeconds },
    polls: kinds,
    breaks: Object.fromEntries(severities.map((severity) => [severity, breaksOf(facts, severity)])),
    orders: { held: ordersHeld },
    balances: { total: balances.total, proven: balances.total - balances.unproven.length },
  };
}

export function statusLines(known: KnownState): string[] {
  const { facts, figures } = known;
  const { backlog, kinds } = facts;
  const oldest = backlog.waiting > 0 ? `, oldest ${duration(backlog.oldestSeconds)}` : '';
  const ages = kinds.flatMap(({ ageSeconds }) => ageSeconds ?? []);
  const read = ages.length === 0 ? '' : `; newest ${ageOf(Math.min(...ages))}, oldest ${ageOf(Math.max(...ages))}`;
  const { answeredSeconds: answered } = facts;
  const heard = answered === null || unansweredWords(facts) !== null ? '' : `; the service answered ${ageOf(answered)}`;
  return [
    `state     ${stateLine(known)}`,
    `webhooks  last hour: ${figures.received} received, ${figures.rejected} rejected; now: ${backlog.waiting} waiting${oldest}, ${backlog.dead} given up, ${missedWords(facts)}${facts.canary === null ? '' : `; canary ${canaryWords(facts.canary)}`}`,
    `polls     ${provenWords(facts)}${read}${heard}`,
    `breaks    ${severities.map((severity) => `${breaksOf(facts, severity)} ${severity}`).join(', ')}${inHandWords(inHandOf(facts))}`,
    `money     ${counted(figures.ordersHeld, 'paid order')} held; ${balanceWords(facts)}`,
  ];
}

const inHandOf = ({ breaks }: KnownState['facts']): number => breaks.reduce((sum, { inHand = 0 }) => sum + inHand, 0);

function stateLine({ state: { severity, problems }, facts }: Pick<KnownState, 'state' | 'facts'>): string {
  const [first, ...more] = problems;
  if (severity === null || first === undefined)
    return [`well: ${provenWords(facts)}`, ...problems.map(lineOf)].join('; ');
  const since = first.seconds === null ? '' : `, for ${duration(first.seconds)}`;
  const { length } = more.filter(({ isOver }) => !isOver);
  const others = length === 0 ? '' : `; ${length} more: tallyhook doctor`;
  return `${severity}: ${lineOf(first)}${since}${others}`;
}

const ageOf = (seconds: number): string => `${duration(seconds)} ago`;
