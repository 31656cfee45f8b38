import { type Command, Option } from 'commander';
import type { Knex } from 'knex';
import { breakDefinitions } from '../domain/breaks/breaks.js';
import {
  type EvidenceField,
  type EvidenceRecords,
  evidenceLabel,
  evidenceSides,
  unsaidWords,
} from '../domain/breaks/evidence-sides.js';
import { RECORDS_FOR_PROOF } from '../domain/breaks/fee-identity.js';
import { counted, words } from '../domain/in-words.js';
import { isJsonObject } from '../domain/json.js';
import { type BreakCause, type BreakDetail, type BreakView, breakShape } from '../domain/views/proof-shapes.js';
import { UsageError } from '../errors.js';
import { recordAction } from '../records/actions/record-action.js';
import { forgetIdentity, readEvidence } from '../records/breaks/check-progress.js';
import {
  type Asked,
  type BreakDecision,
  type DecisionPreview,
  decideAsked,
  leftWords,
  MOST_DECIDED,
  previewDecision,
} from '../records/breaks/decide-breaks.js';
import {
  ANY,
  type BreakFilters,
  breakCauses,
  causeOfBreak,
  getBreak,
  listBreaks,
} from '../records/breaks/list-breaks.js';
import { maximumTake, type PageQuery } from '../records/database/paging.js';
import { inTransaction } from '../records/database/statements.js';
import { type Flags, reasonedFlags } from './arguments.js';
import { asksFirst } from './four-eyes.js';
import { listVerb, wordOption } from './list-verb.js';
import { type Columns, EXIT_FINDINGS, printJson, printList, printNote, printResult, printText } from './print.js';
import { printOne, valueText } from './print-words.js';
import { cliActor, withStore } from './with-store.js';

const columns: Columns<BreakView> = {
  id: 'id',
  severity: 'severity',
  kind: 'kind',
  about: (item) => `${item.entity.kind} ${item.entity.id}`,
  due: ({ dueAt, overdue }) => (overdue ? `overdue since ${dueAt}` : dueAt),
  who: 'owner',
  status: 'status',
};
const besides: Columns<BreakView> = { opened: 'openedAt' };

export function define(command: Command): void {
  const list = (db: Knex, { overdue, ...query }: PageQuery & BreakFilters) =>
    listBreaks(db, {
      ...query,
      overdue: overdue === undefined ? undefined : 'true',
      unclosed: query.status === undefined,
    });
  const isFinding = ({ status }: BreakView) => status === 'open';
  listVerb(command, 'those that are not closed, newest first; exit code 3 when any is open', {
    columns,
    besides,
    list,
    isFinding,
  })
    .addOption(wordOption(breakShape, 'status', 'left out: open or acknowledged', [ANY]))
    .addOption(wordOption(breakShape, 'severity', 'only those as grave as this'))
    .option('--owner <owner>', 'only those that this person has; nobody: that nobody has')
    .option('--overdue', 'only those that are not closed, and were due')
    .addOption(wordOption(breakShape, 'kind', 'docs/breaks.md explains each'));
  command
    .command('show <id>')
    .description(
      'what it means, what to do, every step that was taken, and both sides, field by field: what differs is marked',
    )
    .option('--json', 'print JSON')
    .action((id: string, { json = false }: Flags) =>
      withStore(async ({ db }) => {
        const found = await breakOf(db, id);
        const { means, ends, remedy } = breakDefinitions[found.kind];
        if (json) printJson({ ...found, means, ends, remedy });
        else printBreak(found, { means, ends, remedy });
      }),
    );
  causesVerb(command);
  observeVerb(command);
  for (const [verb, { decide, means }] of Object.entries(verbs))
    decisionVerb(command, verb, means).action((ids: string[], flags: DecisionFlags) =>
      decideAll(ids, decide, { ...flags, would: words(decide) }),
    );
  decisionVerb(command, 'assign', 'who is at it')
    .addOption(new Option('--to <name>', 'a person').conflicts('nobody'))
    .option('--nobody', 'nobody is at it any more')
    .action((ids: string[], { to, nobody, ...flags }: DecisionFlags & { to?: string; nobody?: boolean }) => {
      const owner = to?.trim() || null;
      if (owner === null && nobody !== true) throw new UsageError('Say to whom: --to NAME, or --nobody.');
      return decideAll(ids, { owner }, { ...flags, would: `assign to ${owner ?? 'nobody'}` });
    });
}

