import { setTimeout as delay } from 'node:timers/promises';
import {
  createPostgresBackend,
  type Job,
  type JobsOptions,
  type PostgresConnectionOptions,
  Queue,
  type RedisOptions,
  Worker,
  type WorkerOptions,
} from 'bullmq';
import type { Cluster } from 'ioredis';
import { type ClientBase, Pool } from 'pg';
import type { Logger } from '../log.js';
import { verifyingTls } from '../records/database/watch-connection.js';
import { QUEUE_SCHEMA } from '../records/database.js';
import { logSeldom } from './log-seldom.js';
import { type NodeOptions, openCluster, redisAddress, serverOptions } from './redis-connection.js';

/** Where BullMQ keeps its queues: in Redis where `redisUrl` is given, else in Postgres, schema `bullmq`. */
export interface QueueSettings {
  /** Where sessions last: DATABASE_DIRECT_URL. */
  databaseUrl: string;
  /** A server, or nodes of a cluster: see redisAddress. */
  redisUrl?: string | undefined;
  /** The common part of all Redis keys; in braces, so that a Redis cluster keeps them on one node. */
  redisPrefix?: string | undefined;
  log: Logger;
}

export type QueueName = 'events' | 'commands';

/** What is used of a BullMQ queue, the same on both backends. */
export interface JobQueue<T> {
  addBulk(jobs: { name: string; data: T; opts?: JobsOptions }[]): Promise<{ id?: string | undefined }[]>;
  state(): Promise<QueueState>;
  waitUntilReady(): Promise<unknown>;
  close(): Promise<void>;
  disconnect(): Promise<void>;
}

/** How many jobs there are of each sort. `oldestAt`: when the one that waits longest was added, ms; null: none waits. */
export interface QueueState {
  waiting: number;
  active: number;
  delayed: number;
  failed: number;
  oldestAt: number | null;
}

interface Counted {
  getJobCounts(...types: ('waiting' | 'active' | 'delayed' | 'failed')[]): Promise<Record<string, number>>;
  getWaiting(start: number, end: number): Promise<{ timestamp: number }[]>;
}

interface JobAdder<T> extends Pick<JobQueue<T>, 'addBulk'> {
  add(name: string, data: T, opts?: JobsOptions): Promise<{ id?: string | undefined }>;
}

/** What is used of a BullMQ worker, the same on both backends. */
export interface JobWorker {
  run(): Promise<void>;
  waitUntilReady(): Promise<unknown>;
  close(): Promise<void>;
  disconnect(): Promise<void>;
}

export type Processor<T> = (job: Pick<Job<T>, 'id' | 'name' | 'data'>) => Promise<unknown>;

const REDIS_PREFIX = '{tallyhook}';
const CONNECT_TIMEOUT_MS = 5_000;
const QUERY_TIMEOUT_MS = 10_000;
const COMMAND_TIMEOUT_MS = 2_000;
const REOPEN_DELAY_MS = 500;
/** Of a worker; jobs in hand beyond take turns to begin and to end. */
const MOST_CONNECTIONS = 3;
/**
 * A crash of Postgres may take back the newest jobs of events: what they speak of stands in the inbox, where the inbox scan finds it.
 * Else each of their commits holds the lock of NOTIFY for as long as the disk takes, which bounds a stream to some 200 a second.
 */
const MAY_BE_LOST = 'SET synchronous_commit = off';

export function openQueue<T>(name: QueueName, settings: QueueSettings): JobQueue<T> {
  const onError = logSeldom(settings.log, 'queue connection failed', { queue: name });
  if (settings.redisUrl !== undefined) {
    const { connection, release } = redisConnection(settings.redisUrl, {
      offlineQueue: false,
      node: { commandTimeout: COMMAND_TIMEOUT_MS },
      onError,
    });
    const prefix = settings.redisPrefix ?? REDIS_PREFIX;
    const queue = new Queue<T, unknown, string, T, unknown, string>(name, { connection, prefix });
    queue.on('error', onError);
    return { ...closing(queue, release), addBulk: (jobs) => queue.addBulk(jobs), state: () => stateOf(queue) };
  }
  const connection = postgresPool(name, settings.databaseUrl, 2);
  const queue = new Queue(name, { connection }, createPostgresBackend);
  queue.on('error', onError);
  return {
    ...closing(queue, () => connection.end()),
    addBulk: (jobs) => addFew(queue, jobs),
    state: () => stateOf(queue),
  };
}

async function stateOf(queue: Counted): Promise<QueueState> {
  const [counts, [oldest]] = await Promise.all([
    queue.getJobCounts('waiting', 'active', 'delayed', 'failed'),
    queue.getWaiting(0, 0),
  ]);
  const { waiting = 0, active = 0, delayed = 0, failed = 0 } = counts;
  return { waiting, active, delayed, failed, oldestAt: oldest?.timestamp ?? null };
}

