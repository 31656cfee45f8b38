import { createHash } from 'node:crypto';
import type { Request, RequestHandler, Response } from 'express';

/**
 * A strong tag of an answer's bytes. Roles see different things of the same address: a tag that one of them was given never
 * stands for what another is shown, though the bytes be the same.
 */
function answerTag(role: string, text: string): string {
  return `"${createHash('sha256').update(role).update('\0').update(text).digest('base64url').slice(0, 32)}"`;
}

/**
 * Answers with the JSON text, or with 304 where the request names its tag. Express would not: it takes no-cache, which `fetch`
 * sends beside every If-None-Match, to ask for all of it again.
 */
export function sendTagged(req: Request, res: Response, { text, role }: { text: string; role: string }): void {
  const tag = answerTag(role, text);
  res.set('ETag', tag);
  if (names(req.get('if-none-match'), tag)) res.status(304).end();
  else res.type('application/json').send(text);
}

/** Whether If-Match names the answer: a request that changes something comes from who has seen it as it is now. */
export function isNamed(given: string, { text, role }: { text: string; role: string }): boolean {
  return names(given, answerTag(role, text));
}

/** A proxy that packs an answer makes its tag a weak one. */
function names(given: string | undefined, tag: string): boolean {
  const tags = (given ?? '').split(',').map((one) => one.trim().replace(/^W\//, ''));
  return tags.includes(tag) || tags.includes('*');
}

/** May be kept by who asked, and by nobody between; is asked for again each time. */
export const keptByAsker: RequestHandler = (_req, res, next) => {
  res.set({ 'Cache-Control': 'private, no-cache', Vary: 'Authorization' });
  next();
};
