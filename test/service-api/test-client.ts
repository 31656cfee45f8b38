import { ServiceClient, type ServiceClientOptions } from '../../src/service-api/client.js';

export const BASE_URL = 'http://service.test';
export const API_KEY = 'key-0123456789abcdef';

/** As patient as usual in all but milliseconds. */
const QUICK = { pauseMs: 4, longestPauseMs: 40, longestRetryAfterMs: 3_000, openMs: 30, longestOpenMs: 60 };

export function testClient({ retryPolicy, ...options }: Partial<ServiceClientOptions> = {}): ServiceClient {
  return new ServiceClient({
    baseUrl: BASE_URL,
    apiKey: API_KEY,
    ...options,
    retryPolicy: { ...QUICK, ...retryPolicy },
  });
}

/** What a promise rejects with. */
export async function rejection<E extends Error>(
  promise: Promise<unknown>,
  type: abstract new (...args: never[]) => E,
): Promise<E> {
  const error = await promise.then(
    () => new Error('it resolved'),
    (reason: unknown) => reason,
  );
  if (error instanceof type) return error;
  throw error;
}
