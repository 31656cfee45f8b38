import { type Command, Option } from 'commander';
import { type Difference, differences, markedText, type Settlement } from '../domain/settlements/settlement.js';
import { UsageError } from '../errors.js';
import { markRequest } from '../finance/decisions/money-decisions.js';
import { listSettlements, markSettlement } from '../records/books/settlements.js';
import { inTransaction } from '../records/database/statements.js';
import { checkNote } from './arguments.js';
import { asksFirst } from './four-eyes.js';
import { listVerb } from './list-verb.js';
import { type Columns, printJson, printText } from './print.js';
import { cliActor, withStore } from './with-store.js';

const columns: Columns<Settlement> = {
  payout: 'payoutId',
  state: 'state',
  crypto: ({ amount, assetCode }) => (amount === null ? null : `${amount} ${assetCode ?? ''}`),
  settled: 'settledOn',
  days: 'ageDays',
  expected: ({ expected, currency }) => (expected === null ? null : `${expected} ${currency}`),
  arrived: ({ arrival }) => (arrival === null ? null : `${arrival.amount} ${arrival.currency}`),
  missing: 'missing',
};

interface MarkFlags {
  amount: string;
  currency?: string;
  on?: string;
  reference?: string;
  difference?: Difference;
  note: string;
  dryRun?: boolean;
  json?: boolean;
}

export function define(command: Command): void {
  listVerb(command, 'settlements, newest first; exit code 3 where money is late, short or too much', {
    columns,
    list: async (db, query: Parameters<typeof listSettlements>[2], { books }) =>
      listSettlements(db, await books(), query, new Date()),
    isFinding: ({ state }) => state === 'late' || state === 'short' || state === 'over',
  }).addOption(new Option('--arrived <arrived>', 'those whose money arrived, or did not').choices(['yes', 'no']));
  command
    .command('mark <payout>')
    .description('say what the bank shows of it; the newest counts, and nothing is posted')
    .requiredOption('--amount <amount>', 'what arrived, such as 912.40; none: nothing after all')
    .requiredOption('--note <text>', 'kept with your name')
    .option('--currency <code>', 'left out: REPORTING_CURRENCY')
    .option('--on <day>', 'the day on the bank’s statement, YYYY-MM-DD; left out: today')
    .option('--reference <text>', 'of the bank')
    .addOption(
      new Option('--difference <word>', 'what the rest is, if less or more than expected arrived').choices([
        ...differences,
      ]),
    )
    .option('--dry-run', 'only say what would be done')
    .option('--json', 'print JSON')
    .action(mark);
}

async function mark(payoutId: string, { amount, dryRun = false, json = false, ...said }: MarkFlags): Promise<void> {
  checkNote(said.note);
  const given = { payoutId, amount: amount === 'none' ? null : amount, actor: cliActor(), ...said };
  await withStore(async (store) => {
    const { db, books } = store;
    const settings = await books();
    if (await asksFirst(store, await markRequest(db, given, settings), { json, dryRun })) return;
    const result = await inTransaction(db, dryRun, (trx) => markSettlement(trx, given, settings, new Date()));
    if (result.outcome === 'not_found') throw new UsageError(`The service shows no settlement "${payoutId}".`);
    if (result.outcome === 'refused') throw new UsageError(`Not marked: ${result.why}.`);
    if (json) return printJson({ ...result.settlement, dryRun });
    printText(`${dryRun ? 'would say: ' : ''}${markedText(result.settlement)}`);
  });
}
