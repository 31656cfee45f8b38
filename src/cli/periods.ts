import type { Command } from 'commander';
import { UsageError } from '../errors.js';
import { loadChart } from '../finance/load-chart.js';
import { checkPeriod, type Missing } from '../finance/periods/check-period.js';
import { closePeriod } from '../finance/periods/close-period.js';
import { reopenPeriod } from '../finance/periods/reopen-period.js';
import { getPeriod, listPeriods, type PeriodView } from '../records/books/periods.js';
import { loadContract } from '../service-api/contract.js';
import { cliActor } from './actor.js';
import { type ListFlags, listFlags, month } from './arguments.js';
import { type Columns, printJson, printList } from './print.js';
import { withStore } from './with-store.js';

const EXIT_FINDINGS = 3;

const columns: Columns<PeriodView> = {
  month: (item) => item.month,
  status: (item) => item.status,
  entries: (item) => item.entries,
  'closed at': (item) => item.closedAt,
  'closed by': (item) => item.closedBy,
  reason: (item) => item.reason,
};

const missingColumns: Columns<Missing> = {
  missing: (item) => item.what,
  'what it is': (item) => item.told,
  'closed with a reason': (item) => (item.byReason ? 'yes' : 'no'),
};

export function definePeriods(command: Command): void {
  command.description('months of the books: what is missing to close one, close, reopen');
  listFlags(command.command('list').description('newest first')).action(({ json = false, ...query }: ListFlags) =>
    withStore(async ({ db }) => printList(await listPeriods(db, query), json, columns)),
  );
  command
    .command('check')
    .description('what is missing to close a month; exit code 3 when anything is')
    .argument('<month>', 'such as 2026-10', month)
    .option('--json', 'print JSON')
    .action((asked: string, { json = false }: { json?: boolean }) => check(asked, json));
  command
    .command('close')
    .description('close a month and keep its files, with their hashes; exit code 3 when something is missing')
    .argument('<month>', 'such as 2026-10', month)
    .option('--reason <text>', 'close it though something is missing; kept with your name')
    .option('--json', 'print JSON')
    .action(close);
  command
    .command('reopen')
    .description('let a closed month take entries again, the newest first')
    .argument('<month>', 'such as 2026-10', month)
    .requiredOption('--reason <text>', 'why; kept with your name')
    .action((asked: string, { reason }: { reason: string }) =>
      withStore(async ({ db }) => {
        const result = await reopenPeriod(db, { month: asked, actor: cliActor(), reason });
        if (result.outcome === 'refused') throw new UsageError(`${asked} stays as it is: ${result.why}.`);
        printJson((await getPeriod(db, asked)) ?? result);
      }),
    );
}

async function check(asked: string, json: boolean): Promise<void> {
  await withStore(async ({ db, config }) => {
    const about = { timeZone: config.BOOKS_TIMEZONE, currency: config.REPORTING_CURRENCY };
    const result = await checkPeriod(db, asked, { ...about, now: new Date() });
    showMissing(result.missing, json);
  });
}

async function close(asked: string, { reason, json = false }: { reason?: string; json?: boolean }): Promise<void> {
  await withStore(async ({ db, config, log }) => {
    const { movements: table } = await loadContract(config.CONTRACT_FILE);
    const chart = await loadChart(config.CHART_FILE);
    const books = { timeZone: config.BOOKS_TIMEZONE, currency: config.REPORTING_CURRENCY, table, chart };
    const given = reason?.trim() ? reason.trim() : null;
    const deps = { ...books, db, log, now: () => new Date() };
    const result = await closePeriod(deps, { month: asked, actor: cliActor(), reason: given });
    if (result.outcome === 'refused') showMissing(result.missing, json);
    else printJson((await getPeriod(db, asked)) ?? result);
  });
}

function showMissing(missing: Missing[], json: boolean): void {
  printList({ items: missing }, json, missingColumns);
  if (missing.length > 0) process.exitCode = EXIT_FINDINGS;
}
