import type { RefreshLane } from '../records/runs/refresh-requests.js';
import type { CallShare } from './call-share.js';

/** Which secret's webhook was served last, so that the next is another's. */
export interface Rotation {
  last: string;
}

type Asked = Pick<{ lane: RefreshLane; secret: string }, 'lane' | 'secret'>;

/** Refresh requests in the order in which they are read. */
export interface Turns<Request> {
  /** Null: none is left, or what is left has to wait for its share. */
  next(): Request | null;
}

/**
 * What verified payments list goes first, then what polls ask for; what reports ask for as soon as its share allows, each
 * secret in turn, and of each first what they say of an order whose goods may go out; what has passed comes last of the polls, and before whatever of the reports goes beyond their share.
 */
export function takeTurns<Request extends Asked>(
  requests: readonly Request[],
  share: Pick<CallShare, 'hasEarned' | 'isQuiet'>,
  rotation: Rotation,
): Turns<Request> {
  const queues = { listed: queueOf('listed'), poll: queueOf('poll'), recheck: queueOf('recheck') };
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
      const own = earned ?? queues.listed.shift() ?? queues.poll.shift() ?? queues.recheck.shift();
      return own ?? (share.isQuiet() ? nextReport() : null);
    },
  };
}
