/** An event of the inbox that a delivery may have brought. Times in ms. */
export interface HeldEvent {
  id: string;
  key: string;
  contentHash: string;
  /** Seconds, of the payload. */
  timestamp: number;
  eventType: string;
  firstArrivalAt: number;
}

export interface PairedBy {
  id: string;
  endpointId: string | null;
  eventType: string | null;
  event: { key: string; contentHash: string; timestamp: number } | null;
  answeredId: string | null;
  attempts: number | null;
  createdAt: number | null;
  lastAttemptAt: number | null;
}

/** Two clocks, and the way between. */
const CLOCKS_MS = 60_000;

/**
 * The event that this delivery is about, by the strongest sign there is: its key; content and time of the payload (the id
 * stood in a header, which the history does not show); the inbox id that our own answer named; for a delivery that was
 * tried more than once the same content, arrived between its first and last attempt (the retry was stamped anew), where no
 * other delivery to that endpoint has that event. Content alone proves nothing: two events may say the same.
 *
 * @param taken the other delivery of the same endpoint that already has this event
 */
export function pairDelivery<E extends HeldEvent>(
  delivery: PairedBy,
  held: readonly E[],
  taken: (event: E) => boolean,
): E | null {
  const { event } = delivery;
  if (event === null) return held.find((one) => isAnswered(delivery, one)) ?? null;
  const same = held.filter(({ contentHash }) => contentHash === event.contentHash);
  return (
    same.find(({ key }) => key === event.key || key === `${event.key}#${event.contentHash}`) ??
    same.find(({ timestamp }) => timestamp === event.timestamp) ??
    same.find((one) => isAnswered(delivery, one)) ??
    same.find((one) => isRetry(delivery, one) && !taken(one)) ??
    null
  );
}

function isAnswered({ answeredId, eventType }: PairedBy, one: HeldEvent): boolean {
  return one.id === answeredId && one.eventType === eventType;
}

function isRetry({ attempts, createdAt, lastAttemptAt }: PairedBy, { firstArrivalAt }: HeldEvent): boolean {
  if (attempts === null || attempts < 2 || createdAt === null || lastAttemptAt === null) return false;
  return firstArrivalAt >= createdAt - CLOCKS_MS && firstArrivalAt <= lastAttemptAt + CLOCKS_MS;
}
