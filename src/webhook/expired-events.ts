import { createHash } from 'node:crypto';
import type { Logger } from '../log.js';
import { logSeldom } from './log-seldom.js';
import type { Envelope } from './parse-envelope.js';

/** What is to be done about an authentic event that came too late: its record is read from the service. */
export type OnExpired = (envelope: Envelope) => void | Promise<void>;

const REMEMBERED = 5_000;
const AT_ONCE = 4;

/**
 * Hands on each expired event once, however often it is sent again: whoever caught one could otherwise make us work with
 * every replay. What could not be dealt with is handed on again when it comes again.
 */
export function createExpiredEvents(onExpired: OnExpired, log: Logger): (rawBody: Buffer, envelope: Envelope) => void {
  const failed = logSeldom(log, 'refresh request not saved');
  let known = new Set<string>();
  let running = 0;

  async function handOn(hash: string, envelope: Envelope): Promise<void> {
    try {
      await onExpired(envelope);
    } catch (error) {
      known.delete(hash);
      failed(error);
    } finally {
      running -= 1;
    }
  }

  return (rawBody, envelope) => {
    const hash = createHash('sha256').update(rawBody).digest('base64');
    if (known.has(hash) || running >= AT_ONCE) return;
    if (known.size >= REMEMBERED) known = new Set();
    known.add(hash);
    running += 1;
    setImmediate(() => void handOn(hash, envelope));
  };
}
