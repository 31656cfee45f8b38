import { setTimeout as delay } from 'node:timers/promises';
import { type Command, Option } from 'commander';
import { type ExportFormat, exportFormatNames } from '../finance/export-formats.js';
import { exportMonth, planExport } from '../finance/export-month.js';
import { postEntries } from '../finance/post-entries.js';
import type { PostingDeps } from '../finance/posting-deps.js';
import { unposted } from '../records/books/period-facts.js';
import { closedAt } from '../records/books/period-files.js';
import { databaseNow } from '../records/books/posting-progress.js';
import { describeError } from '../records/database/database-errors.js';
import { keepHeapSmall } from '../wiring/small-heap.js';
import { type Flags, month } from './arguments.js';
import { EXIT_FINDINGS, oneLine, printFiles, printNote, printPlan } from './print.js';
import { showAtWork } from './show-at-work.js';
import { withStore } from './with-store.js';

interface ExportFlags extends Flags {
  format: ExportFormat;
  out: string;
}

export function define(command: Command): void {
  command
    .description(
      'write a month of the books; of a closed month the bytes that it had when it was closed; of an open one what is known is posted first. Exit code 3: it is not whole, or something was changed',
    )
    .argument('<month>', 'such as 2026-10', month)
    .addOption(new Option('--format <format>', 'what to write').choices(exportFormatNames).makeOptionMandatory())
    .requiredOption('--out <dir>', 'the folder to write to; files of these names are replaced')
    .option('--dry-run', 'only list the files that would be written')
    .option('--json', 'print JSON')
    .action((asked: string, { format, out: dir, dryRun = false, json = false }: ExportFlags) =>
      withStore(async ({ db, log, books }) => {
        keepHeapSmall();
        const settings = { month: asked, format, ...(await books()) };
        const knownAt = await databaseNow(db);
        if (!dryRun && (await closedAt(db, asked)) === null)
          await showAtWork('posting', postFirst({ ...settings, db, log }, knownAt));
        const result = dryRun
          ? await planExport(db, { ...settings, knownAt })
          : await showAtWork('exporting', exportMonth(db, { dir, ...settings, knownAt }));
        if (dryRun) printPlan(result, { dir, json });
        else printFiles(result, json);
        if (result.status === 'open') printNote(`${asked} is open: it may still change`);
        for (const finding of result.findings) printNote(oneLine(finding));
        if (result.findings.length > 0) process.exitCode = EXIT_FINDINGS;
      }),
    );
}

const WAIT_MS = 5_000;

/** Where that can't be done now, the export says until when it is posted. */
async function postFirst(deps: PostingDeps, knownAt: Date): Promise<void> {
  try {
    // A transaction that is open may hold back what others wrote: it is over soon.
    for (const began = performance.now(); performance.now() - began < WAIT_MS; await delay(WAIT_MS / 10)) {
      await postEntries(deps);
      const { changes, due } = await unposted(deps.db, knownAt);
      if (changes + due === 0) return;
    }
  } catch (error) {
    printNote(`nothing could be posted now: ${describeError(error)}`);
  }
}
