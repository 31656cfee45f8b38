import { type Command, InvalidArgumentError, Option } from 'commander';
import { type ContraAccount, contraNames } from '../domain/books/chart.js';
import { isSignedAmount } from '../domain/money.js';
import { UsageError } from '../errors.js';
import { whyNotAttributed, wouldAttribute } from '../finance/decisions/attributing.js';
import { type BalanceProof, proofsAsOf } from '../records/balances/balance-proofs.js';
import { subWalletSums } from '../records/balances/balance-sums.js';
import { type AttributeResult, adjustsText, attributeBalance } from '../records/books/attribute-balance.js';
import { asksFirst } from './four-eyes.js';
import { type Columns, EXIT_FINDINGS, printJson, printList, printText } from './print.js';
import { cliActor, withStore } from './with-store.js';

const columns: Columns<BalanceProof> = {
  asset: 'assetCode',
  balance: 'balance',
  frozen: 'frozen',
  opening: (item) => item.opening?.balance,
  since: (item) => item.opening?.at,
  explained: 'explained',
  unobservable: 'unobservable',
  unexplained: 'unexplained',
  'agreed at': 'agreedAt',
  unproven: 'unproven',
};

export function define(command: Command): void {
  command
    .option('--json', 'print JSON')
    .option('--account <id>', 'what the transactions of one sub-wallet add up to, for each asset')
    .action(({ json = false, account }: { json?: boolean; account?: string }) =>
      withStore(({ db }) => (account === undefined ? showBalances(db, json) : showAccount(db, account, json))),
    );
  command
    .command('attribute <asset>')
    .description('say what a part of the residual was that no list shows; exit code 2 where so much is not open')
    .requiredOption('--amount <amount>', 'signed: -100 is what left the balance', signedAmount)
    .requiredOption('--note <text>', 'what it was; kept with your name')
    .option(
      '--on <day>',
      'the day on which it was, YYYY-MM-DD of the books; of a closed month, it adjusts that month; left out: today',
    )
    .addOption(
      new Option('--contra <account>', 'the ledger account that it stands against: what it was').choices(contraNames),
    )
    .option('--dry-run', 'only say what would be done')
    .action(attribute);
}

async function showBalances(db: Parameters<typeof proofsAsOf>[0], json: boolean): Promise<void> {
  const items = [...(await proofsAsOf(db, new Date())).values()];
  printList({ items, nextCursor: null }, json, columns);
  if (items.some(({ unexplained }) => unexplained !== null && unexplained !== '0')) process.exitCode = EXIT_FINDINGS;
}

async function showAccount(db: Parameters<typeof subWalletSums>[0], account: string, json: boolean): Promise<void> {
  const items = await subWalletSums(db, account);
  printList({ items, nextCursor: null }, json, { asset: 'assetCode', movements: 'movements', sum: 'sum' });
}

interface AttributeFlags {
  amount: string;
  note: string;
  on?: string;
  contra?: ContraAccount;
  dryRun?: boolean;
}

async function attribute(
  assetCode: string,
  { amount, note, on, contra, dryRun = false }: AttributeFlags,
): Promise<void> {
  await withStore(async (store) => {
    const { db, zone } = store;
    const day = on === undefined ? {} : { on: { day: on, timeZone: zone.timeZone } };
    const given = { assetCode, amount, contra, note, actor: cliActor(), ...day };
    const request = {
      action: 'attribute balance',
      input: { assetCode, amount, on: on ?? null, contra },
      reason: note,
    } as const;
    if (!dryRun && (await asksFirst(store, request))) return;
    if (dryRun) {
      const { result, lines } = await wouldAttribute(db, given, { ...zone, now: new Date() });
      attributedBy(result, assetCode);
      return printText(lines.join('\n'));
    }
    const result = attributedBy(await attributeBalance(db, given), assetCode);
    printJson(result.proof);
    for (const text of adjustsText(result.adjusts)) process.stderr.write(`${text}\n`);
  });
}

function attributedBy(result: AttributeResult, assetCode: string): AttributeResult & { outcome: 'done' } {
  if (result.outcome === 'done') return result;
  throw new UsageError(`Nothing was attributed: ${whyNotAttributed(result, assetCode)}.`);
}

function signedAmount(text: string): string {
  if (isSignedAmount(text)) return text;
  throw new InvalidArgumentError('Accepted is a decimal number such as -100.25.');
}
