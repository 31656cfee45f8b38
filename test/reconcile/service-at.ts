import { pino } from 'pino';
import type { Run } from '../../src/domain/views/proof-shapes.js';
import type { Kind, ReconcileDeps } from '../../src/reconcile/deps.js';
import { type RunOptions, runReconcile } from '../../src/reconcile/schedule/run.js';
import { ServiceClient } from '../../src/service-api/client.js';
import { type Contract, defaultContract } from '../../src/service-api/contract.js';
import type { TestDatabase } from '../support/database.js';
import { testSettings } from './fake-service.js';

/** The one that most tests move. */
const FEW = ['USDT.TRC20'];

export interface AtService {
  deps: ReconcileDeps;
  run: (kind: Kind, options?: Partial<RunOptions>) => Promise<Run>;
}

/** Reconciles against a sandbox in this process. Time is the service's: a clock that jumps ahead takes ours with it. */
export function atService(
  { db, url: databaseUrl }: TestDatabase,
  baseUrl: string,
  given: { contract?: Contract; adoptedAt?: Date } = {},
): AtService {
  const contract = given.contract ?? defaultContract;
  const client = new ServiceClient({ baseUrl, apiKey: 'sandbox-api-key', contract });
  const deps: ReconcileDeps = {
    db,
    databaseUrl,
    log: pino({ level: process.env.TEST_LOG ?? 'silent' }),
    now: () => new Date(client.serviceNow()),
    client,
    contract,
    settings: testSettings,
    adoptedAt: given.adoptedAt ?? new Date(Date.now() - 3_600_000),
  };
  return { deps, run: (kind, options = {}) => runReconcile(deps, { kind, full: false, ...options }) };
}

/** As if the service offered these alone: a run of balances reads each asset twice, and judges and saves it. */
export function fewAssets<At extends { deps: ReconcileDeps }>(at: At, few: readonly string[] = FEW): At {
  const { client } = at.deps;
  at.deps.client = {
    serviceNow: () => client.serviceNow(),
    reply: async (operation, request) => {
      const answer = await client.reply(operation, request);
      if (operation !== 'listPublicAssets') return answer;
      const data = (answer.data as { assetCode: string }[]).filter(({ assetCode }) => few.includes(assetCode));
      return { ...answer, data };
    },
  };
  return at;
}
