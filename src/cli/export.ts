import { type Command, Option } from 'commander';
import { type ExportFormat, exportFormatNames } from '../finance/exports/export-formats.js';
import { exportMonth } from '../finance/exports/export-month.js';
import { loadChart } from '../finance/load-chart.js';
import { loadContract } from '../service-api/contract.js';
import { keepHeapSmall } from '../wiring/small-heap.js';
import { month } from './arguments.js';
import { printList } from './print.js';
import { withStore } from './with-store.js';

interface Flags {
  format: ExportFormat;
  out: string;
  json?: boolean;
}

export function defineExport(command: Command): void {
  command
    .description('write a month of the books; of a closed month the bytes that it had when it was closed')
    .argument('<month>', 'such as 2026-10', month)
    .addOption(new Option('--format <format>', 'what to write').choices(exportFormatNames).makeOptionMandatory())
    .requiredOption('--out <dir>', 'the folder to write to; files of these names are replaced')
    .option('--json', 'print JSON')
    .action((asked: string, { format, out: dir, json = false }: Flags) =>
      withStore(async ({ db, config }) => {
        keepHeapSmall();
        const chart = await loadChart(config.CHART_FILE);
        const { movements: table } = await loadContract(config.CONTRACT_FILE);
        const settings = { chart, table, currency: config.REPORTING_CURRENCY, timeZone: config.BOOKS_TIMEZONE };
        const result = await exportMonth(db, { month: asked, format, dir, ...settings });
        const { files: items, ...about } = result;
        printList({ ...about, items }, json, {
          file: (item) => item.name,
          bytes: (item) => item.bytes,
          sha256: (item) => item.sha256,
        });
      }),
    );
}
