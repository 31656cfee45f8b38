import { TimeoutStrategy, timeout } from 'cockatiel';
import type { Config } from '../config.js';
import type { Logger } from '../log.js';
import { createMetrics, type Metrics } from '../metrics.js';
import { type DatabaseTrouble, unready } from '../records/database/database-trouble.js';
import type { DatabaseUrls } from '../records/database/examine-sessions.js';
import { type Contract, loadContract } from '../service-api/contract.js';
import type { QueueSettings } from '../webhook/queue-backend.js';
import type { Closers } from './closers.js';
import { openStore, type Store } from './open-store.js';
import { afterFailure, createReadiness, type Readiness } from './readiness.js';
import type { RunStep } from './start-steps.js';

export interface Runtime extends Pick<Store, 'db' | 'databaseUrl'> {
  config: ServiceConfig;
  /** What the service leaves open, as CONTRACT_FILE says it. */
  contract: Contract;
  log: Logger;
  now: () => Date;
  metrics: Metrics;
  queues: QueueSettings;
  /** The queues that the roles work with, each once it is in use. */
  queuesInUse: { name: string; isOpen(): boolean }[];
  ready: () => Promise<Readiness>;
  /** An event could not be stored: `ready` asks the database anew. */
  doubtReady: () => void;
  closers: Closers;
  signal: AbortSignal;
}

/** No role but the receiver, which never calls it, works without a key of the service. */
export const SERVICE_NEEDS = ['SERVICE_BASE_URL', 'SERVICE_API_KEY'] as const;

type ServiceConfig = Config & { SERVICE_BASE_URL: string };

const POOL_SIZE = 20;

export type RuntimeParts = Pick<Runtime, 'config' | 'log' | 'closers' | 'signal'>;

/** Opens what every role needs; all of it is closed by `closers`. @throws {ConfigError} for a CONTRACT_FILE that is wrong */
export async function openRuntime({
  run,
  onWait,
  metrics = createMetrics({ processMetrics: true }),
  ...parts
}: RuntimeParts & { run?: RunStep; onWait?: (() => void) | undefined; metrics?: Metrics }): Promise<Runtime> {
  const { config, log, closers } = parts;
  const contract = await loadContract(config.CONTRACT_FILE);
  const store = await openStore(parts, { max: POOL_SIZE, run, onWait });
  closers.add('database', () => store.close());
  const { ready: stillReady, doubt: doubtReady } = createReadiness(store.db);
  const url = config.DATABASE_URL;
  // No pooler stands before the embedded database.
  const sessions = url === undefined ? null : createSessionsCheck({ url, directUrl: store.databaseUrl }, log);
  return {
    ...parts,
    contract,
    db: store.db,
    databaseUrl: store.databaseUrl,
    now: () => new Date(),
    metrics,
    queues: { databaseUrl: store.databaseUrl, redisUrl: config.REDIS_URL, log },
    queuesInUse: [],
    doubtReady,
    ready: async () => {
      if (parts.signal.aborted) return { ok: false, problems: ['stopping'] };
      const state = await stillReady();
      return state.ok && sessions ? sessions() : state;
    },
  };
}

const ANSWER_MS = 3_000;
/** Who runs a pooler may change its mode: it is asked again now and then, and soon where something was wrong. */
const WELL_MS = 60_000;
const WRONG_MS = 5_000;

/**
 * Whether what needs sessions of its own has them; never throws. Once it had, a server that does not answer for a moment is
 * no news of sessions: what it takes with it says so.
 */
export function createSessionsCheck(urls: DatabaseUrls, log: Logger): () => Promise<Readiness> {
  const inTime = timeout(ANSWER_MS, TimeoutStrategy.Aggressive);
  let askAgainAt = Number.NEGATIVE_INFINITY;
  let answer: Promise<Readiness> | null = null;
  let wasWell = false;
  let logged = '';
  const readinessOf = (trouble: DatabaseTrouble | null): Readiness => {
    wasWell ||= trouble === null;
    if (trouble === null || (wasWell && trouble.passing)) return { ok: true, problems: [] };
    const state = unready(trouble, urls.directUrl);
    const [problem] = state.problems;
    if (problem !== logged) log.error({ problem }, 'database sessions unusable');
    logged = problem;
    return state;
  };
  return () => {
    if (!answer || performance.now() > askAgainAt) {
      askAgainAt = Number.POSITIVE_INFINITY;
      answer = inTime
        .execute(async () => (await import('../records/database/examine-sessions.js')).examineSessions(urls))
        .then(readinessOf)
        .catch((error: unknown) => (wasWell ? { ok: true, problems: [] } : afterFailure(error, urls.directUrl)))
        .then((said) => {
          askAgainAt = performance.now() + (said.ok ? WELL_MS : WRONG_MS);
          return said;
        });
    }
    return answer;
  };
}
