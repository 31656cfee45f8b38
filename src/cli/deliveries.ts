import type { Command } from 'commander';
import { recoverCommand } from '../domain/alerts/facts.js';
import { unreadWords } from '../domain/alerts/outage-words.js';
import { counted, isoTime } from '../domain/in-words.js';
import { AppError } from '../errors.js';
import { classifySince } from '../reconcile/deliveries/classify-since.js';
import { isToRecover } from '../reconcile/deliveries/recover-deliveries.js';
import type { ReconcileDeps } from '../reconcile/deps.js';
import { recoverNow } from '../reconcile/schedule/recover-now.js';
import { recordAction } from '../records/actions/record-action.js';
import type { ClassifiedDelivery } from '../records/deliveries/classify-deliveries.js';
import type { Wanted } from '../records/deliveries/list-deliveries.js';
import { serviceOutage } from '../records/gauges.js';
import { findInstallation } from '../records/installation.js';
import { adopt } from '../wiring/adopt.js';
import { reconcileDeps } from '../wiring/reconcile-settings.js';
import { type Runtime, SERVICE_NEEDS } from '../wiring/runtime.js';
import { createServiceClient } from '../wiring/service-client.js';
import { changeFlags, type Flags, moment } from './arguments.js';
import { type Columns, EXIT_FINDINGS, printJson, printList, printNote, printResult, printText } from './print.js';
import { runUntilDone } from './run-until-done.js';
import { showAtWork } from './show-at-work.js';
import { cliActor, commandConfig, reachingDatabase } from './with-store.js';

/** The history could not be read to the end that was asked for. */
class HistoryError extends AppError {
  readonly code = 'history_not_read';
  override readonly retryable = true;
}

interface SinceFlags extends Flags {
  since?: Date;
}

export function define(command: Command): void {
  command.description('what the service delivered and we miss');
  command
    .command('missed')
    .description('reads the delivery history live and writes nothing; exit code 3 when something is missed')
    .option('--since <time>', 'such as 24h or 2026-10-31; left out: 24h, or what is not proven yet', moment)
    .option('--json', 'print JSON')
    .action((flags: SinceFlags) => withService(flags, missed));
  const verb = command
    .command('recover')
    .description('reads the delivery history and has missed events enter the inbox from it')
    .option('--since <time>', 'all of that time at once, such as 24h or 2026-10-31; left out: what is due', moment);
  changeFlags(verb, 'only say which').action((flags: SinceFlags) => withService(flags, recover));
}

type Work = (runtime: Runtime, flags: SinceFlags) => Promise<void>;

async function withService(flags: SinceFlags, work: Work): Promise<void> {
  const config = await commandConfig(SERVICE_NEEDS);
  await reachingDatabase(config, () => runUntilDone(config, (runtime) => work(runtime, flags)));
}

async function depsOf(runtime: Runtime, adoptedAt: Date): Promise<ReconcileDeps> {
  return reconcileDeps(runtime, await createServiceClient(runtime), adoptedAt);
}

async function pollDeliveries(runtime: Runtime, since: Date | undefined) {
  const installed = await findInstallation(runtime.db);
  const deps = await depsOf(runtime, installed?.adoptedAt ?? runtime.config.ADOPTED_AT ?? new Date(0));
  const reading = classifySince(deps, { since: since ?? null, signal: runtime.signal });
  const { classified, scan } = await showAtWork('reading the delivery history', reading);
  if (!scan.complete) throw new HistoryError(`The delivery history could not be read: ${scan.reason}`);
  return classified;
}

