import type { Knex } from 'knex';
import type { Run } from '../../src/domain/views/proof-shapes.js';
import { createLog } from '../../src/log.js';
import { createMetrics } from '../../src/metrics.js';
import type { Kind, ReconcileDeps, ReconcileSettings } from '../../src/reconcile/deps.js';
import { type RunOptions, runReconcile } from '../../src/reconcile/schedule/run.js';
import { type Sandbox, type SandboxOptions, startSandbox } from '../../src/sandbox/start-sandbox.js';
import { ServiceClient } from '../../src/service-api/client.js';
import { defaultContract } from '../../src/service-api/contract.js';
import { applyEvents } from '../../src/webhook/apply-events.js';
import type { SigningSecret } from '../../src/webhook/verify-signature.js';
import { createTestDatabase, type TestDatabase } from './database.js';
import { startReceiver } from './receiver.js';

const log = createLog('silent');

/** A receiver and the reconcilers beside a sandbox, in this process. */
export interface DeliveryFlow {
  database: TestDatabase;
  db: Knex;
  sandbox: Sandbox;
  url: string;
  /** What the receiver accepts; may be changed at any time. */
  secrets: SigningSecret[];
  deps: ReconcileDeps;
  /** A new endpoint at our address, whose secret is accepted under the label. */
  addEndpoint(label: string, events?: string[]): { id: string; secret: string };
  /** So many payments, paid; resolves when no attempt of a delivery is due. */
  pay(count: number): Promise<void>;
  run(kind?: Kind, options?: Partial<RunOptions>): Promise<Run>;
  /** As the workers do. */
  apply(): Promise<void>;
  close(): Promise<void>;
}

const SANDBOX = { confirmationSeconds: 0, kytSeconds: 0, retrySchedule: [] } satisfies SandboxOptions;

export async function startDeliveryFlow(
  options: {
    sandbox?: SandboxOptions;
    settings?: Partial<ReconcileSettings>;
    adoptedAt?: Date;
    client?: ReconcileDeps['client'];
    /** Left out: one of its own, which ends with it. */
    database?: TestDatabase;
  } = {},
): Promise<DeliveryFlow> {
  const database = options.database ?? (await createTestDatabase());
  const { db } = database;
  const sandbox = await startSandbox({ ...SANDBOX, ...options.sandbox });
  const secrets: SigningSecret[] = [];
  const receiver = await startReceiver(db, {
    now: () => new Date(),
    secrets: { current: () => [...secrets], close: () => {} },
  });
  const url = `${receiver.url}/webhooks`;
  const settings: ReconcileSettings = {
    missedGraceMs: 0,
    payoutGraceMs: 86_400_000,
    publicUrl: url,
    webhookPath: '/webhooks',
    eventIdPointer: 'auto',
    ...options.settings,
  };
  const client =
    options.client ?? new ServiceClient({ baseUrl: sandbox.url, apiKey: 'sandbox-api-key', contract: defaultContract });
  const now = () => new Date();
  const adoptedAt = options.adoptedAt ?? new Date(Date.now() - 60_000);
  const deps: ReconcileDeps = {
    db,
    databaseUrl: database.url,
    log,
    now,
    client,
    contract: defaultContract,
    settings,
    adoptedAt,
  };
  return {
    database,
    db,
    sandbox,
    url,
    secrets,
    deps,
    addEndpoint(label, events = ['*']) {
      const { id, secret } = sandbox.control.addEndpoint({ url, events });
      secrets.push({ label, secret });
      return { id, secret };
    },
    async pay(count) {
      for (let i = 0; i < count; i += 1) {
        const id = sandbox.control.createPayment({ amount: '12.5', currency: 'USDT.TRC20' });
        sandbox.control.pay(id, { percent: 100 });
      }
      await sandbox.control.deliveriesIdle();
    },
    run: (kind = 'deliveries', more = {}) => runReconcile(deps, { kind, full: false, ...more }),
    async apply() {
      const ids: string[] = await db('inbox').whereIn('status', ['received', 'failed']).pluck('id');
      await applyEvents({ db, log, now, adoptedAt, metrics: createMetrics() }, ids);
    },
    async close() {
      await sandbox.close();
      await receiver.close();
      if (options.database === undefined) await database.drop();
    },
  };
}
