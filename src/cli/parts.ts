import type { Command } from 'commander';
import type { Knex } from 'knex';
import { AppError, UsageError } from '../errors.js';
import { recordAction } from '../records/actions/record-action.js';
import { inTransaction, type Trx } from '../records/database/statements.js';
import {
  listParts,
  type PartView,
  type RetirablePart,
  restorePart,
  retirableParts,
  retirePart,
} from '../records/process-heartbeats.js';

import { changeFlags, type Flags } from './arguments.js';
import { type Columns, printList, printResult } from './print.js';
import { cliActor, withStore } from './with-store.js';

const columns: Columns<PartView> = {
  part: 'part',
  status: ({ status }) => status.replace('_', ' '),
  'last heartbeat': 'lastSignAt',
};

/** A process of it was there a moment ago. */
class PartAtWorkError extends AppError {
  readonly code = 'part_at_work';
}

export function define(command: Command): void {
  command.description('receiver and worker: when each was last known to be at work, and which is no longer expected');
  command
    .command('list')
    .description('each with its last heartbeat')
    .option('--json', 'print JSON')
    .action(({ json = false }: Flags) => withStore(async ({ db }) => printList(await listParts(db), json, columns)));
  change(
    command.command('retire <part>'),
    'shut down for good: its silence is no alert, until it is at work again',
    retire,
  );
  change(command.command('restore <part>'), 'its silence is an alert again, from now on', restore);
}

type Change = (db: Knex, part: RetirablePart, flags: Flags) => Promise<string>;

function change(command: Command, description: string, work: Change): void {
  changeFlags(command.description(description)).action((given: string, flags: Flags) =>
    withStore(async ({ db }) => {
      const part = partNamed(given);
      const { dryRun = false, json = false } = flags;
      const done = await work(db, part, flags);
      const { items } = await listParts(db);
      printResult(json, { part, status: items.find((item) => item.part === part)?.status ?? null, dryRun }, done);
    }),
  );
}

async function retire(db: Knex, part: RetirablePart, flags: Flags): Promise<string> {
  await inTransaction(db, flags.dryRun ?? false, async (trx) => {
    const result = await retirePart(trx, part);
    if (result.outcome === 'not_expected') throw new UsageError(`Nothing is expected of a ${part}.`);
    if (result.outcome === 'at_work')
      throw new PartAtWorkError(
        `A ${part} was at work ${result.secondsAgo} seconds ago. Stop every process of it, wait for a minute, and try again.`,
      );
    await keep(trx, 'retire part', part, { ...flags, details: { lastSignAt: result.lastSignAt } });
  });
  if (flags.dryRun) return `would retire ${part}`;
  return `${part} is retired: nobody gets an alert of its silence, until one is at work again`;
}

async function restore(db: Knex, part: RetirablePart, flags: Flags): Promise<string> {
  await inTransaction(db, flags.dryRun ?? false, async (trx) => {
    if (!(await restorePart(trx, part))) throw new UsageError(`"${part}" is not retired.`);
    await keep(trx, 'restore part', part, flags);
  });
  return flags.dryRun ? `would restore ${part}` : `${part} is expected to be at work, from now on`;
}

async function keep(
  trx: Trx,
  action: string,
  part: RetirablePart,
  { note: reason, details = {} }: Flags & { details?: Record<string, string> },
): Promise<void> {
  const about = { actor: cliActor(), action, target: `part ${part}`, reason };
  await recordAction(trx, { ...about, details, outcome: 'done' });
}

function partNamed(given: string): RetirablePart {
  const part = retirableParts.find((one) => one === given);
  if (part === undefined)
    throw new UsageError(`There is no part "${given}"; there are ${retirableParts.join(' and ')}.`);
  return part;
}
