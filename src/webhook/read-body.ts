import type { IncomingMessage } from 'node:http';
import getRawBody from 'raw-body';
import { type BodyRoom, UnfinishedError } from './body-room.js';

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
