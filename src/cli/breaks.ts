import { type Command, Option } from 'commander';
import type { Knex } from 'knex';
import { breakDefinitions } from '../domain/breaks/breaks.js';
import { words } from '../domain/in-words.js';
import { type BreakDetail, type BreakView, breakShape } from '../domain/views/proof-shapes.js';
import { UsageError } from '../errors.js';
import {
  type BreakDecision,
  type BreakFilters,
  decideBreaks,
  getBreak,
  isClosed,
  listBreaks,
} from '../records/breaks/list-breaks.js';
import type { PageQuery } from '../records/database/paging.js';
import type { Flags } from './arguments.js';
import { listVerb, wordOption } from './list-verb.js';
import { type Columns, printText } from './print.js';
import { printOne } from './print-words.js';
import { cliActor, withStore } from './with-store.js';

const columns: Columns<BreakView> = {
  id: 'id',
  kind: 'kind',
  severity: 'severity',
  entity: (item) => `${item.entity.kind} ${item.entity.id}`,
  status: 'status',
  who: 'owner',
  opened: 'openedAt',
  due: ({ dueAt, overdue }) => (overdue ? `overdue since ${dueAt}` : dueAt),
};

/** Closed ones, too. */
const ANY = 'any';

export function define(command: Command): void {
  const list = (db: Knex, { status, overdue, ...query }: PageQuery & BreakFilters) =>
    listBreaks(db, {
      ...query,
      overdue: overdue === undefined ? undefined : 'true',
      status: status === ANY ? undefined : status,
      unclosed: status === undefined,
    });
  const isFinding = ({ status }: BreakView) => status === 'open';
  listVerb(command, 'those that are not closed, newest first; exit code 3 when any is open', {
    columns,
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
    .description('evidence, field by field, every step that was taken, what it means and what to do')
    .option('--json', 'print JSON')
    .action((id: string, { json = false }: Flags) =>
      withStore(async ({ db }) => {
        const found = await breakOf(db, id);
        const { means, ends, remedy } = breakDefinitions[found.kind];
        printOne(json, { ...found, means, ends, remedy });
      }),
    );
  decision(command, 'ack', 'acknowledge', 'it is known and somebody is at it');
  decision(command, 'resolve', 'resolve', 'it is fixed');
  decision(command, 'writeoff', 'write_off', 'it will not be fixed');
  assignVerb(command);
}

function decision(command: Command, verb: string, decide: Exclude<BreakDecision, object>, meaning: string): void {
  command
    .command(`${verb} <id...>`)
    .description(`${meaning}; of many, all or none`)
    .requiredOption('--note <text>', 'why; kept with your name')
    .option('--dry-run', 'only say what would be done')
    .action((ids: string[], { note, dryRun }: { note: string; dryRun?: boolean }) =>
      decideAll(ids, decide, { note, dryRun, would: words(decide) }),
    );
}

function assignVerb(command: Command): void {
  command
    .command('assign <id...>')
    .description('who is at it; of many, all or none')
    .addOption(new Option('--to <name>', 'a person').conflicts('nobody'))
    .option('--nobody', 'nobody is at it any more')
    .requiredOption('--note <text>', 'why; kept with your name')
    .option('--dry-run', 'only say what would be done')
    .action((ids: string[], { to, nobody, note, dryRun }: AssignFlags) => {
      const owner = to?.trim() || null;
      if (owner === null && nobody !== true) throw new UsageError('Say to whom: --to NAME, or --nobody.');
      return decideAll(ids, { owner }, { note, dryRun, would: `assign to ${owner ?? 'nobody'}` });
    });
}

interface AssignFlags {
  to?: string;
  nobody?: boolean;
  note: string;
  dryRun?: boolean;
}

function decideAll(
  ids: readonly string[],
  decide: BreakDecision,
  { note, dryRun, would }: { note: string; dryRun?: boolean | undefined; would: string },
): Promise<void> {
  return withStore(async ({ db }) => {
    const found: BreakDetail[] = [];
    for (const id of new Set(ids)) found.push(await breakOf(db, id));
    const closed = found.find(isClosed);
    if (closed !== undefined) throw new UsageError(`Break ${closed.id} is ${closed.status} already.`);
    if (dryRun) {
      for (const { kind, entity } of found) printText(`would ${would} ${kind} of ${entity.id}`);
      return;
    }
    await decideBreaks(
      db,
      found.map(({ id }) => id),
      decide,
      { actor: cliActor(), note },
    );
    for (const { id } of found) {
      const { status, owner } = await breakOf(db, id);
      process.stdout.write(`break ${id} is ${status}${owner === null ? '' : `, ${owner} is at it`}\n`);
    }
  });
}

async function breakOf(db: Knex, id: string): Promise<BreakDetail> {
  const found = await getBreak(db, id);
  if (found) return found;
  throw new UsageError(`There is no break "${id}".`);
}