/** Both sides last; what differs is marked. */
function printBreak({ evidence, ...found }: BreakDetail, about: object): void {
  const { fields, alone, records, besides } = evidenceSides(
    found.kind,
    isJsonObject(evidence) ? evidence : { said: evidence },
  );
  const evidenceOf = Object.entries(besides).map(([name, value]) => [name, value ?? unsaidWords(name)] as const);
  const said = Object.entries({ ...alone, evidence: Object.fromEntries(evidenceOf) }).filter(
    ([, own]) => Object.keys(own).length > 0,
  );
  printOne(false, { ...found, ...about, ...Object.fromEntries(said) });
  if (fields.length > 0) printList({ items: fields }, false, sideColumns);
  for (const { name, ids, fields: items } of records) printList({ items }, false, recordColumns(name, ids));
}

function recordColumns(name: string, ids: readonly string[]): Columns<EvidenceRecords['fields'][number]> {
  const columns = ids.map(
    (id, n): Columns<EvidenceRecords['fields'][number]> => ({ [id]: ({ values }) => valueText(values[n]) }),
  );
  return Object.assign({ [evidenceLabel(name)]: fieldLabel }, ...columns, {
    '': ({ differs }: { differs: boolean }) => (differs ? 'differs' : ''),
  });
}

const fieldLabel = ({ name }: { name: string }): string => evidenceLabel(name);

const sideColumns: Columns<EvidenceField> = {
  evidence: ({ name }) => evidenceLabel(name),
  ours: ({ ours }) => valueText(ours),
  theirs: ({ theirs }) => valueText(theirs),
  '': ({ differs }) => (differs ? 'differs' : ''),
  'known from': ({ source }) => (source === null ? '' : valueText(source)),
};

const verbs = {
  ack: { decide: 'acknowledge', means: 'it is known and somebody is at it' },
  resolve: { decide: 'resolve', means: 'it is fixed' },
  writeoff: { decide: 'write_off', means: 'it will not be fixed' },
} as const;

function causesVerb(command: Command): void {
  command
    .command('causes')
    .description('what is not closed, by what its evidence has in common, the worst first; exit code 3 where any is')
    .option('--json', 'print JSON')
    .action(({ json = false }: Flags) =>
      withStore(async ({ db }) => {
        const items = await breakCauses(db);
        printList({ items }, json, causeColumns);
        if (items.length > 0) process.exitCode = EXIT_FINDINGS;
      }),
    );
}

function observeVerb(command: Command): void {
  const verb = command
    .command('observe <identity>')
    .description('of fee_identity: the service changed its fees for good, so how amounts add up is observed again');
  reasonedFlags(verb).action((identity: string, { note = '', dryRun = false, json = false }: Flags) =>
    withStore(async ({ db }) => {
      const known = (await readEvidence(db)).map((one): string => one.identity);
      if (!known.includes(identity))
        throw new UsageError(`Nothing was observed of "${identity}"; known are: ${known.join(', ') || 'none'}.`);
      await inTransaction(db, dryRun, async (trx) => {
        await forgetIdentity(trx, identity);
        const about = { action: 'observe identity', target: identity, reason: note };
        await recordAction(trx, { actor: cliActor(), outcome: 'done', ...about });
      });
      const what = `${dryRun ? 'would observe' : 'observing'} ${identity} again`;
      printResult(json, { identity, dryRun }, `${what}: ${RECORDS_FOR_PROOF} records in a row prove it anew`);
    }),
  );
}

