import type { Request } from 'express';
import { Problem } from '../problem.js';
import { type Session, sameText } from './session.js';

/** The name of the field that every form carries. */
export const CSRF_FIELD = '_csrf';

export const csrfToken = (session: Session): string => session.sign('csrf', '');

/** @throws {Problem} 403, unless the form is one that this session was shown */
export function checkCsrf(session: Session, given: unknown): void {
  if (typeof given === 'string' && sameText(given, csrfToken(session))) return;
  const why =
    'This form does not belong to the session you are signed in with. Nothing was changed: go back, load the page anew and try again.';
  throw new Problem(403, 'Not accepted', why);
}

/**
 * What a browser says of where a form came from. One that says nothing of it is none we let change something.
 * @throws {Problem} 403
 */
export function checkOrigin(req: Request): void {
  const site = req.get('sec-fetch-site');
  const origin = req.get('origin');
  const fromHere = origin === undefined ? site === 'same-origin' : isHere(origin, req.get('host'));
  if (fromHere && (site === undefined || site === 'same-origin')) return;
  const why =
    'The request came from another site than this console. Nothing was changed. Behind a proxy, let it pass the Host header on as it is.';
  throw new Problem(403, 'Not accepted', why);
}

/** By host and port: a proxy may end https before us. */
function isHere(origin: string, host: string | undefined): boolean {
  return host !== undefined && URL.canParse(origin) && new URL(origin).host === normalHost(host, origin);
}

function normalHost(host: string, origin: string): string | null {
  const url = `${new URL(origin).protocol}//${host}`;
  return URL.canParse(url) ? new URL(url).host : null;
}
