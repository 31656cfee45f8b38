import type { Request, Response } from 'express';
import { UTC, zoneNamed } from '../../domain/time-zones.js';
import { badRequest } from '../problem.js';
import { readCookie, setCookie } from './cookies.js';

const COOKIE = 'tallyhook_zone';
const YEAR_SECONDS = 365 * 86_400;

/** In which this browser reads times; UTC where nobody chose. */
export function zoneOf(req: Request): string {
  return zoneNamed(readCookie(req, COOKIE) ?? '') ?? UTC;
}

/** @throws {Problem} 400 */
export function chooseZone(req: Request, res: Response, given: unknown): void {
  const zone = typeof given === 'string' ? zoneNamed(given) : null;
  if (zone === null)
    throw badRequest(
      `There is no time zone "${String(given).slice(0, 40)}". Write one such as Europe/Berlin, or its city.`,
    );
  setCookie(req, res, { name: COOKIE, value: zone, seconds: YEAR_SECONDS });
}
