import { z } from 'zod';
import { createSealing } from '../../finance/audit/sealing-loop.js';
import { createPosting } from '../../finance/posting-loop.js';
import { wholeBooks } from '../../finance/verify-books.js';
import { alertLoop } from '../../notify/alert-loop.js';
import { callbackLoops } from '../../notify/send-callbacks.js';
import { type Kind, kinds } from '../../reconcile/deps.js';
import { askWhenQuiet } from '../../reconcile/schedule/ask-when-quiet.js';
import { recoverNow } from '../../reconcile/schedule/recover-now.js';
import { runReconcile } from '../../reconcile/schedule/run.js';
import { startScheduler } from '../../reconcile/schedule/schedule.js';
import { logFailure, repeat } from '../../records/database/repeat.js';
import { countMonth, monthsToCount } from '../../records/scorecard/scorecard.js';
import { noteServiceClock } from '../../records/service-notes.js';
import type { ServiceClient } from '../../service-api/client.js';
import { type CommandHandlers, createCommandWorker } from '../../webhook/command-queue.js';
import { createQueueProducer } from '../../webhook/queue.js';
import { cronsOf, runEverySeconds, showIntervals } from '../crons.js';
import { channelsOf, checkOutboundAddresses, outboundRules } from '../outbound.js';
import { countSettings, reconcileDeps, retentionDays } from '../reconcile-settings.js';
import type { Runtime } from '../runtime.js';
import { createServiceClient } from '../service-client.js';
import { ownCallsLoop, startSettling } from './own-calls.js';

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
  const { config, contract, db, log, now, closers, queues, queuesInUse, signal } = runtime;
  const client = await createServiceClient(runtime, { adoptedAt, decidesAnswers: true });
  showIntervals(runtime);
  startSettling(runtime, client);
  const deps = { ...reconcileDeps(runtime, client, adoptedAt), client };
  const books = { timeZone: config.BOOKS_TIMEZONE, currency: config.REPORTING_CURRENCY };
  const settings = { db, log, table: contract.movements, settlementDays: config.SETTLEMENT_DAYS, ...books };
  const posting = createPosting(settings);
  const sealing = createSealing({ db, log, now, signal, also: wholeBooks(settings) });
  closers.add('sealing', () => sealing.close());
  const notifyLoop = createNotifying(runtime, adoptedAt);
  const [often] = Object.entries(runEverySeconds(config)).sort(([, a], [, b]) => a - b) as [Kind, number][];
  const beside = {
    loop: async (leading: AbortSignal, ask: (kind: Kind) => void) =>
      void (await Promise.all([
        posting.loop(leading),
        notifyLoop(leading, () => ask('deliveries')),
        sealing.loop(leading),
        ownCallsLoop(deps, leading),
        serviceClockLoop(deps, leading),
        askWhenQuiet(deps, { signal: leading, onReturn: () => often && ask(often[0]) }),
        scorecardLoop(runtime, leading),
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
      return recoverNow(deps, { kind: 'deliveries', full: false, signal, wanted: { ids, range }, ...back });
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

/** Until the signal; never throws after it began. @throws {ConfigError} for an address that could never be called */
function createNotifying(
  runtime: Runtime,
  adoptedAt: Date,
): (signal: AbortSignal, readHistory: () => void) => Promise<void> {
  const { config, db, log, now, metrics, queues, closers } = runtime;
  checkOutboundAddresses(config);
  const rules = outboundRules(config);
  const shared = { db, log, now, metrics, rules };
  const alerts = {
    ...shared,
    channels: channelsOf(config, now),
    runEverySeconds: runEverySeconds(config),
    askQueue: queueOf({ queues, closers }),
    heartbeatUrl: config.ALERT_HEARTBEAT_URL,
  };
  const { STORE_CALLBACK_URL: url, STORE_CALLBACK_SECRET: secret } = config;
  const keepDays = config.RETENTION_BODY_DAYS;
  return async (signal, readHistory) => {
    const sendToStore = async () => {
      if (url === undefined || secret === undefined) return;
      await callbackLoops({ ...shared, url, secret, adoptedAt, keepDays }, signal);
    };
    await Promise.all([alertLoop({ ...alerts, readHistory }, signal), sendToStore()]);
  };
}

/** A queue in the database is as well as that. */
function queueOf({ queues, closers }: Pick<Runtime, 'queues' | 'closers'>): () => Promise<unknown> {
  if (queues.redisUrl === undefined) return async () => {};
  const queue = createQueueProducer('events', queues);
  closers.add('queue of alerts', () => queue.close());
  return () => queue.state();
}

const CLOCK_EVERY_MS = 5_000;
/** How long it waits for an answer that shows the service's time before it takes our own clock. */
const LONGEST_WAIT_MS = 30_000;

/** Notes the service's clock for processes that don't call the service, until the signal. Never throws. */
async function serviceClockLoop(
  { db, log, client }: Pick<Runtime, 'db' | 'log'> & { client: ServiceClient },
  signal: AbortSignal,
): Promise<void> {
  const began = performance.now();
  let isMeasured = false;
  const everyMs = () => (isMeasured ? CLOCK_EVERY_MS : 1_000);
  await repeat({ signal, everyMs, failed: logFailure(log, 'service clock not saved') }, async () => {
    isMeasured = client.clock() !== null;
    if (!isMeasured && performance.now() - began <= LONGEST_WAIT_MS) return;
    await noteServiceClock(db, { earliest: client.earliestNow(), isMeasured });
  });
}

const EVERY_MS = 600_000;

/** Counts this month for the scorecard, and the one before while its last days may change, until the signal. Never throws. */
export async function scorecardLoop(
  { db, log, now, config }: Pick<Runtime, 'db' | 'log' | 'now' | 'config'>,
  signal: AbortSignal,
): Promise<void> {
  await repeat({ signal, everyMs: EVERY_MS, failed: logFailure(log, 'scorecard not counted') }, async () => {
    const settings = { ...countSettings(config), signal };
    const at = now();
    for (const month of monthsToCount(at, settings.timeZone)) await countMonth(db, month, at, settings);
  });
}