const causeColumns: Columns<BreakCause> = {
  cause: 'id',
  breaks: 'count',
  kind: 'kind',
  shared: 'shared',
  worst: 'severity',
  first: 'openedFrom',
  last: 'openedTo',
  unassigned: 'unowned',
};

interface DecisionFlags {
  cause?: string;
  note: string;
  dryRun?: boolean;
}

function decisionVerb(command: Command, verb: string, means: string): Command {
  return command
    .command(`${verb} [id...]`)
    .description(`${means}; of many, all or none`)
    .option('--cause <id>', 'all that came together with this break and is open; with ids: only those of them')
    .requiredOption('--note <text>', 'why; kept with your name')
    .option('--dry-run', 'only say what would be done, with the money and what is left out');
}

/** Of breaks that somebody named each can be decided, or none is; of a cause what it has. */
function decideAll(
  ids: string[],
  decide: BreakDecision,
  { cause, note, dryRun = false, would }: DecisionFlags & { would: string },
): Promise<void> {
  return withStore(async (store) => {
    const { db } = store;
    const asked = await askedOf(db, ids, cause);
    const preview = await previewDecision(db, asked);
    const [left] = cause === undefined ? preview.left : [];
    if (left?.why === 'not_found') throw new UsageError(`There is no break "${left.first}".`);
    if (left !== undefined) throw new UsageError(`Break ${left.first} is ${left.why} already.`);
    if (preview.isTooMuch)
      throw new UsageError(`It is about more than ${MOST_DECIDED} breaks: name them, at most so many.`);
    const request = { action: 'write off break', input: { ids: preview.ids }, reason: note } as const;
    if (decide === 'write_off' && (await asksFirst(store, request, { dryRun }))) return;
    if (dryRun) {
      printPreview(preview, would);
      return;
    }
    const { ids: done, left: leftOut } = await decideAsked(db, asked, decide, { actor: cliActor(), note });
    for (const { id, status, owner } of await eachOf(db, done))
      printText(`break ${id} is ${status}${owner === null ? '' : `, ${owner} is at it`}`);
    if (leftOut.length > 0) printNote(leftWords(leftOut));
  });
}

async function askedOf(db: Knex, ids: string[], id: string | undefined): Promise<Asked> {
  if (id === undefined && ids.length === 0) throw new UsageError('Say which: ids of breaks, or --cause ID.');
  if (id === undefined) return { ids };
  const cause = await causeOfBreak(db, id);
  if (cause === null) throw new UsageError(`Nothing is open that came together with a break "${id}".`);
  return ids.length === 0 ? { cause } : { ids, cause };
}

function printPreview({ ids, items, money, left }: DecisionPreview, would: string): void {
  for (const { id, kind, entity } of items) printText(`would ${would} ${kind} of ${entity.id} (break ${id})`);
  if (ids.length > items.length) printText(`and ${counted(ids.length - items.length, 'older break')}`);
  for (const { currency, breaks, amount, worth } of money) {
    const about = counted(breaks, 'break');
    const usd = worth === null ? '' : `, ${worth} USD`;
    printText(currency === null ? `${about}: no amount is known` : `${about}: ${amount} ${currency}${usd}`);
  }
  if (left.length > 0) printText(leftWords(left));
}

/** Oldest first. */
async function eachOf(db: Knex, ids: readonly string[]): Promise<BreakView[]> {
  const found: BreakView[] = [];
  for (let rest = ids; rest.length > 0; rest = rest.slice(maximumTake))
    found.push(...(await listBreaks(db, { ids: rest.slice(0, maximumTake), take: maximumTake })).items.reverse());
  return found;
}

async function breakOf(db: Knex, id: string): Promise<BreakDetail> {
  const found = await getBreak(db, id);
  if (found) return found;
  throw new UsageError(`There is no break "${id}".`);
}
