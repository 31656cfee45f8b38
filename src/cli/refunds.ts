import type { Command } from 'commander';
import { UsageError } from '../errors.js';
import { recordAction } from '../records/actions/record-action.js';
import { inTransaction } from '../records/database/statements.js';
import { adoptedAtOf } from '../records/installation.js';
import { type Assigned, assignRefund } from '../records/orders/assign-refund.js';
import { listOpenRefunds, type OpenRefund } from '../records/orders/list-open-refunds.js';
import { releaseRules } from '../wiring/reconcile-settings.js';
import { checkNote, type Flags } from './arguments.js';
import { listVerb } from './list-verb.js';
import { type Columns, printJson, printText } from './print.js';
import { cliActor, withStore } from './with-store.js';

const columns: Columns<OpenRefund> = {
  payout: 'id',
  why: (item) =>
    item.call === null ? item.why.replace('_', ' ') : `own call, ${item.call.undecided ? 'lost' : 'not settled'}`,
  'call to settle': (item) => item.call?.key,
  type: 'payoutType',
  status: 'status',
  amount: 'amount',
  asset: 'assetCode',
  reference: 'merchantReference',
  orders: (item) => item.orders.join(' '),
  'first seen': 'firstSeenAt',
};

interface AssignFlags extends Flags {
  payment: string;
  note: string;
  force?: boolean;
}

export function define(command: Command): void {
  command.description('payouts that may give money back and that no payment owns: list, assign');
  listVerb(command, 'those that nothing links, newest first; exit code 3 when there is any', {
    columns,
    list: async (db, query, { contract }) => {
      const { words } = (await contract()).movements;
      return listOpenRefunds(db, words.payoutType, query);
    },
    isFinding: () => true,
  });
  command
    .command('assign <payout>')
    .description('say whose refund it is; it counts before what the service’s records say')
    .requiredOption('--payment <id>', 'the payment that it gives back, or none: it gives no payment back')
    .requiredOption('--note <text>', 'why; kept with your name')
    .option('--force', 'although a call of our own named another payment: it frees an order that was refunded')
    .option('--dry-run', 'only say what would be done')
    .option('--json', 'print JSON')
    .action(assign);
}

async function assign(
  payoutId: string,
  { payment, note, force = false, dryRun = false, json = false }: AssignFlags,
): Promise<void> {
  checkNote(note);
  const paymentIntentId = payment === 'none' ? null : payment;
  const given = { payoutId, paymentIntentId, note, force, actor: cliActor() };
  await withStore(async ({ db, config, contract }) => {
    const rules = releaseRules(config, await contract());
    const adoptedAt = await adoptedAtOf(db);
    const { before, orders } = await inTransaction(db, dryRun, async (trx) => {
      const done = await assignRefund(trx, given, { ...rules, adoptedAt });
      if (done.outcome === 'refused')
        throw new UsageError(done.why === 'own_call' ? `${done.message} (--force)` : done.message);
      const about = { actor: given.actor, action: 'assign refund', target: `payout ${payoutId}`, reason: note };
      const details = { paymentIntentId, before: done.before, force };
      await recordAction(trx, { ...about, details, outcome: 'done' });
      return done;
    });
    if (json) return printJson({ payoutId, paymentIntentId, before, orders: orders.map(shortOf), dryRun });
    printText(`${dryRun ? 'would assign' : 'assigned'} ${payoutId} to ${paymentIntentId ?? 'no payment'}`);
    for (const { reference, status, release } of orders.map(shortOf))
      printText(`order ${reference}: ${status}, ${release.safe ? 'safe' : 'not safe'} (${release.reason})`);
  });
}

function shortOf({ reference, status, release }: Assigned['orders'][number]) {
  return { reference, status, release };
}
