import { Argument, type Command, InvalidArgumentError } from 'commander';
import { counted } from '../domain/in-words.js';
import { isNotOffered, reasonOf } from '../domain/run-kinds.js';
import type { Run } from '../domain/views/proof-shapes.js';
import { type Kind, kinds, type Progress } from '../reconcile/deps.js';
import { runReconcile } from '../reconcile/schedule/run.js';
import { recordAction } from '../records/actions/record-action.js';
import { adopt } from '../wiring/adopt.js';
import { reconcileDeps } from '../wiring/reconcile-settings.js';
import { SERVICE_NEEDS } from '../wiring/runtime.js';
import { createServiceClient } from '../wiring/service-client.js';
import { keepHeapSmall } from '../wiring/small-heap.js';
import { changeFlags, type Flags, moment } from './arguments.js';
import { createProgressLine, EXIT_FINDINGS, printJson, printList, printNote } from './print.js';
import { runUntilDone } from './run-until-done.js';
import { cliActor, commandConfig } from './with-store.js';

interface ReconcileFlags extends Flags {
  full?: boolean;
  since?: Date;
  resume?: boolean;
}

export function define(command: Command): void {
  command
    .addArgument(new Argument('[kind...]', kinds.join(', ')).argParser(collectKinds).default([...kinds], 'all'))
    .option('--full', 'read the whole list again')
    .option('--since <time>', 'also read again what was created since', moment)
    .option('--resume', 'go on with a full scan that was cut off');
  changeFlags(command, 'read, and say what would change; write nothing').action(reconcile);
}

async function reconcile(asked: Kind[], flags: ReconcileFlags): Promise<void> {
  const { full = false, json = false, note, ...options } = flags;
  keepHeapSmall();
  await runUntilDone(await commandConfig(SERVICE_NEEDS), async (runtime) => {
    const { signal } = runtime;
    const adoptedAt = await adopt(runtime);
    const deps = reconcileDeps(runtime, await createServiceClient(runtime), adoptedAt);
    if (!options.dryRun) {
      const details = {
        kinds: asked,
        full,
        resume: options.resume ?? false,
        since: options.since?.toISOString() ?? null,
      };
      await recordAction(runtime.db, { actor: cliActor(), action: 'run', reason: note, details, outcome: 'asked' });
    }
    const runs: Run[] = [];
    const line = createProgressLine(json ? { write: () => true } : process.stderr);
    for (const kind of asked) {
      if (signal.aborted) break;
      const onWaiting = () => printNote(`another run of ${kind} is under way; waiting for it`);
      const onProgress = (at: Progress) => line.show(() => progressText(kind, at));
      runs.push(await runReconcile(deps, { kind, full, signal, onWaiting, onProgress, ...options }));
      line.clear();
    }
    print(runs, json);
    if (!json) printFindings(runs);
    if (!signal.aborted) process.exitCode = exitCodeOf(runs);
  });
}

function print(runs: Run[], json: boolean): void {
  const [only] = runs;
  if (json && only && runs.length === 1) return printJson(only);
  printList({ items: runs }, json, {
    run: (run) => run.id ?? 'dry run',
    kind: 'kind',
    status: 'status',
    complete: (run) => (run.complete ? 'proven' : 'not proven'),
    calls: 'calls',
    seen: 'seen',
    changed: 'changed',
    breaks: 'breaksOpened',
    why: reasonOf,
  });
}

/** What is not proven by them; what they opened, and where it is to be seen: that of a dry run is nowhere. */
function printFindings(runs: Run[]): void {
  const unproven = runs
    .filter(({ complete }) => !complete)
    .map((run) => `${run.kind} (${reasonOf(run) ?? run.status})`);
  if (unproven.length > 0) printNote(`not proven: ${unproven.join(', ')}`);
  const opened = openedBy(runs);
  if (opened === 0) return;
  const what = opened === 1 ? '1 break' : `${opened} breaks`;
  const kept = runs.some(({ id }) => id !== null);
  const outcome = kept ? 'opened: tallyhook breaks list --status open' : 'would be opened';
  printNote(`${what} ${outcome}`);
}

/** What the service does not offer to read is said, and is no finding. */
export function exitCodeOf(runs: Run[]): number {
  if (runs.some(({ status }) => status !== 'succeeded')) return 1;
  return openedBy(runs) > 0 || runs.some((run) => !run.complete && !isNotOffered(reasonOf(run))) ? EXIT_FINDINGS : 0;
}

const openedBy = (runs: Run[]): number => runs.reduce((sum, { breaksOpened }) => sum + breaksOpened, 0);

function collectKinds(word: string, before: Kind[]): Kind[] {
  if (word === 'all') return [...kinds];
  const kind = kinds.find((name) => name === word);
  if (!kind) throw new InvalidArgumentError(`Accepted are ${kinds.join(', ')} and all.`);
  return before.length === kinds.length ? [kind] : [...before, kind];
}

/** A share is shown only where it is known how much there is. */
export function progressText(kind: string, { seen, calls, oldest, total }: Progress): string {
  const share = total === null || total <= 0 ? '' : `, ${Math.min(100, Math.floor((seen / total) * 100))}% of ${total}`;
  const back = oldest === null ? '' : `, back to ${new Date(oldest).toISOString().slice(0, 10)}`;
  return `${kind}: ${seen} read, ${counted(calls, 'call')}${back}${share}`;
}
