import type { IncomingMessage } from 'node:http';
import type { BodyRoom } from './body-room.js';

export type BodyRead =
  | { ok: true; rawBody: Buffer }
  /** `cutOff`: some of the body is still unread, the connection is of no more use. */
  | { ok: false; problem: 'too_large'; cutOff: boolean }
  /** The sender went away in the middle. */
  | { ok: false; problem: 'aborted' }
  /** It had to make room for others before all of it was there. */
  | { ok: false; problem: 'evicted' }
  /** Something before us read the stream: the bytes that were signed are gone. */
  | { ok: false; problem: 'consumed' };

type Gathered =
  | { outcome: 'complete'; rawBody: Buffer }
  | { outcome: 'too_large' | 'aborted' | 'evicted' | 'other_length' };

/** What an overlong body may go on for, unread, so that its sender gets to hear our answer. */
const MAX_DISCARDED_BYTES = 16 * 1024 * 1024;
const MAX_DISCARD_MS = 3_000;

/** The body's bytes exactly as sent, `limit` at most. */
export async function readBody(req: IncomingMessage, limit: number, room: BodyRoom): Promise<BodyRead> {
  const parsed: unknown = 'body' in req ? req.body : undefined;
  // express.raw() keeps the bytes.
  if (Buffer.isBuffer(parsed)) {
    return parsed.length > limit ? { ok: false, problem: 'too_large', cutOff: false } : { ok: true, rawBody: parsed };
  }
  if (isConsumed(req, parsed)) return { ok: false, problem: req.destroyed ? 'aborted' : 'consumed' };
  const gathered = await gather(req, limit, room);
  if (gathered.outcome === 'complete') return { ok: true, rawBody: gathered.rawBody };
  if (gathered.outcome === 'too_large') return { ok: false, problem: 'too_large', cutOff: !(await discardRest(req)) };
  // Node cuts a body to its length: where it is shorter, somebody read some of it before us.
  return { ok: false, problem: gathered.outcome === 'other_length' ? 'consumed' : gathered.outcome };
}

function isConsumed(req: IncomingMessage, parsed: unknown): boolean {
  return !req.readable || req.readableEncoding !== null || (parsed !== undefined && req.readableDidRead);
}

function gather(req: IncomingMessage, limit: number, room: BodyRoom): Promise<Gathered> {
  const length = req.headers['content-length'] === undefined ? null : Number(req.headers['content-length']);
  if (length !== null && length > limit) return Promise.resolve({ outcome: 'too_large' });
  return new Promise((resolve) => {
    let body: Buffer = Buffer.alloc(0);
    let size = 0;
    const done = (gathered: Gathered) => {
      share.leave();
      req.off('data', onData).off('end', onEnd).off('close', onGone);
      req.pause();
      resolve(gathered);
    };
    const onData = (piece: Buffer) => {
      if (size + piece.length > limit) return done({ outcome: 'too_large' });
      body = append(body, size, piece);
      size += piece.length;
      share.grow(piece.length);
    };
    const onEnd = () => {
      if (length !== null && size !== length) return done({ outcome: 'other_length' });
      done({ outcome: 'complete', rawBody: body.subarray(0, size) });
    };
    const onGone = () => done({ outcome: 'aborted' });
    const share = room.enter(() => done({ outcome: 'evicted' }));
    // An error is followed by `close`; its listener stays, because one without a listener would end the process.
    req
      .on('data', onData)
      .on('end', onEnd)
      .on('close', onGone)
      .on('error', () => {});
  });
}

/**
 * The first `size` bytes of `body` and the piece behind them. Copied, because a piece that is kept costs hundreds of bytes
 * beyond its own: a body that comes byte by byte would hold hundreds of megabytes.
 */
function append(body: Buffer, size: number, piece: Buffer): Buffer {
  if (size === 0) return piece;
  const end = size + piece.length;
  const room = end <= body.length ? body : Buffer.concat([body], Math.max(end, 2 * body.length));
  piece.copy(room, size);
  return room;
}

/** Reads on without keeping anything; whether the end was reached. */
async function discardRest(req: IncomingMessage): Promise<boolean> {
  if (Number(req.headers['content-length']) > MAX_DISCARDED_BYTES) return false;
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
