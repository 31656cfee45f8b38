import type { IncomingMessage } from 'node:http';
import { Transform, type TransformCallback } from 'node:stream';
import getRawBody from 'raw-body';

/** A body ended before all of it was there. */
class UnfinishedError extends Error {
  readonly problem: 'aborted' | 'evicted';

  constructor(problem: 'aborted' | 'evicted') {
    super(`the body was ${problem}`);
    this.name = 'UnfinishedError';
    this.problem = problem;
  }
}

/** Smaller pieces are joined: each costs hundreds of bytes beyond its own, and a body may come byte by byte. */
const PIECE_BYTES = 16 * 1024;
const NOTHING: Buffer = Buffer.alloc(0);

/**
 * Bounds what unfinished bodies hold together. The one that is under way the longest makes room: whoever sends slowly
 * in order to fill our memory crowds out himself, and not the service, whose bodies are there at once.
 */
export class BodyRoom {
  readonly #bodies = new Set<Unfinished>();
  readonly #maxBytes: number;
  #held = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** What a body is to be piped through, until it is destroyed or its end was read. Fails where it has to make room. */
  enter(): Transform {
    const body = new Unfinished(this);
    this.#bodies.add(body);
    return body;
  }

  grow(bytes: number): void {
    this.#held += bytes;
    for (const oldest of this.#bodies) {
      if (this.#held <= this.#maxBytes) break;
      oldest.destroy(new UnfinishedError('evicted'));
    }
  }

  leave(body: Unfinished, held: number): void {
    if (this.#bodies.delete(body)) this.#held -= held;
  }
}

class Unfinished extends Transform {
  readonly #room: BodyRoom;
  #held = 0;
  /** The first `#size` bytes are not handed on yet. */
  #joined = NOTHING;
  #size = 0;

  constructor(room: BodyRoom) {
    super();
    this.#room = room;
    // It may be evicted when nobody listens any more; an error without a listener would end the process.
    this.on('error', () => {});
  }

  override _transform(piece: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    this.#held += piece.length;
    this.#room.grow(piece.length);
    if (!this.destroyed) this.#join(piece);
    if (this.#size >= PIECE_BYTES) this.#handOn();
    done();
  }

  override _flush(done: TransformCallback): void {
    this.#handOn();
    done();
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#room.leave(this, this.#held);
    this.#joined = NOTHING;
    this.#size = 0;
    done(error);
  }

  #join(piece: Buffer): void {
    const end = this.#size + piece.length;
    if (this.#size === 0) this.#joined = piece;
    else {
      if (end > this.#joined.length)
        this.#joined = Buffer.concat([this.#joined], Math.max(end, 2 * this.#joined.length));
      piece.copy(this.#joined, this.#size);
    }
    this.#size = end;
  }

  #handOn(): void {
    this.push(this.#joined.subarray(0, this.#size));
    this.#size = 0;
  }
}

/** `consumed`: something before us read the stream, the bytes that were signed are gone. */
export type BodyProblem = 'too_large' | 'aborted' | 'evicted' | 'consumed';

/** How long an overlong body may go on, unread, so that its sender gets to hear our answer. */
const MAX_DISCARD_MS = 3_000;

/** Node cuts a body to its length: where it is shorter, somebody read some of it before us. */
const PROBLEMS: Readonly<Record<string, BodyProblem>> = {
  'entity.too.large': 'too_large',
  'request.size.invalid': 'consumed',
};

/** The body's bytes exactly as sent, `limit` at most, or why they are not to be had. */
export async function readBody(req: IncomingMessage, limit: number, room: BodyRoom): Promise<Buffer | BodyProblem> {
  const parsed: unknown = 'body' in req ? req.body : undefined;
  // express.raw() keeps the bytes.
  if (Buffer.isBuffer(parsed)) return parsed.length > limit ? 'too_large' : parsed;
  if (isConsumed(req, parsed)) return req.destroyed ? 'aborted' : 'consumed';
  const body = room.enter();
  const onClose = () => {
    if (!req.readableEnded) body.destroy(new UnfinishedError('aborted'));
  };
  // An error is followed by `close`; its listener stays, because one without a listener would end the process.
  req.on('close', onClose).on('error', () => {});
  try {
    return await getRawBody(req.pipe(body), { limit, length: req.headers['content-length'] ?? null });
  } catch (error) {
    const problem =
      error instanceof UnfinishedError ? error.problem : PROBLEMS[(error as getRawBody.RawBodyError).type];
    if (problem === undefined) throw error;
    return problem;
  } finally {
    req.off('close', onClose).unpipe(body);
    body.destroy();
  }
}

function isConsumed(req: IncomingMessage, parsed: unknown): boolean {
  return !req.readable || req.readableEncoding !== null || (parsed !== undefined && req.readableDidRead);
}

/** Reads on without keeping anything: a body that nobody reads would keep the connection from its next request. */
export function discardRest(req: IncomingMessage): void {
  if (req.readableEnded || req.destroyed) return;
  const timer = setTimeout(() => req.destroy(), MAX_DISCARD_MS);
  req.once('close', () => clearTimeout(timer)).resume();
}
