import type { Run } from '../../src/domain/views/proof-shapes.js';
import { createLog } from '../../src/log.js';
import { runReconcile } from '../../src/reconcile/schedule/run.js';
import type { Sandbox } from '../../src/sandbox/start-sandbox.js';
import { ServiceClient } from '../../src/service-api/client.js';
import { defaultContract } from '../../src/service-api/contract.js';
import { testSettings } from '../reconcile/fake-service.js';
import type { TestDatabase } from './database.js';

/** One full run over the payments of the service, in this process. Their payins, one call each, are left alone. */
export async function readEveryPayment({ db, url }: TestDatabase, sandbox: Sandbox): Promise<Run> {
  const client = new ServiceClient({ baseUrl: sandbox.url, apiKey: 'sandbox-api-key' });
  const deps = {
    db,
    databaseUrl: url,
    log: createLog('silent'),
    now: () => new Date(),
    client,
    contract: defaultContract,
    settings: testSettings,
    adoptedAt: new Date(0),
  };
  return runReconcile(deps, { kind: 'payment-intents', full: true, withoutPayins: true });
}