const missed: Work = async (runtime, { since, json = false }) => {
  const classified = await pollDeliveries(runtime, since);
  const items = classified.filter(({ verdict }) => verdict.missed).map(itemOf);
  const waiting = classified.filter(isWaiting).map(itemOf);
  const unrecoverable = classified.filter(({ verdict }) => verdict.class === 'unrecoverable').map(itemOf);
  if (json) printJson({ items, waiting, unrecoverable });
  else {
    if (items.length > 0 || waiting.length === 0) printList({ items }, json, columns);
    if (waiting.length > 0) {
      printText(
        `${items.length > 0 ? '\n' : ''}${waiting.length} not here, and not overdue yet${onTheirWay(waiting)}; “recover --since” takes them at once:`,
      );
      printList({ items: waiting }, json, columns);
    }
    if (unrecoverable.length > 0) {
      printText('\nnot to be recovered any more; what they reported was read from the service since:');
      printList({ items: unrecoverable }, json, columns);
    }
  }
  if (items.length > 0) process.exitCode = EXIT_FINDINGS;
  const [first] = [...items, ...waiting]
    .flatMap(({ createdAt, recoverable }) => (recoverable ? (createdAt ?? []) : []))
    .sort();
  if (!json && first !== undefined) printNote(`all of these: ${recoverCommand(first)}`);
};

/** It is not here, and a retry may still bring it, or it had not the time that a delivery may take. */
function isWaiting({ verdict: { missed, open }, inboxId }: ClassifiedDelivery): boolean {
  return open && !missed && inboxId === null;
}

function onTheirWay(waiting: readonly Item[]): string {
  const pending = waiting.filter((one) => one.class === 'pending_retry').length;
  return pending === 0 ? '' : `, ${pending} of them on their way: the service tries again`;
}

const recover: Work = async (runtime, { since, note = null, json = false, dryRun = false }) => {
  if (dryRun) {
    const classified = await pollDeliveries(runtime, since);
    const items = classified.filter((one) => isToRecover(one, wantedSince(since, runtime.now()))).map(itemOf);
    return printResult(
      json,
      { recovered: items.length, dryRun, items },
      `would recover ${counted(items.length, 'delivery', 'deliveries')}`,
    );
  }
  const deps = await depsOf(runtime, await adopt(runtime));
  const details = { since: since?.toISOString() ?? null };
  await recordAction(deps.db, { actor: cliActor(), action: 'recover', reason: note, details, outcome: 'asked' });
  const onWaiting = () => printNote('another run of deliveries is under way; waiting for it');
  const wanted = wantedSince(since, deps.now());
  const options = { kind: 'deliveries', full: false, signal: runtime.signal, onWaiting, since, wanted } as const;
  const run = await showAtWork('recovering', recoverNow(deps, options));
  const { recovered = 0 } = run.proof as { recovered?: number };
  const outage = await serviceOutage(deps.db, deps.now());
  const flaw = run.complete ? '' : `; the history is not proven to be read: ${unreadWords({ outage }, run.error)}`;
  printResult(json, { recovered, dryRun, run }, `recovered ${counted(recovered, 'delivery', 'deliveries')}${flaw}`);
  if (run.status !== 'succeeded') process.exitCode = 1;
};

/** Who says since when wants all of it now, before its grace or its next retry, as at the console. */
function wantedSince(since: Date | undefined, now: Date): Wanted | undefined {
  return since && { ids: [], range: { from: since.getTime(), to: now.getTime() } };
}

type Item = ReturnType<typeof itemOf>;

function itemOf({ delivery, verdict, inboxId, reason }: ClassifiedDelivery) {
  return {
    id: delivery.id,
    class: verdict.class,
    reason,
    endpointId: delivery.endpointId,
    endpointUrl: delivery.endpointUrl,
    eventType: delivery.eventType,
    status: delivery.status,
    httpStatus: delivery.httpStatus,
    attempts: delivery.attempts,
    createdAt: isoTime(delivery.createdAt),
    lastAttemptAt: isoTime(delivery.lastAttemptAt),
    recoverable: delivery.payload !== null,
    eventId: inboxId,
  };
}

const columns: Columns<Item> = {
  id: 'id',
  created: 'createdAt',
  type: 'eventType',
  class: (item) => (item.reason === null ? item.class : `${item.class}: ${item.reason}`),
  status: 'status',
  attempts: 'attempts',
};
