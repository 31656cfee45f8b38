import { outcomeOf } from '../domain/scorecard/scorecard-shape.js';
import { ConfigError } from '../errors.js';
import { observeAnswers } from '../own-calls/observe-answers.js';
import { createCallStore } from '../own-calls/share-calls.js';
import { describeError } from '../records/database/database-errors.js';
import { addCallCounts, type CallCount } from '../records/scorecard/scorecard.js';
import { type Answers, mergeAnswers, noteAnswers } from '../records/service-notes.js';
import { createServiceRate } from '../records/service-rate.js';
import { ServiceClient } from '../service-api/client.js';
import type { Contract } from '../service-api/contract.js';
import type { RetryPolicy } from '../service-api/http.js';
import { countBehind } from '../webhook/count-behind.js';
import { logSeldom } from '../webhook/log-seldom.js';
import { releaseRules } from './reconcile-settings.js';
import type { Runtime } from './runtime.js';

export interface ServiceClientChoices {
  /** With it, what the service answers to calls that change something becomes part of the records. */
  adoptedAt?: Date;
  /** In place of that of CONTRACT_FILE. */
  contract?: Contract;
  retryPolicy?: Partial<RetryPolicy>;
  /** What its calls come to decides for all whether the service answers. */
  decidesAnswers?: boolean;
}

/** With all other processes it keeps to SERVICE_RATE; creating calls are written down before they are sent. */
export async function createServiceClient(
  runtime: Pick<Runtime, 'config' | 'contract' | 'db' | 'log' | 'metrics' | 'now'> & Partial<Pick<Runtime, 'closers'>>,
  { adoptedAt, contract = runtime.contract, retryPolicy, decidesAnswers = false }: ServiceClientChoices = {},
): Promise<ServiceClient> {
  const { config, db, log, metrics, now } = runtime;
  if (config.SERVICE_API_KEY === undefined)
    throw new ConfigError('SERVICE_API_KEY is missing: the service is called here');
  metrics.apiCircuitOpen.set(0);
  const calls = countCalls(runtime);
  const answers = decidesAnswers ? keepAnswers(runtime) : null;
  return new ServiceClient({
    baseUrl: config.SERVICE_BASE_URL,
    apiKey: config.SERVICE_API_KEY,
    contract,
    takeSlot: createServiceRate(db, { perSecond: config.SERVICE_RATE }),
    onRequest: ({ operation, status, failure }) => {
      metrics.apiRequests.inc({ operation, status: String(status) });
      calls.add(operation, status);
      const at = now().getTime();
      if (failure !== null)
        answers?.add({ answeredAt: null, failed: [{ at, operation, error: describeError(failure) }] });
      else if (status !== 'no_answer') answers?.add({ answeredAt: at, failed: [] });
    },
    onCircuit: (state) => metrics.apiCircuitOpen.set(state === 'open' ? 1 : 0),
    keyStore: createCallStore(db),
    ...(adoptedAt && {
      onAnswer: observeAnswers({ db, now, adoptedAt, ...releaseRules(config, contract), links: contract.links }),
    }),
    ...(retryPolicy && { retryPolicy }),
    log,
  });
}

/** Since when no call was answered; written as counts are. */
function keepAnswers({ db, log, closers }: Pick<Runtime, 'db' | 'log'> & Partial<Pick<Runtime, 'closers'>>) {
  const answers = countBehind<Answers>({
    keyOf: () => '',
    merge: (known, more) => Object.assign(known, mergeAnswers(known, more)),
    save: async ([all]) => (all === undefined ? undefined : noteAnswers(db, all)),
    failed: logSeldom(log, 'answers not noted'),
  });
  closers?.add('answers of the service', () => answers.close());
  return answers;
}

const HOUR_MS = 3_600_000;

/** Counts attempts of calls by hour, operation and outcome, in memory; they are written once a second. Never waits. */
export function countCalls({
  db,
  log,
  now,
  closers,
}: Pick<Runtime, 'db' | 'log' | 'now'> & Partial<Pick<Runtime, 'closers'>>): {
  add(operation: string, status: number | 'no_answer'): void;
} {
  const counts = countBehind<CallCount>({
    keyOf: ({ hour, operation, outcome }) => `${hour.getTime()} ${operation} ${outcome}`,
    merge: (known, more) => {
      known.count += more.count;
    },
    save: (counted) => addCallCounts(db, counted),
    failed: logSeldom(log, 'calls not counted'),
  });
  closers?.add('call counts', () => counts.close());
  return {
    add(operation, status) {
      const hour = new Date(Math.floor(now().getTime() / HOUR_MS) * HOUR_MS);
      counts.add({ hour, operation, outcome: outcomeOf(status), count: 1 });
    },
  };
}
