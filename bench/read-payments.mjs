// A run of the reconciler of payments, in this process, against the list that stands on a port.
import { createLog } from '../dist/log.js';
import { runReconcile } from '../dist/reconcile/schedule/run.js';
import { ServiceClient } from '../dist/service-api/client.js';
import { defaultContract } from '../dist/service-api/contract.js';

const settings = {
  missedGraceMs: 900_000,
  payoutGraceMs: 86_400_000,
  publicUrl: null,
  webhookPath: '/webhooks',
  eventIdPointer: 'auto',
};

export function serviceClient(port) {
  return new ServiceClient({ baseUrl: `http://127.0.0.1:${port}`, apiKey: 'bench' });
}

/** Throws where the run does not prove the list whole. */
export async function readPayments({ db, databaseUrl, port }, options) {
  const deps = {
    db,
    databaseUrl,
    log: createLog('silent'),
    now: () => new Date(),
    client: serviceClient(port),
    contract: defaultContract,
    kytWords: defaultContract.kyt,
    settings,
    adoptedAt: new Date(),
  };
  const run = await runReconcile(deps, { kind: 'payment-intents', full: false, withoutPayins: true, ...options });
  if (!run.complete) throw new Error(`the run proved nothing: ${run.error ?? JSON.stringify(run.proof)}`);
  return run;
}
