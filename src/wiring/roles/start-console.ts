import { TimeoutStrategy, timeout } from 'cockatiel';
import { readWebhookSecrets, type WebhookSecret } from '../../config.js';
import { createConsoleApp } from '../../console/http/server.js';
import type { DoctorLine, QueueReading } from '../../console/page.js';
import { loadChart } from '../../finance/load-chart.js';
import { kinds } from '../../reconcile/deps.js';
import { loadContract } from '../../service-api/contract.js';
import { createCommandQueue } from '../../webhook/command-queue.js';
import { createEventQueue, replayEvents } from '../../webhook/queue.js';
import type { QueueState } from '../../webhook/queue-backend.js';
import { secretsStatus } from '../../webhook/rotation.js';
import { renderMetrics } from '../collect-gauges.js';
import { runEverySeconds, showIntervals } from '../crons.js';
import { runDoctor } from '../doctor/examine.js';
import type { Listener } from '../listen.js';
import { channelsOf } from '../outbound.js';
import { releaseRules } from '../reconcile-settings.js';
import type { Runtime } from '../runtime.js';

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
  showIntervals(runtime);
  collectQueues(runtime, { commands: queue, events });
  const app = createConsoleApp({
    db,
    log,
    ready,
    tokens: config.CONSOLE_TOKENS ?? [],
    trustedProxies: config.TRUSTED_PROXIES ?? [],
    metrics: () => renderMetrics(runtime),
    runKinds: kinds,
    now,
    signal,
    serviceBaseUrl: config.SERVICE_BASE_URL,
    runEverySeconds: runEverySeconds(config),
    alertChannels: channelsOf(config, now).map(({ name }) => name),
    queues: async () => Promise.all([readQueue('events', events), readQueue('commands', queue)]),
    runDoctor: doctorOf(runtime),
    verifySeals: async (actor) => void (await queue.send('verify seals', { actor })),
    ...releaseRules(config, contract),
    books: {
      timeZone: config.BOOKS_TIMEZONE,
      currency: config.REPORTING_CURRENCY,
      table: contract.movements,
      chart: () => loadChart(config.CHART_FILE),
      settlementDays: config.SETTLEMENT_DAYS,
    },
    fourEyes: config.FOUR_EYES,
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

async function readQueue(name: string, queue: { state(): Promise<QueueState> }): Promise<QueueReading> {
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

const STATES = ['waiting', 'active', 'delayed', 'failed'] as const;
/** A scrape is not held up by a queue that does not answer. */
const scraping = timeout(2_000, TimeoutStrategy.Aggressive);

/** Has the gauges of the queues ask them on every scrape; of one that can't be asked nothing is said. */
function collectQueues(
  { metrics, log, now }: Pick<Runtime, 'metrics' | 'log' | 'now'>,
  queues: Readonly<Record<string, { state(): Promise<QueueState> }>>,
): void {
  const update = async (): Promise<void> => {
    for (const [queue, asked] of Object.entries(queues)) {
      const found = await scraping
        .execute(() => asked.state())
        .catch((error: unknown) => {
          log.debug({ err: error, queue }, 'queue not read');
          return null;
        });
      for (const name of STATES) {
        if (found === null) metrics.queueJobs.remove({ queue, state: name });
        else metrics.queueJobs.set({ queue, state: name }, found[name]);
      }
      if (found === null) metrics.queueOldest.remove({ queue });
      else metrics.queueOldest.set({ queue }, ageOf(found.oldestAt, now()));
    }
  };
  Object.assign(metrics.queueJobs, { collect: update });
}

const ageOf = (at: number | null, now: Date): number => (at === null ? 0 : Math.max(0, (now.getTime() - at) / 1_000));
