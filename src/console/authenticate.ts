import { createHash, timingSafeEqual } from 'node:crypto';
import type { Request, RequestHandler } from 'express';
import { Problem } from './problem.js';

export type Role = 'viewer' | 'operator' | 'finance' | 'admin';

/** One entry of CONSOLE_TOKENS. */
export interface ConsoleToken {
  name: string;
  role: Role;
  token: string;
}

export interface Actor {
  name: string;
  role: Role;
}

const actors = new WeakMap<Request, Actor>();

/** Who sent the request; only behind `authenticate`. */
export function actorOf(req: Request): Actor {
  const actor = actors.get(req);
  if (!actor) throw new Error('actorOf called on a route without authentication');
  return actor;
}

/** Refuses a request without a known bearer token. Every token is compared, in constant time. */
export function authenticate(tokens: readonly ConsoleToken[]): RequestHandler {
  const known = tokens.map(({ name, role, token }) => ({ name, role, digest: digestOf(token) }));
  return (req, res, next) => {
    const [scheme, given] = (req.get('authorization') ?? '').split(' ', 2);
    if (scheme?.toLowerCase() !== 'bearer' || !given) {
      res.set('WWW-Authenticate', 'Bearer');
      throw new Problem(401, 'Unauthorized', 'Send a token of CONSOLE_TOKENS as "Authorization: Bearer <token>".');
    }
    const digest = digestOf(given);
    const match = known.filter((entry) => timingSafeEqual(entry.digest, digest))[0];
    if (!match) {
      res.set('WWW-Authenticate', 'Bearer error="invalid_token"');
      throw new Problem(401, 'Unauthorized', 'The token is not one of CONSOLE_TOKENS.');
    }
    actors.set(req, { name: match.name, role: match.role });
    next();
  };
}

/** Lets only the named roles pass; admin always may. */
export function allow(...allowed: Role[]): RequestHandler {
  return (req, _res, next) => {
    const { role, name } = actorOf(req);
    if (role !== 'admin' && !allowed.includes(role)) {
      const needed = [...allowed, 'admin'].join(' or ');
      throw new Problem(403, 'Forbidden', `This needs the role ${needed}; the token "${name}" has the role ${role}.`);
    }
    next();
  };
}

function digestOf(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}
