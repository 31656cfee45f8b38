import type { Command } from 'commander';
import type { Knex } from 'knex';
import { counted } from '../domain/in-words.js';
import { type EventView, eventShape } from '../domain/views/webhook-shapes.js';
import { UsageError } from '../errors.js';
import { recordAction } from '../records/actions/record-action.js';
import { maximumTake, type PageQuery } from '../records/database/paging.js';
import { type EventFilters, getEvent, listEvents } from '../records/inbox/events.js';
import { PRUNED_EVENT, prunedEvents, reviveEvents } from '../records/inbox/inbox-work.js';
import { changeFlags, type Flags, moment } from './arguments.js';
import { listVerb, wordOption } from './list-verb.js';
import { type Columns, printResult } from './print.js';
import { printOne } from './print-words.js';
import { cliActor, withStore } from './with-store.js';

const columns: Columns<EventView> = {
  id: 'id',
  received: 'receivedAt',
  type: 'eventType',
  status: 'status',
  source: 'source',
  secret: 'secretLabel',
  error: 'error',
};
const besides: Columns<EventView> = { arrivals: 'arrivals', mark: 'mark' };

interface ReplayFlags extends Flags {
  status?: string;
  since?: Date;
}

interface Narrowed extends PageQuery, EventFilters {
  type?: string;
  payment?: string;
}

export function define(command: Command): void {
  const list = (db: Knex, { type, payment, ...query }: Narrowed) =>
    listEvents(db, { ...query, eventType: type, paymentIntentId: payment });
  listVerb(command, 'newest first', { columns, besides, list })
    .addOption(wordOption(eventShape, 'status', 'failed: tried again; dead: given up; unhandled: not kept'))
    .option('--type <event>', 'event type')
    .option('--payment <id>', 'only those that name this payment')
    .option('--reference <reference>', 'only those that name this order or one of its records')
    .option('--since <time>', 'such as 24h or 2026-10-31', moment);
  command
    .command('show <id>')
    .description('one event with its payload and every secret it came under')
    .option('--json', 'print JSON')
    .action((id: string, { json = false }: Flags) =>
      withStore(async ({ db }) => {
        const event = await getEvent(db, id);
        if (!event) throw new UsageError(`There is no event "${id}".`);
        printOne(json, event, ['body']);
      }),
    );
  const verb = command
    .command('replay [id]')
    .description('apply again: one event, or all of a status')
    .addOption(wordOption(eventShape, 'status', 'all that are so'))
    .option('--since <time>', 'such as 24h or 2026-10-31', moment);
  changeFlags(verb, 'only say which').action(replay);
}

async function keptReplay(db: Knex, id: string | undefined, ids: string[], flags: ReplayFlags): Promise<void> {
  const { status, since, note = null } = flags;
  const details = id === undefined ? { status, since, events: ids.length } : {};
  const target = id === undefined ? null : `event ${id}`;
  await db.transaction(async (trx) => {
    await reviveEvents(trx, ids);
    await recordAction(trx, { actor: cliActor(), action: 'replay', target, reason: note, details, outcome: 'asked' });
  });
}

async function replay(id: string | undefined, flags: ReplayFlags): Promise<void> {
  if (id === undefined && flags.status === undefined)
    throw new UsageError('Say which: an event id, or --status failed (with --since 24h).');
  await withStore(async ({ db }) => {
    const ids = id === undefined ? await idsOf(db, flags) : [id];
    if (id !== undefined && !(await getEvent(db, id))) throw new UsageError(`There is no event "${id}".`);
    const pruned = await prunedEvents(db, ids);
    if (id !== undefined && pruned.has(id)) throw new UsageError(`${PRUNED_EVENT}.`);
    const leftOut = pruned.size === 0 ? '' : `, not ${pruned.size} whose bodies were deleted by their age`;
    const replayed = ids.filter((each) => !pruned.has(each));
    // The inbox scan of the running workers finds what is revived: nothing is queued from here.
    if (!flags.dryRun) await keptReplay(db, id, replayed, flags);
    const { dryRun = false, json = false } = flags;
    const text = `${dryRun ? 'would replay' : 'replaying'} ${counted(replayed.length, 'event')}${leftOut}`;
    printResult(json, { replayed, pruned: [...pruned], dryRun }, text);
  });
}

async function idsOf(db: Knex, { status, since }: ReplayFlags): Promise<string[]> {
  const found: string[] = [];
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const page = await listEvents(db, { status, since, cursor, take: maximumTake });
    found.push(...page.items.map(({ id }) => id));
    cursor = page.nextCursor;
  }
  return found;
}
