import { z } from 'zod';
import { createSealing } from '../finance/audit/keep-sealing.js';
import { createPosting } from '../finance/keep-posting.js';
import { kinds } from '../reconcile/deps.js';
import { runReconcile } from '../reconcile/schedule/run.js';
import { startScheduler } from '../reconcile/schedule/schedule.js';
import { type CommandHandlers, createCommandWorker } from '../webhook/command-queue.js';
import { cronsOf, tellIntervals } from './crons.js';
import { ownCallsLoop } from './own-calls-loop.js';
import { reconcileSettings, releaseRules, retentionDays } from './reconcile-settings.js';
import type { Runtime } from './runtime.js';
import { createServiceClient } from './service-client.js';
import { serviceClockLoop } from './service-clock-loop.js';
import { createNotifying } from './start-notify.js';
import { startSettling } from './start-settling.js';

const instant = z.iso.datetime({ offset: true });
/** `until`: what was made from `since` to then is recovered at once, and so are the `ids`; the others when they are due. */
const recoverCommand = z.object({
  since: instant.nullable(),
  until: instant.nullable().default(null),
  ids: z.array(z.string()).default([]),
});
const verifyCommand = z.object({ actor: z.string() });
const runCommand = z.object({ kind: z.enum(kinds), full: z.boolean() });

/** The reconcilers, and the commands of the console, which one role serves. */
export async function startSchedule(runtime: Runtime, adoptedAt: Date): Promise<void> {
  const { config, contract, db, databaseUrl, log, now, metrics, closers, queues, queuesInUse, signal } = runtime;
  const client = await createServiceClient(runtime, { adoptedAt });
  tellIntervals(runtime);
  startSettling({ client, log, closers });
  const settings = reconcileSettings(config, contract);
  const rules = releaseRules(config, contract);
  const deps = { db, databaseUrl, log, now, client, contract, settings, adoptedAt, metrics, ...rules };
  const books = { timeZone: config.BOOKS_TIMEZONE, currency: config.REPORTING_CURRENCY };
  const posting = createPosting({ db, log, table: contract.movements, ...books });
  const sealing = createSealing({ db, log, now, signal });
  closers.add('sealing', () => sealing.close());
  const keepNotifying = createNotifying(runtime, adoptedAt);
  const beside = {
    keep: async (leading: AbortSignal) =>
      void (await Promise.all([
        posting.keep(leading),
        keepNotifying(leading),
        sealing.keep(leading),
        ownCallsLoop(deps, leading),
        serviceClockLoop(deps, leading),
      ])),
    wake: () => posting.wake(),
  };
  const scheduler = startScheduler({ ...deps, crons: cronsOf(config), retention: retentionDays(config), beside });
  closers.add('scheduler', () => scheduler.close());

  const handlers: CommandHandlers = {
    run: async (payload) => runReconcile(deps, { ...runCommand.parse(payload), signal }),
    recover: async (payload) => {
      const { since, until, ids } = recoverCommand.parse(payload);
      const back = since === null ? {} : { since: new Date(since) };
      const range = since === null || until === null ? null : { from: Date.parse(since), to: Date.parse(until) };
      return runReconcile(deps, { kind: 'deliveries', full: false, signal, wanted: { ids, range }, ...back });
    },
    'verify seals': async (payload) => {
      sealing.verify(verifyCommand.parse(payload).actor);
      return { outcome: 'begun' };
    },
  };
  const commands = createCommandWorker({ ...queues, handlers });
  queuesInUse.push({ name: 'commands', isOpen: () => commands.isOpen() });
  closers.add('commands', () => commands.close());
}
