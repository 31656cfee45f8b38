import type { Request, Response } from 'express';
import { UTC, zoneNamed } from '../../domain/time-zones.js';
import { badRequest } from '../problem.js';

/** The value of a cookie of the request; null where there is none. */
export function readCookie(req: Request, name: string): string | null {
  for (const pair of (req.get('cookie') ?? '').split(';')) {
    const at = pair.indexOf('=');
    if (at > 0 && pair.slice(0, at).trim() === name) return pair.slice(at + 1).trim();
  }
  return null;
}

/** Out of the reach of scripts, never sent by another site, and only by https where the request came by it. */
export function setCookie(req: Request, res: Response, cookie: { name: string; value: string; seconds: number }): void {
  const { name, value, seconds } = cookie;
  const attributes = [`${name}=${value}`, 'Path=/', `Max-Age=${seconds}`, 'HttpOnly', 'SameSite=Strict'];
  res.append('Set-Cookie', (isHttps(req) ? [...attributes, 'Secure'] : attributes).join('; '));
}

export function clearCookie(req: Request, res: Response, name: string): void {
  setCookie(req, res, { name, value: '', seconds: 0 });
}

/** What a proxy says of it counts too: who lies of it only harms their own cookie. */
export function isHttps(req: Request): boolean {
  return req.secure || req.get('x-forwarded-proto')?.split(',')[0]?.trim() === 'https';
}

const COOKIE = 'tallyhook_zone';
const YEAR_SECONDS = 365 * 86_400;

/** In which this browser reads times; UTC where nobody chose. */
export const zoneOf = (req: Request): string => zoneNamed(readCookie(req, COOKIE) ?? '') ?? UTC;

/** @throws {Problem} 400 */
export function chooseZone(req: Request, res: Response, given: unknown): void {
  const zone = typeof given === 'string' ? zoneNamed(given) : null;
  if (zone === null)
    throw badRequest(
      `There is no time zone "${String(given).slice(0, 40)}". Write one such as Europe/Berlin, or its city.`,
    );
  setCookie(req, res, { name: COOKIE, value: zone, seconds: YEAR_SECONDS });
}
