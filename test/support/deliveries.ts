import type { Sandbox } from '../../src/sandbox/start-sandbox.js';

/** A delivery as the service logged it. */
export interface LoggedDelivery {
  id: string;
  eventType: string;
  status: 'pending' | 'succeeded' | 'failed';
  payload: { event: string; timestamp: number; data: Record<string, unknown> };
  /** HTTP status of each attempt; null where there was no answer. */
  attempts: (number | null)[];
  /** The inbox id that our last answer named. */
  inboxId: string | null;
}

interface Raw extends Omit<LoggedDelivery, 'attempts' | 'inboxId'> {
  attemptsList: { httpStatus: number | null }[];
  responseBody: string | null;
}

/** The service's own log of deliveries, newest first. */
export async function loggedDeliveries(sandbox: Sandbox): Promise<LoggedDelivery[]> {
  const response = await fetch(`${sandbox.url}/sandbox/truth?changedBefore=1970-01-01T00:00:00Z`);
  const { deliveries } = (await response.json()) as { deliveries: Raw[] };
  return deliveries.map(({ attemptsList, responseBody, ...delivery }) => ({
    ...delivery,
    attempts: attemptsList.map(({ httpStatus }) => httpStatus),
    inboxId: idIn(responseBody),
  }));
}

export const wasAcknowledged = ({ attempts }: LoggedDelivery): boolean => attempts.includes(200);

/** How often each answer was given; `none` where the connection failed or nothing came back in time. */
export function countAnswers(deliveries: LoggedDelivery[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const status of deliveries.flatMap(({ attempts }) => attempts)) {
    const name = String(status ?? 'none');
    counts[name] = (counts[name] ?? 0) + 1;
  }
  return counts;
}

function idIn(body: string | null): string | null {
  try {
    const answer: unknown = JSON.parse(body ?? '');
    return typeof answer === 'object' && answer !== null && 'id' in answer ? String(answer.id) : null;
  } catch {
    return null;
  }
}
