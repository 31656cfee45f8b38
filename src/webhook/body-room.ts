import { Transform, type TransformCallback } from 'node:stream';

/** A body ended before all of it was there. */
export class UnfinishedError extends Error {
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
