import type { Contract } from '../../service-api/contract.js';
import type { Runtime } from '../runtime.js';
import { createServiceClient } from '../service-client.js';
import { type Diagnosis, examine } from './examine.js';

/** One question that hangs, or fails ever again, must not keep the others from being asked. */
const DOCTOR_RETRIES = {
  attemptMs: 8_000,
  deadlineMs: 30_000,
  retries: 1,
  longestRetryAfterMs: 5_000,
  failures: 10_000,
};

/** Every dependency and assumption probed. Reads from the service and changes nothing; ends when `signal` does. */
export async function runDoctor(runtime: Runtime, signal: AbortSignal = runtime.signal): Promise<Diagnosis> {
  const clientFor = (contract: Contract) => createServiceClient(runtime, { contract, retryPolicy: DOCTOR_RETRIES });
  return examine({
    ...runtime,
    signal,
    client: await createServiceClient(runtime, { retryPolicy: DOCTOR_RETRIES }),
    clientFor,
  });
}
