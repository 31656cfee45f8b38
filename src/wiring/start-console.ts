import { readWebhookSecrets, type WebhookSecret } from '../config.js';
import type { DoctorLine, QueueLook } from '../console/page-deps.js';
import { createConsoleApp } from '../console/server.js';
import { loadChart } from '../finance/load-chart.js';
import { kinds } from '../reconcile/deps.js';
import { loadContract } from '../service-api/contract.js';
import { createCommandQueue } from '../webhook/command-queue.js';
import { createEventQueue } from '../webhook/queue.js';
import type { QueueState } from '../webhook/queue-backend.js';
import { replayEvents } from '../webhook/replay-events.js';
import { secretsStatus } from '../webhook/rotation.js';
import { channelsOf } from './alert-settings.js';
import { collectQueues } from './collect-queues.js';
import { runEverySeconds, tellIntervals } from './crons.js';
import type { Listener } from './listen.js';
import { releaseRules } from './reconcile-settings.js';
import { renderMetrics } from './render-metrics.js';
import { runDoctor } from './run-doctor.js';
import type { Runtime } from './runtime.js';

/** The read API and pages. What they can't do by a record goes on the `commands` queue. */
export function startConsole(runtime: Runtime, front: Listener): void {
  const { db, log, now, ready, queues, queuesInUse, closers, config, contract, signal } = runtime;
  const queue = createCommandQueue(queues);
  closers.add('command queue', () => queue.close());
  const events = createEventQueue(queues);
  closers.add('event queue', () => events.close());
  queuesInUse.push(
    { name: 'commands', isOpen: () => queue.isOpen() },
    { name: 'events', isOpen: () => events.isOpen() },
  );
  tellIntervals(runtime);
  collectQueues(runtime, { commands: queue, events });
  const app = createConsoleApp({
    db,
    log,
    ready,
    tokens: config.CONSOLE_TOKENS ?? [],
    trustedProxies: config.TRUSTED_PROXIES ?? [],
    metrics: () => renderMetrics(runtime),
    runKinds: kinds,
    pages: {
      now,
      signal,
      serviceBaseUrl: config.SERVICE_BASE_URL,
      runEverySeconds: runEverySeconds(config),
      alertChannels: channelsOf(config, now).map(({ name }) => name),
      queues: async () => Promise.all([lookAt('events', events), lookAt('commands', queue)]),
      runDoctor: doctorOf(runtime),
      verifySeals: async (actor) => void (await queue.send('verify seals', { actor })),
    },
    ...releaseRules(config, contract),
    books: {
      timeZone: config.BOOKS_TIMEZONE,
      currency: config.REPORTING_CURRENCY,
      table: contract.movements,
      chart: () => loadChart(config.CHART_FILE),
    },
    commands: {
      replay: async (eventIds) => void (await replayEvents({ db, queue: events }, eventIds)),
      run: async (request) => void (await queue.send('run', request)),
      recover: async (request) => void (await queue.send('recover', request)),
    },
    secretsStatus: async () => {
      const { deliveries } = await loadContract(config.CONTRACT_FILE);
      return secretsStatus(db, secretsNow(config), new Date(), deliveries.pending);
    },
  });
  front.serve(app);
}

async function lookAt(name: string, queue: { state(): Promise<QueueState> }): Promise<QueueLook> {
  return { name, state: await queue.state().catch(() => null) };
}

const DOCTOR_LIMIT_MS = 240_000;

/** Once at a time: who asks while it is at work has the same answer. */
function doctorOf(runtime: Runtime): () => Promise<DoctorLine[]> {
  let atWork: Promise<DoctorLine[]> | null = null;
  return () => {
    const limit = AbortSignal.timeout(DOCTOR_LIMIT_MS);
    const signal = AbortSignal.any([runtime.signal, limit]);
    const { config } = runtime;
    atWork ??= runDoctor({ ...runtime, config: { ...config, WEBHOOK_SECRETS: secretsNow(config) } }, signal)
      .then(({ items }) => items)
      .finally(() => {
        atWork = null;
      });
    return atWork;
  };
}

/** The console shows a changed file at once, as the receivers accept it. */
function secretsNow(config: Runtime['config']): WebhookSecret[] {
  const file = config.WEBHOOK_SECRETS_FILE;
  return file === undefined ? (config.WEBHOOK_SECRETS ?? []) : readWebhookSecrets(file);
}
