import type { Command } from 'commander';
import type { Missing, PeriodView } from '../domain/views/books-shapes.js';
import { UsageError } from '../errors.js';
import { doubtedIncome } from '../finance/exports/standing.js';
import { checkPeriod } from '../finance/periods/check-period.js';
import { closePeriod, mayClose } from '../finance/periods/close-period.js';
import { reopenPeriod, whyNotReopened } from '../finance/periods/reopen-period.js';
import { getPeriod, listPeriods } from '../records/books/periods.js';
import { type Flags, month } from './arguments.js';
import { asksFirst, closingDeps } from './four-eyes.js';
import { listVerb } from './list-verb.js';
import { type Columns, EXIT_FINDINGS, printJson, printList, printNote, printResult, printText } from './print.js';
import { showAtWork } from './show-at-work.js';
import { cliActor, withStore } from './with-store.js';

const columns: Columns<PeriodView> = {
  month: 'month',
  status: 'status',
  entries: 'entries',
  'closed at': 'closedAt',
  'closed by': 'closedBy',
  'approved by': 'approvedBy',
  exceptions: ({ exceptions }) => (exceptions.length === 0 ? '' : String(exceptions.length)),
  reason: 'reason',
};

const missingColumns: Columns<Missing> = {
  missing: 'what',
  'what it is': 'told',
  'closed with a reason': (item) => (item.byReason ? 'yes' : 'no'),
};

export function define(command: Command): void {
  listVerb(command, 'newest first', { columns, list: listPeriods });
  command
    .command('check')
    .description('what is missing to close a month; exit code 3 when anything is')
    .argument('<month>', 'such as 2026-10', month)
    .option('--json', 'print JSON')
    .action((asked: string, { json = false }: Flags) => check(asked, json));
  command
    .command('close')
    .description('close a month and keep its files, with their hashes; exit code 3 when something is missing')
    .argument('<month>', 'such as 2026-10', month)
    .option('--reason <text>', 'close it though something is missing; kept with your name')
    .option('--dry-run', 'only say what is missing, and whether it would be closed')
    .option('--json', 'print JSON')
    .action(close);
  command
    .command('reopen')
    .description('let a closed month take entries again, the newest first')
    .argument('<month>', 'such as 2026-10', month)
    .requiredOption('--reason <text>', 'why; kept with your name')
    .option('--dry-run', 'only say whether it would be reopened')
    .action(reopen);
}

async function check(asked: string, json: boolean): Promise<void> {
  await withStore(async ({ db, books }) => {
    const settings = await books();
    const checked = checkPeriod(db, asked, { ...settings, now: new Date() });
    const { missing, postedUntil } = await showAtWork('checking', checked);
    showMissing(missing, json);
    if (json) return;
    const doubted = await doubtedIncome(db, { ...settings, month: asked });
    if (doubted !== null) printText(doubted);
    if (postedUntil !== null)
      printText(`posted until ${postedUntil}; what is known since then is posted within a minute`);
  });
}

const REASON = ': with --reason it is closed nevertheless, and what is missing is kept beside it';

async function close(asked: string, flags: Flags & { reason?: string }): Promise<void> {
  const { reason = null, dryRun = false, json = false } = flags;
  await withStore(async (store) => {
    const { db, books } = store;
    const request = reason === null ? null : ({ action: 'close period', input: { month: asked }, reason } as const);
    if (await showAtWork('checking', asksFirst(store, request, { json, dryRun }))) return;
    if (dryRun) {
      // Posts nothing, which closing does first: what is not posted yet is shown as missing.
      const { missing } = await checkPeriod(db, asked, { ...(await books()), now: new Date() });
      return showWhether(asked, missing, { wouldClose: mayClose(missing, reason), json });
    }
    const result = await showAtWork(
      'closing',
      closePeriod(await closingDeps(store), { month: asked, actor: cliActor(), reason }),
    );
    if (result.outcome === 'refused') {
      showMissing(result.missing, json);
      if (!json) printText(`${asked} stays open${result.missing.every(({ byReason }) => byReason) ? REASON : ''}`);
      return;
    }
    printJson((await getPeriod(db, asked)) ?? result);
    const { head } = result;
    if (head !== null) printNote(`keep the head of the seals outside: ${head.number}:${head.hash}`);
  });
}

function showWhether(
  asked: string,
  missing: Missing[],
  { wouldClose, json }: { wouldClose: boolean; json: boolean },
): void {
  if (!json && missing.length > 0) printList({ items: missing }, false, missingColumns);
  printResult(
    json,
    { items: missing, wouldClose },
    wouldClose
      ? `would close ${asked}`
      : `${asked} would stay open${missing.every(({ byReason }) => byReason) ? REASON : ''}`,
  );
  if (!wouldClose) process.exitCode = EXIT_FINDINGS;
}

async function reopen(asked: string, { reason, dryRun = false }: { reason: string; dryRun?: boolean }): Promise<void> {
  await withStore(async (store) => {
    const { db } = store;
    if (await asksFirst(store, { action: 'reopen period', input: { month: asked }, reason }, { dryRun })) return;
    if (dryRun) {
      const why = await whyNotReopened(db, { month: asked, reason });
      if (why !== null) throw new UsageError(`${asked} would stay as it is: ${why}.`);
      return printText(`would reopen ${asked}`);
    }
    const result = await reopenPeriod(db, { month: asked, actor: cliActor(), reason });
    if (result.outcome === 'refused') throw new UsageError(`${asked} stays as it is: ${result.why}.`);
    printJson((await getPeriod(db, asked)) ?? result);
  });
}

function showMissing(missing: Missing[], json: boolean): void {
  printList({ items: missing }, json, missingColumns);
  if (missing.length > 0) process.exitCode = EXIT_FINDINGS;
}
