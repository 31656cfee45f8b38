import { type Command, Option } from 'commander';
import { type ExportFormat, exportFormatNames } from '../finance/export-formats.js';
import { exportMonth, planExport } from '../finance/export-month.js';
import { keepHeapSmall } from '../wiring/small-heap.js';
import { type Flags, month } from './arguments.js';
import { printFiles, printPlan } from './print.js';
import { withStore } from './with-store.js';

interface ExportFlags extends Flags {
  format: ExportFormat;
  out: string;
}

export function define(command: Command): void {
  command
    .description('write a month of the books; of a closed month the bytes that it had when it was closed')
    .argument('<month>', 'such as 2026-10', month)
    .addOption(new Option('--format <format>', 'what to write').choices(exportFormatNames).makeOptionMandatory())
    .requiredOption('--out <dir>', 'the folder to write to; files of these names are replaced')
    .option('--dry-run', 'only list the files that would be written')
    .option('--json', 'print JSON')
    .action((asked: string, { format, out: dir, dryRun = false, json = false }: ExportFlags) =>
      withStore(async ({ db, books }) => {
        keepHeapSmall();
        const settings = { month: asked, format, ...(await books()) };
        if (dryRun) printPlan(await planExport(db, settings), { dir, json });
        else printFiles(await exportMonth(db, { dir, ...settings }), json);
      }),
    );
}
