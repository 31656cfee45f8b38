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
  /** Of the payload; null: there is none that is an event. */
  event: { key: string; contentHash: string; timestamp: number } | null;
  /** What the service noted of our own answer: the inbox id of a 200. */
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

/** How many events that an endpoint of ours brought came under a secret; `of`: all that it brought. */
export interface SecretShare {
  endpointId: string;
  label: string;
  events: number;
  of: number;
}

const MOST = 6;
/** An endpoint signs everything with its one secret; what is lost, or noted and never sent, is the exception. */
const LEAST_SHARE = 0.5;

/**
 * Which endpoint each secret belongs to, by the events that came: the one assignment of secrets to endpoints that the
 * fewest events contradict. While every event comes under both secrets nothing distinguishes them: then what was `known`
 * before decides, or nothing is said. A secret that several endpoints share belongs to none.
 */
export function pairSecrets(shares: readonly SecretShare[], known: ReadonlyMap<string, string>): Map<string, string> {
  const endpoints = [...new Map(shares.map((share) => [share.endpointId, share.of]))]
    .sort(([, a], [, b]) => b - a)
    .slice(0, MOST);
  const labels = [...new Set(shares.map(({ label }) => label))].slice(0, MOST);
  const costOf = (endpoint: string, label: string | null, all: number): number => {
    if (label === null) return all * 2;
    const share = shares.find((one) => one.endpointId === endpoint && one.label === label);
    if (share === undefined || share.events < all * LEAST_SHARE) return Number.POSITIVE_INFINITY;
    const was = known.get(label);
    return (all - share.events) * 2 + (was === undefined || was === endpoint ? 0 : 1);
  };
  let best: { cost: number; pairs: [string, string][] }[] = [];
  const assign = (at: number, left: readonly string[], cost: number, pairs: [string, string][]): void => {
    if (cost === Number.POSITIVE_INFINITY || cost > (best[0]?.cost ?? Number.POSITIVE_INFINITY)) return;
    const next = endpoints[at];
    if (next === undefined) {
      best = cost === best[0]?.cost ? [...best, { cost, pairs }] : [{ cost, pairs }];
      return;
    }
    const [endpoint, all] = next;
    for (const label of [...left, null]) {
      const rest = left.filter((one) => one !== label);
      const longer: [string, string][] = label === null ? pairs : [...pairs, [label, endpoint]];
      assign(at + 1, rest, cost + costOf(endpoint, label, all), longer);
    }
  };
  assign(0, labels, 0, []);
  const [first, ...others] = best;
  const agreed = (first?.pairs ?? []).filter(([label, endpoint]) =>
    others.every(({ pairs }) => pairs.some((pair) => pair[0] === label && pair[1] === endpoint)),
  );
  const paired = new Set(agreed.map(([, endpoint]) => endpoint));
  return new Map(agreed.filter(([label]) => !isShared(label, shares, paired)));
}

/** An endpoint that has no secret of its own signs with this one all the same. */
function isShared(label: string, shares: readonly SecretShare[], paired: ReadonlySet<string>): boolean {
  return shares.some(
    (share) => share.label === label && !paired.has(share.endpointId) && share.events > share.of * 0.9,
  );
}
