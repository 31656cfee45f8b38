import { type Command, InvalidArgumentError } from 'commander';
import { UsageError } from '../errors.js';
import { recordAction } from '../records/actions/record-action.js';
import { type CallView, callShape, callsUnder, listCalls } from '../records/calls/list-calls.js';
import { type MadeProblem, madeProblem, settleCall } from '../records/calls/settle-call.js';
import { inTransaction } from '../records/database/statements.js';
import { checkNote, type Flags } from './arguments.js';
import { listVerb, wordOption } from './list-verb.js';
import { type Columns, printJson, printResult } from './print.js';
import { printOne } from './print-words.js';
import { cliActor, withStore } from './with-store.js';

const columns: Columns<CallView> = {
  key: 'key',
  operation: 'operation',
  status: (call) => (call.undecided ? `${call.status}, decide` : call.status),
  for: (call) => call.paymentIntentId ?? call.merchantReference ?? call.accountId,
  made: 'objectId',
  begun: 'begunAt',
  ended: 'endedAt',
};

const DONE = 'done:';

interface SettleFlags extends Flags {
  /** Of what it made; null: nothing. */
  as: { made: string | null };
  note: string;
  operation?: string;
  force?: boolean;
}

export function define(command: Command): void {
  command.description('creating calls of ours (payments, invoices, payouts, refunds): list, show, settle');
  const isFinding = ({ undecided }: CallView) => undecided;
  const about = 'those not settled, newest first; exit code 3 when a person must decide';
  listVerb(command, about, { columns, list: listCalls, isFinding }).addOption(
    wordOption(callShape, 'status', 'any of one status'),
  );
  command
    .command('show <key>')
    .description('what it was for, what came of it, and what it asked for as long as that is kept')
    .option('--json', 'print JSON')
    .action((key: string, { json = false }: Flags) =>
      withStore(async ({ db }) => {
        const items = await callsUnder(db, key);
        if (items.length === 0) throw unknownKey(key);
        if (json) printJson({ items });
        else for (const call of items) printOne(false, call);
      }),
    );
  command
    .command('settle <key>')
    .description(
      'say what came of a lost call, or of one whose record the service denies; it holds its order until then',
    )
    .requiredOption('--as <outcome>', 'done:ID of what it made, as the dashboard shows it, or not_done', outcome)
    .requiredOption('--note <text>', 'why; kept with your name')
    .option('--operation <name>', 'such as createRefund, where several have the key')
    .option('--force', 'although the records don’t show what it is said to have made')
    .option('--dry-run', 'only say what would be done')
    .option('--json', 'print JSON')
    .action(settle);
}

async function settle(key: string, flags: SettleFlags): Promise<void> {
  const { note, force = false, dryRun = false, json = false } = flags;
  const objectId = flags.as.made;
  checkNote(note);
  await withStore(async ({ db, contract }) => {
    const { words } = (await contract()).movements;
    const call = theOne(key, await callsUnder(db, key), flags.operation);
    const { operation } = call;
    await inTransaction(db, dryRun, async (trx) => {
      const actor = cliActor();
      const { paymentIntentId } = call;
      const problem =
        objectId === null ? null : await madeProblem(trx, { operation, paymentIntentId, objectId }, words.payoutType);
      if (problem !== null && !(force && problem.forceable)) throw new UsageError(refusal(problem));
      const result = await settleCall(trx, { operation, key, objectId, by: { actor, note } });
      if (result.outcome === 'of_another') throw new UsageError(`${objectId} was made by the call ${result.key}.`);
      if (result.outcome === 'decided') throw new UsageError(decidedAlready(call));
      const about = { actor, action: 'settle call', target: `call ${operation} ${key}`, reason: note };
      await recordAction(trx, { ...about, details: { made: objectId, before: call.objectId, force }, outcome: 'done' });
    });
    const said = objectId === null ? 'made nothing' : `made ${objectId}`;
    const text = `${dryRun ? 'would settle' : 'settled'} ${operation} ${key}: it ${said}`;
    printResult(json, { operation, key, objectId, dryRun }, text);
  });
}

function theOne<Call extends CallView>(key: string, calls: readonly Call[], operation: string | undefined): Call {
  const [call, ...others] = calls.filter((one) => operation === undefined || one.operation === operation);
  if (call === undefined) throw unknownKey(key);
  if (others.length === 0) return call;
  const operations = calls.map((one) => one.operation).join(', ');
  throw new UsageError(`Several calls have this key; say which with --operation: ${operations}.`);
}

function refusal({ message, forceable }: MadeProblem): string {
  return forceable ? `${message} Where you know that the call made it, and how: --force, with --note.` : message;
}

function decidedAlready({ operation, key, status, objectId }: CallView): string {
  const named = `${operation} ${key}`;
  if (status === 'open') return `${named} is still handled by the scheduler: ten minutes, an invoice a day.`;
  return `${named} is ${status}${objectId === null ? '' : `: it made ${objectId}`}. There is nothing to decide.`;
}

const unknownKey = (key: string): UsageError => new UsageError(`There is no call under the key "${key}".`);

/** Of an option Commander makes an empty text of null. */
function outcome(word: string): { made: string | null } {
  if (word === 'not_done') return { made: null };
  if (word.startsWith(DONE) && word.length > DONE.length) return { made: word.slice(DONE.length) };
  throw new InvalidArgumentError('Accepted is done:ID, such as done:po_123, or not_done.');
}
