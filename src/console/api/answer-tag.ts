import { createHash } from 'node:crypto';
import type { RequestHandler } from 'express';

/**
 * A strong tag of an answer's bytes. Roles see different things of the same address: a tag that one of them was given never
 * stands for what another is shown, though the bytes be the same.
 */
export function answerTag(role: string, text: string): string {
  return `"${createHash('sha256').update(role).update('\0').update(text).digest('base64url').slice(0, 32)}"`;
}

/** May be kept by who asked, and by nobody between; is asked for again each time. */
export const keptByAsker: RequestHandler = (_req, res, next) => {
  res.set({ 'Cache-Control': 'private, no-cache', Vary: 'Authorization' });
  next();
};
