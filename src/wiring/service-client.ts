import { createServiceRate } from '../records/service-rate.js';
import { MerchantClient } from '../service-api/client.js';
import { loadContract } from '../service-api/contract.js';
import type { Runtime } from './runtime.js';

/** A client of the payment service whose calls, with those of all other processes, keep to SERVICE_RATE. */
export async function createServiceClient(
  runtime: Pick<Runtime, 'config' | 'db' | 'log' | 'metrics'>,
): Promise<MerchantClient> {
  const { config, db, log, metrics } = runtime;
  return new MerchantClient({
    baseUrl: config.SERVICE_BASE_URL,
    apiKey: config.SERVICE_API_KEY,
    contract: await loadContract(config.CONTRACT_FILE),
    takeSlot: createServiceRate(db, { perSecond: config.SERVICE_RATE }),
    onRequest: ({ operation, status }) => metrics.apiRequests.inc({ operation, status: String(status) }),
    log,
  });
}
