import { type Command, InvalidArgumentError, Option } from 'commander';
import { type ContraAccount, contraNames } from '../domain/books/chart.js';
import { isSignedAmount } from '../domain/money.js';
import type { Attribution } from '../domain/views/balance-shapes.js';
import { UsageError } from '../errors.js';
import { whyNotAttributed, wouldAttribute } from '../finance/decisions/attributing.js';
import { rebookedText, rebookingInput, whyNotRebooked, wouldRebook } from '../finance/decisions/rebooking.js';
import { type BalanceProof, proofsAsOf } from '../records/balances/balance-proofs.js';
import { subWalletSums } from '../records/balances/balance-sums.js';
import { listAttributions } from '../records/balances/balance-views.js';
import { type AttributeResult, adjustsText, attributeBalance } from '../records/books/attribute-balance.js';
import { type NewRebooking, rebookAttribution } from '../records/books/rebook-attribution.js';
import { asksFirst } from './four-eyes.js';
import { type Columns, EXIT_FINDINGS, printJson, printList, printNote, printText } from './print.js';
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
  command
    .command('attributions <asset>')
    .description('what finance attributed of it, and on which ledger account each stands now')
    .option('--json', 'print JSON')
    .action((asset: string, _own: object, verb: Command) =>
      withStore(async ({ db }) => {
        // The command above it takes the same flag.
        const { json = false } = verb.optsWithGlobals<{ json?: boolean }>();
        printList({ items: await listAttributions(db, asset), nextCursor: null }, json, attributionColumns);
      }),
    );
  const account = (flag: string, meaning: string) =>
    new Option(`--${flag} <account>`, meaning).choices(contraNames).makeOptionMandatory();
  command
    .command('rebook <asset> <attribution>')
    .description('move an attribution to the right ledger account, by a reversal and a correction')
    .addOption(account('from', 'the account on which it stands, and should not'))
    .addOption(account('contra', 'the account on which it should'))
    .requiredOption(
      '--on <day>',
      'the day on which both are booked, YYYY-MM-DD of the books; of a closed month, they adjust that month',
    )
    .requiredOption('--note <text>', 'why; kept with your name')
    .option('--dry-run', 'only say what would be done')
    .action(rebook);
}

const attributionColumns: Columns<Attribution> = {
  id: 'id',
  said: 'at',
  day: 'bookedOn',
  amount: 'amount',
  account: 'standsOn',
  rebooked: ({ rebookings }) =>
    rebookings.map(({ from, bookedOn, actor }) => `from ${from} on ${bookedOn} by ${actor}`).join('; ') || null,
  by: 'actor',
  'approved by': 'approvedBy',
  note: 'note',
};

async function rebook(
  assetCode: string,
  attribution: string,
  { note, dryRun = false, ...said }: Pick<NewRebooking, 'from' | 'contra' | 'on' | 'note'> & { dryRun?: boolean },
): Promise<void> {
  await withStore(async (store) => {
    const { db, zone } = store;
    const input = rebookingInput.safeParse({ assetCode, attribution, ...said });
    if (!input.success)
      throw new UsageError(`Nothing was rebooked: ${input.error.issues.map(({ message }) => message).join('; ')}.`);
    const request = { action: 'rebook attribution', input: input.data, reason: note } as const;
    if (await asksFirst(store, request, { dryRun })) return;
    const given = { ...input.data, note, actor: cliActor() };
    const about = { ...zone, now: new Date() };
    const { result, lines } = dryRun
      ? await wouldRebook(db, given, about)
      : { result: await rebookAttribution(db, given, about), lines: [rebookedText(given)] };
    if (result.outcome !== 'done') throw new UsageError(`Nothing was rebooked: ${whyNotRebooked(result, given)}.`);
    printText(lines.join('\n'));
  });
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
    if (await asksFirst(store, request, { dryRun })) return;
    if (dryRun) {
      const { result, lines } = await wouldAttribute(db, given, { ...zone, now: new Date() });
      attributedBy(result, assetCode);
      return printText(lines.join('\n'));
    }
    const result = attributedBy(await attributeBalance(db, given), assetCode);
    printJson(result.proof);
    for (const text of adjustsText(result.adjusts)) printNote(text);
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
