import type { Command } from 'commander';
import { breakDefinitions } from '../domain/breaks/breaks.js';
import type { BreakView } from '../domain/views/proof-shapes.js';
import { UsageError } from '../errors.js';
import { type BreakDecision, decideBreak, getBreak, listBreaks } from '../records/breaks/list-breaks.js';
import { type ListFlags, listFlags } from './arguments.js';
import { type Columns, EXIT_FINDINGS, printJson, printList, printText } from './print.js';
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

interface Flags extends ListFlags {
  status?: string;
  kind?: string;
}

export function define(command: Command): void {
  listFlags(command.command('list').description('newest first; exit code 3 when any is open'))
    .option('--status <status>', 'open, acknowledged, resolved, written_off or auto_resolved')
    .option('--kind <kind>', 'such as record_not_at_service')
    .action(({ json = false, ...query }: Flags) =>
      withStore(async ({ db }) => {
        const page = await listBreaks(db, query);
        printList(page, json, columns);
        if (page.items.some((item) => item.status === 'open')) process.exitCode = EXIT_FINDINGS;
      }),
    );
  command
    .command('show <id>')
    .description('evidence, field by field, every step that was taken, what it means and what to do')
    .option('--json', 'print JSON')
    .action((id: string) =>
      withStore(async ({ db }) => {
        const found = await getBreak(db, id);
        if (!found) throw new UsageError(`There is no break "${id}".`);
        const { means, ends, remedy } = breakDefinitions[found.kind];
        printJson({ ...found, means, ends, remedy });
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
        const found = await getBreak(db, id);
        if (!found) throw new UsageError(`There is no break "${id}".`);
        if (dryRun) {
          printText(`would ${decide.replace('_', ' ')} ${found.kind} of ${found.entity.id}`);
          return;
        }
        const result = await decideBreak(db, id, decide, { actor: cliActor(), note });
        if (result.outcome === 'closed') throw new UsageError(`Break ${id} is ${result.break.status} already.`);
        if (result.outcome === 'done') process.stdout.write(`break ${id} is ${result.break.status}\n`);
      }),
    );
}
