import { ownLanes, type RefreshLane } from '../records/runs/refresh-requests.js';
import type { ServiceReader } from './service-reader.js';

/** Which secret's webhook was served last, so that the next is another's. */
export interface Rotation {
  last: string;
}

type Asked = Pick<{ lane: RefreshLane; secret: string }, 'lane' | 'secret'>;

export interface Turns<Request> {
  /** Null: none is left, or what is left has to wait for its share. */
  next(): Request | null;
}

/**
 * What verified payments list goes first, then what polls ask for; what reports ask for as soon as its share allows, each
 * secret in turn, and of each first what they say of an order whose goods may go out; payins of a crowd, then what has passed come last of the polls, and before whatever of the reports goes beyond their share.
 */
export function takeTurns<Request extends Asked>(
  requests: readonly Request[],
  share: Pick<CallShare, 'hasEarned' | 'isQuiet'>,
  rotation: Rotation,
): Turns<Request> {
  const own = ownLanes.flatMap(queueOf);
  const reports = new Map<string, Request[]>();
  for (const request of [...queueOf('hold'), ...queueOf('report')]) {
    const queue = reports.get(request.secret);
    if (queue === undefined) reports.set(request.secret, [request]);
    else queue.push(request);
  }

  function queueOf(lane: RefreshLane): Request[] {
    return requests.filter((request) => request.lane === lane);
  }

  function nextReport(): Request | null {
    const secrets = [...reports.keys()].sort();
    const secret = secrets.find((one) => one > rotation.last) ?? secrets[0];
    const queue = secret === undefined ? undefined : reports.get(secret);
    const request = queue?.shift();
    if (secret === undefined || request === undefined) return null;
    if (queue?.length === 0) reports.delete(secret);
    rotation.last = secret;
    return request;
  }

  return {
    next() {
      const earned = share.hasEarned() ? nextReport() : null;
      return earned ?? own.shift() ?? (share.isQuiet() ? nextReport() : null);
    },
  };
}

/** Calls of others that earn one call for what reports ask for: of four calls one at most is theirs. */
const OTHERS_EACH = 3;
/** Calls that reports may have earned and not used. */
const MOST_SAVED = 4;
/** Between two calls of one run the others are not done. */
const QUIET_MS = 1_000;

/**
 * What webhooks ask for may cost a quarter of the calls while anything else is read, and all of them while nothing is. Counts
 * the calls of one process: the scheduler that leads makes all that are not a person's.
 */
export interface CallShare {
  /** Others have made enough calls for one of the reports'. */
  hasEarned(): boolean;
  /** Nothing else is read, nor was a moment ago. */
  isQuiet(): boolean;
  /** The client of whatever is no report's: its calls earn. */
  others: ServiceReader;
  /** The client of what reports ask for: its calls spend. */
  reports: ServiceReader;
}

/** `now`: ms of any clock that only goes on. */
export function createCallShare(client: ServiceReader, now: () => number = () => performance.now()): CallShare {
  let earned = 0;
  let underWay = 0;
  let lastEnded = Number.NEGATIVE_INFINITY;
  const isQuiet = (): boolean => underWay === 0 && now() - lastEnded >= QUIET_MS;
  return {
    hasEarned: () => earned >= OTHERS_EACH,
    isQuiet,
    others: {
      serviceNow: () => client.serviceNow(),
      reply: async (operation, request) => {
        earned = Math.min(earned + 1, MOST_SAVED * OTHERS_EACH);
        underWay += 1;
        try {
          return await client.reply(operation, request);
        } finally {
          underWay -= 1;
          lastEnded = now();
        }
      },
    },
    reports: {
      serviceNow: () => client.serviceNow(),
      reply: (operation, request) => {
        earned = Math.max(earned - OTHERS_EACH, isQuiet() ? 0 : Number.NEGATIVE_INFINITY);
        return client.reply(operation, request);
      },
    },
  };
}

/** Of a run by hand, which reads whatever is due: reports come last, and all of them. */
export function freeShare(client: ServiceReader): CallShare {
  return { hasEarned: () => false, isQuiet: () => true, others: client, reports: client };
}
