import type { Command } from 'commander';
import { counted } from '../domain/in-words.js';
import { type CallbackView, callbackShape } from '../domain/views/operation-shapes.js';
import { UsageError } from '../errors.js';
import { recordAction } from '../records/actions/record-action.js';
import {
  deadCallbacks,
  type ReplayResult,
  replayCallback,
  replayDeadCallbacks,
} from '../records/callbacks/claim-callback.js';
import { listCallbacks } from '../records/callbacks/list-callbacks.js';
import { inTransaction, type Trx } from '../records/database/statements.js';
import { changeFlags, type Flags } from './arguments.js';
import { listVerb, wordOption } from './list-verb.js';
import { type Columns, printResult } from './print.js';
import { cliActor, withStore } from './with-store.js';

const columns: Columns<CallbackView> = {
  id: 'id',
  order: 'reference',
  status: 'status',
  attempts: 'attempts',
  answer: (callback) => callback.error ?? callback.httpStatus,
  changed: 'changedAt',
  'next attempt': 'nextAttemptAt',
};

interface ReplayFlags extends Flags {
  dead?: boolean;
}

export function define(command: Command): void {
  listVerb(command, 'newest first', { columns, list: listCallbacks })
    .addOption(wordOption(callbackShape, 'status', 'dead: given up; superseded: a newer state took its place'))
    .option('--reference <reference>', 'of one order');
  const verb = command
    .command('replay [id]')
    .description('send a callback to the store again, or all that were given up')
    .option('--dead', 'all that were given up');
  changeFlags(verb, 'only say which').action(replay);
}

async function replay(id: string | undefined, flags: ReplayFlags): Promise<void> {
  const { dead = false, dryRun = false, json = false } = flags;
  if ((id === undefined) !== dead) throw new UsageError('Say which: the id of a callback, or --dead.');
  await withStore(async ({ db }) => {
    const which = dead && dryRun ? (await deadCallbacks(db)).ids : [];
    const replayed = await inTransaction(db, dryRun, (trx) => askAgain(trx, id, flags));
    const facts = { replayed, dryRun, ...(dead && dryRun ? { ids: which } : {}) };
    printResult(
      json,
      facts,
      `${dryRun ? 'would replay' : 'replaying'} ${counted(replayed, 'callback')}${newestOf(which)}`,
    );
  });
}

function newestOf(ids: readonly string[]): string {
  const shown = ids.slice(0, 10);
  return shown.length === 0 ? '' : `: ${shown.join(', ')}${shown.length < ids.length ? ', …' : ''}`;
}

async function askAgain(trx: Trx, id: string | undefined, { note }: ReplayFlags): Promise<number> {
  const about = { actor: cliActor(), reason: note, outcome: 'asked' } as const;
  if (id === undefined) {
    const count = await replayDeadCallbacks(trx);
    if (count > 0) await recordAction(trx, { ...about, action: 'replay dead callbacks', details: { count } });
    return count;
  }
  const result = await replayCallback(trx, id);
  if (result.outcome !== 'replayed') throw new UsageError(refusalOf(id, result));
  await recordAction(trx, { ...about, action: 'replay callback', target: `callback ${id}` });
  return 1;
}

function refusalOf(id: string, result: Exclude<ReplayResult, { outcome: 'replayed' }>): string {
  if (result.outcome === 'not_found') return `There is no callback "${id}".`;
  if (result.outcome === 'under_way') return `Callback ${id} is on its way now.`;
  return `The order has a newer callback, ${result.newestId}: an older state is not sent after it.`;
}
