import type { Command } from 'commander';
import { type Verdict, whyNotDecide } from '../domain/two-people.js';
import { type DecisionView, decisionShape } from '../domain/views/operation-shapes.js';
import { UsageError } from '../errors.js';
import { decide } from '../finance/decisions/decisions.js';
import { getDecision, listDecisions } from '../records/actions/decisions.js';
import { changeFlags, checkNote, type Flags, reasonedFlags } from './arguments.js';
import { closingDeps } from './four-eyes.js';
import { listVerb, wordOption } from './list-verb.js';
import { type Columns, EXIT_FINDINGS, printResult } from './print.js';
import { printOne } from './print-words.js';
import { showAtWork } from './show-at-work.js';
import { cliPerson, type Store, withStore } from './with-store.js';

const columns: Columns<DecisionView> = {
  id: 'id',
  action: 'action',
  'done to': 'subject',
  state: 'state',
  'asked by': 'askedBy',
  asked: 'askedAt',
  'decided by': 'decidedBy',
};
const besides: Columns<DecisionView> = { why: 'reason' };

export function define(command: Command): void {
  listVerb(command, 'newest first; exit code 3 when any waits', {
    columns,
    besides,
    list: listDecisions,
    isFinding: ({ state }) => state === 'waiting',
  })
    .addOption(wordOption(decisionShape, 'state', 'left out: all'))
    .addOption(wordOption(decisionShape, 'action', 'as the audit names it'));
  command
    .command('show <id>')
    .description('one decision: what it would come to, who asked and who decided')
    .option('--json', 'print JSON')
    .action((id: string, { json = false }: Flags) =>
      withStore(async (store) => printOne(json, await decisionOf(store, id), ['preview', 'text'])),
    );
  verdict(
    command,
    'approve',
    'do what another person asked for; exit code 3 where it would come to something else by now',
  );
  verdict(command, 'refuse', 'what another person asked for is not done');
  verdict(command, 'withdraw', 'take back what you asked for');
}

function verdict(command: Command, name: Verdict, meaning: string): void {
  const flags = name === 'withdraw' ? changeFlags : reasonedFlags;
  flags(command.command(`${name} <id>`).description(meaning), 'only say whether you may').action(
    (id: string, given: Flags) => withStore((store) => decideOne(store, id, name, given)),
  );
}

async function decideOne(
  store: Store,
  id: string,
  name: Verdict,
  { note = '', dryRun = false, json = false }: Flags,
): Promise<void> {
  const person = cliPerson();
  const found = await decisionOf(store, id);
  if (name !== 'withdraw') checkNote(note);
  if (dryRun) {
    const why = whyNotDecide(name, person, { ...found, seen: '' });
    if (why !== null) throw new UsageError(`Decision ${id} would stay as it is: ${why}.`);
    return printResult(json, { ...found, dryRun }, `would ${name} decision ${id}: ${found.action}, ${found.subject}`);
  }
  const given = { id, verdict: name, note: note.trim() || null };
  const result = await showAtWork('deciding', decide(await closingDeps(store), given, person));
  if (result.outcome === 'not_found') throw new UsageError(`There is no decision "${id}".`);
  if (result.outcome === 'refused') throw new UsageError(`Decision ${id} stays as it is: ${result.why}.`);
  printResult(json, result.decision, `decision ${id} is ${result.decision.state}: ${result.message}`);
  if (result.decision.state === 'expired') process.exitCode = EXIT_FINDINGS;
}

async function decisionOf({ db }: Store, id: string) {
  const found = await getDecision(db, id);
  if (found === null) throw new UsageError(`There is no decision "${id}".`);
  return found;
}
