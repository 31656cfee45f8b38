import type { Command } from 'commander';
import type { Knex } from 'knex';
import { breakDefinitions } from '../domain/breaks/breaks.js';
import { type BreakDetail, type BreakView, breakShape } from '../domain/views/proof-shapes.js';
import { UsageError } from '../errors.js';
import {
  type BreakDecision,
  type BreakFilters,
  decideBreak,
  getBreak,
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
  opened: 'openedAt',
  'age, days': 'age',
};

/** Closed ones, too. */
const ANY = 'any';

export function define(command: Command): void {
  const list = (db: Knex, { status, ...query }: PageQuery & BreakFilters) =>
    listBreaks(db, { ...query, status: status === ANY ? undefined : status, unclosed: status === undefined });
  const isFinding = ({ status }: BreakView) => status === 'open';
  listVerb(command, 'those that are not closed, newest first; exit code 3 when any is open', {
    columns,
    list,
    isFinding,
  })
    .addOption(wordOption(breakShape, 'status', 'left out: open or acknowledged', [ANY]))
    .addOption(wordOption(breakShape, 'severity', 'only those as grave as this'))
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
}

function decision(command: Command, verb: string, decide: BreakDecision, meaning: string): void {
  command
    .command(`${verb} <id>`)
    .description(meaning)
    .requiredOption('--note <text>', 'why; kept with your name')
    .option('--dry-run', 'only say what would be done')
    .action((id: string, { note, dryRun }: { note: string; dryRun?: boolean }) =>
      withStore(async ({ db }) => {
        const { kind, entity } = await breakOf(db, id);
        if (dryRun) return printText(`would ${decide.replace('_', ' ')} ${kind} of ${entity.id}`);
        const result = await decideBreak(db, id, decide, { actor: cliActor(), note });
        if (result.outcome === 'closed') throw new UsageError(`Break ${id} is ${result.break.status} already.`);
        if (result.outcome === 'done') process.stdout.write(`break ${id} is ${result.break.status}\n`);
      }),
    );
}

async function breakOf(db: Knex, id: string): Promise<BreakDetail> {
  const found = await getBreak(db, id);
  if (found) return found;
  throw new UsageError(`There is no break "${id}".`);
}