/** In Postgres a bulk makes two temporary tables each time, which costs seven times what adding one job does. */
function addFew<T>(
  queue: JobAdder<T>,
  jobs: Parameters<JobQueue<T>['addBulk']>[0],
): ReturnType<JobQueue<T>['addBulk']> {
  const [first, ...others] = jobs;
  if (!first || others.length > 0) return queue.addBulk(jobs);
  return queue.add(first.name, first.data, first.opts).then((job) => [job]);
}

export function openWorker<T>(
  name: QueueName,
  process: Processor<T>,
  settings: QueueSettings,
  options: { concurrency: number },
): JobWorker {
  const onError = logSeldom(settings.log, 'queue worker failed', { queue: name });
  const common = {
    autorun: false,
    concurrency: options.concurrency,
    // How long it waits before it goes on after its connection was lost; BullMQ's default is 15 s.
    runRetryDelay: 1_000,
  } satisfies Partial<WorkerOptions>;
  if (settings.redisUrl !== undefined) {
    const { connection, release } = redisConnection(settings.redisUrl, {
      offlineQueue: true,
      node: { maxRetriesPerRequest: null },
      onError,
    });
    const prefix = settings.redisPrefix ?? REDIS_PREFIX;
    const worker = new Worker<T>(name, process, { ...common, connection, prefix });
    worker.on('error', onError);
    return { ...closing(worker, release), run: () => worker.run() };
  }
  // One more, which hears of new jobs.
  const connection = postgresPool(name, settings.databaseUrl, Math.min(options.concurrency, MOST_CONNECTIONS) + 3);
  const worker = new Worker(name, process, { ...common, connection }, createPostgresBackend);
  worker.on('error', onError);
  return { ...closing(worker, () => connection.end()), run: () => worker.run() };
}

interface RedisUse {
  offlineQueue: boolean;
  node: NodeOptions;
  onError: (error: unknown) => void;
}

/** `release` ends what BullMQ leaves open, because it was given it. */
function redisConnection(
  url: string,
  { offlineQueue, node, onError }: RedisUse,
): { connection: RedisOptions | Cluster; release: () => void } {
  const address = redisAddress(url);
  if (address.kind === 'server') {
    const connection = { ...serverOptions(address.url), ...node, enableOfflineQueue: offlineQueue };
    return { connection, release: () => {} };
  }
  const cluster = openCluster(address, { offlineQueue, node });
  cluster.on('error', onError);
  return { connection: cluster, release: () => cluster.disconnect() };
}

/** Closed first, and disconnected where that takes too long: what it was given is released once. */
function closing(opened: Openable & { disconnect(): Promise<void> }, release: () => Promise<void> | void) {
  let released: Promise<void> | undefined;
  const releaseOnce = () => (released ??= Promise.resolve(release()));
  return {
    waitUntilReady: () => opened.waitUntilReady(),
    close: async () => {
      try {
        await opened.close();
      } finally {
        await releaseOnce();
      }
    },
    disconnect: async () => {
      await Promise.all([releaseOnce(), opened.disconnect()]);
    },
  };
}

/** As BullMQ sees a pool of pg: any is one. */
type QueuePool = Extract<PostgresConnectionOptions, { end: unknown }>;

/**
 * BullMQ may be given options instead, but then nobody hears for a moment, as one of its connections opens or closes, that it
 * broke; and an error that nobody hears ends the process.
 */
function postgresPool(name: QueueName, url: string, max: number): QueuePool {
  const settings = [`SET search_path = ${QUEUE_SCHEMA}`, ...(name === 'events' ? [MAY_BE_LOST] : [])].join('; ');
  const prepare = (client: ClientBase): unknown => client.query(settings);
  const pool = new Pool({
    connectionString: verifyingTls(url),
    // Not as startup parameters, which a pooler refuses. The pool waits for what it answers, though its types don't say so.
    onConnect: prepare,
    application_name: 'tallyhook queue',
    max,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    query_timeout: QUERY_TIMEOUT_MS,
    keepAlive: true,
  });
  pool.on('connect', (client) => {
    client.on('error', () => {});
  });
  return pool as unknown as QueuePool;
}

interface Openable {
  waitUntilReady(): Promise<unknown>;
  close(): Promise<void>;
}

/**
 * Opens a queue or worker however long its server takes to appear; null once `signal` is aborted.
 * BullMQ remembers a failed first connection for ever, so each try is a new instance.
 */
export async function openWhenReady<T extends Openable>(
  log: Logger,
  create: () => T,
  signal: AbortSignal,
): Promise<T | null> {
  const onError = logSeldom(log, 'queue not opened');
  const aborted = new Promise<void>((resolve) => {
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
  while (!signal.aborted) {
    const opened = create();
    const failed = opened.waitUntilReady().then(() => null, toError);
    const outcome = await Promise.race([failed, aborted.then(() => new Error('closed'))]);
    if (outcome === null && !signal.aborted) return opened;
    // Closing, unlike disconnecting, also ends a connection that was never there.
    void opened.close().catch(() => {});
    if (signal.aborted) break;
    onError(outcome);
    await delay(REOPEN_DELAY_MS, undefined, { signal }).catch(() => {});
  }
  return null;
}

const toError = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)));
