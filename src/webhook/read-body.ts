import type { IncomingMessage } from 'node:http';
import getRawBody from 'raw-body';

export type BodyRead =
  | { ok: true; rawBody: Buffer }
  /** `cutOff`: some of the body is still unread, the connection is of no more use. */
  | { ok: false; problem: 'too_large'; cutOff: boolean }
  /** The sender went away in the middle. */
  | { ok: false; problem: 'aborted' }
  /** Something before us read the stream: the bytes that were signed are gone. */
  | { ok: false; problem: 'consumed' };

/** What an overlong body may go on for, unread, so that its sender gets to hear our answer. */
const MAX_DISCARDED_BYTES = 16 * 1024 * 1024;
const MAX_DISCARD_MS = 3_000;

/** The body's bytes exactly as sent, `limit` at most. */
export async function readBody(req: IncomingMessage, limit: number): Promise<BodyRead> {
  const parsed: unknown = 'body' in req ? req.body : undefined;
  // express.raw() keeps the bytes.
  if (Buffer.isBuffer(parsed)) {
    return parsed.length > limit ? { ok: false, problem: 'too_large', cutOff: false } : { ok: true, rawBody: parsed };
  }
  if (req.readableEnded || (parsed !== undefined && req.readableDidRead)) {
    return { ok: false, problem: 'consumed' };
  }
  const length = req.headers['content-length'];
  try {
    return { ok: true, rawBody: await getRawBody(req, { limit, ...(length !== undefined && { length }) }) };
  } catch (error) {
    const type = error instanceof Error && 'type' in error ? error.type : undefined;
    if (type === 'entity.too.large') return { ok: false, problem: 'too_large', cutOff: !(await discardRest(req)) };
    // A length that doesn't fit, or a stream that can't be read, though the sender is still there: somebody read before us.
    return { ok: false, problem: type === 'request.aborted' || req.destroyed ? 'aborted' : 'consumed' };
  }
}

/** Reads on without keeping anything; whether the end was reached. */
async function discardRest(req: IncomingMessage): Promise<boolean> {
  if (Number(req.headers['content-length'] ?? 0) > MAX_DISCARDED_BYTES) return false;
  return new Promise((resolve) => {
    let left = MAX_DISCARDED_BYTES;
    const done = (ended: boolean) => {
      clearTimeout(timer);
      req.off('data', onData).off('end', onEnd).off('close', onClose);
      if (!ended) req.pause();
      resolve(ended);
    };
    const onData = (chunk: Buffer) => {
      left -= chunk.length;
      if (left < 0) done(false);
    };
    const onEnd = () => done(true);
    const onClose = () => done(false);
    const timer = setTimeout(onClose, MAX_DISCARD_MS);
    req.on('data', onData).on('end', onEnd).on('close', onClose).on('error', onClose);
    req.resume();
  });
}
